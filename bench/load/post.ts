import { Agent, request } from 'node:http'

/** An agent with one keep-alive connection. */
export function keptAlive(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}

/** Posts a body and returns the answer's body, with one character per byte, and its headers. */
export function post(
  url: string,
  body: string,
  agent: Agent,
  headers: Record<string, string>,
): Promise<{ text: string; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, response => {
      const chunks: Buffer[] = []
      response
        .on('data', chunk => chunks.push(chunk))
        .on('end', () => resolve({ text: Buffer.concat(chunks).toString('latin1'), headers: response.headers }))
    })
    outgoing.on('error', reject).end(body)
  })
}
