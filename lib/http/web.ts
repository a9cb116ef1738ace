import { BodyBytes, cutShort } from './body.js'
import type { HttpAnswer, HttpRequest } from './exchange.js'

/** Converts a web-standard request. */
export function fromRequest(request: Request): HttpRequest {
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    // HTTP/2, and requests made in the process, have the host in their URL only.
    header: name => request.headers.get(name) ?? (name === 'host' ? new URL(request.url).host : null),
    readBody: maxBytes => readBody(request, maxBytes),
    signal: request.signal,
  }
}

/**
 * Converts an answer to a web-standard response. A large one errors if nothing of it is read for
 * `stallTimeoutMs`.
 */
export function toResponse(
  { status, headers, body, sent = () => {} }: HttpAnswer,
  stallTimeoutMs: number,
): Response {
  if (!isList(body)) return new Response(body, { status, headers })
  const bytes = body.reduce((sum, part) => sum + part.byteLength, 0)
  if (bytes > AT_ONCE_BYTES) return new Response(inParts(body, sent, stallTimeoutMs), { status, headers })
  sent() // a small body is handed over at once, so that the host holds it from here on
  return new Response(Buffer.concat(body), { status, headers })
}

/** Bodies up to this size are handed over at once, larger ones in slices of this size. */
const AT_ONCE_BYTES = 64 * 1024

function isList(body: HttpAnswer['body']): body is readonly Uint8Array[] {
  return Array.isArray(body)
}

/**
 * A body that is handed over slice by slice as the reader pulls, so that `sent` is called when all of it is
 * read.
 */
function inParts(
  parts: readonly Uint8Array[],
  sent: () => void,
  stallTimeoutMs: number,
): ReadableStream<Uint8Array> {
  const slices = parts.flatMap(part =>
    Array.from({ length: Math.ceil(part.byteLength / AT_ONCE_BYTES) }, (_, at) =>
      part.subarray(at * AT_ONCE_BYTES, (at + 1) * AT_ONCE_BYTES),
    ),
  )
  let next = 0
  let stalled: NodeJS.Timeout
  const end = () => {
    clearTimeout(stalled)
    sent()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stalled = setTimeout(() => {
          controller.error(new Error('nobody reads the answer'))
          end()
        }, stallTimeoutMs).unref()
      },
      pull(controller) {
        stalled.refresh()
        const slice = slices[next++]
        if (slice) controller.enqueue(slice)
        if (next < slices.length) return
        controller.close()
        end()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  // A body that was already read would look empty.
  if (request.bodyUsed)
    throw new Error('The body of a request was read before Foldgate got to it: hand over a clone')
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
    reader.cancel().catch(() => {}) // the rest is not needed
    throw failure
  }
}
