import { AnalyticsError } from '../errors.js'

/** The bytes of a request's body; one that passes `maxBytes` is refused as soon as it does. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new AnalyticsError('INVALID_REQUEST', `The body is larger than ${maxBytes} bytes.`)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength
      if (size > maxBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof AnalyticsError) throw cause
    throw new AnalyticsError('INVALID_REQUEST', 'The body did not arrive whole.', { cause })
  }
  return Buffer.concat(chunks)
}

/** The JSON value in a body; an empty one is undefined. */
export function parseBody(body: Uint8Array): unknown {
  if (body.byteLength === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
  } catch {
    throw new AnalyticsError('PARSE_ERROR', 'The body is not JSON in UTF-8.')
  }
}
