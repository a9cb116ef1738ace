import { BodyBytes, cutShort } from './body.js'
import type { HttpAnswer, HttpRequest } from './exchange.js'

/** A web-standard request as the routes see it. */
export function fromRequest(request: Request): HttpRequest {
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    header: name => request.headers.get(name),
    readBody: maxBytes => readBody(request, maxBytes),
    signal: request.signal,
  }
}

/** An answer as a web-standard response. */
export function toResponse({ status, headers, body }: HttpAnswer): Response {
  return new Response(Array.isArray(body) ? Buffer.concat(body) : (body as ReadableStream | null), { status, headers })
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  // What is read twice would come as an empty body the second time.
  if (request.bodyUsed) throw new Error('The body of a request was read before Foldgate got to it: hand over a clone')
  const body = new BodyBytes(maxBytes, request.headers.get('content-length'))
  if (!request.body) return body.end()
  const reader = request.body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(cause => {
        throw cutShort(cause)
      })
      if (done) return body.end()
      body.add(value)
    }
  } catch (failure) {
    reader.cancel().catch(() => {}) // nobody reads the rest
    throw failure
  }
}
