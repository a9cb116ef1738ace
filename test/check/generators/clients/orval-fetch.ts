/** What orval calls in place of fetch: it adds the address and the key, and reads each body by its content type. */
export async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const authorization = `Bearer ${process.env.FOLDGATE_KEY}`
  const headers = { ...(init.headers as Record<string, string>), authorization }
  const response = await fetch(`${process.env.FOLDGATE_URL}${path}`, { ...init, headers })
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const data: unknown = await (isJson ? response.json() : response.blob())
  return { data, status: response.status, headers: response.headers } as Answer
}
