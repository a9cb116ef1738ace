import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AnalyticsApi } from '../api.js'

/** A handler for `node:http`, Express and Fastify's raw requests; `next` gets what is not ours. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

/** Answers requests for the paths of the API; without `next` anything else is 404. */
export function toNodeHandler(api: AnalyticsApi): NodeHandler {
  return (request, response, next) => {
    const path = (request.url ?? '/').split('?')[0] as string
    if (api.handles(path)) void answer(api, request, response)
    else if (next) next()
    else response.writeHead(404).end()
  }
}

async function answer(api: AnalyticsApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const answered = await fetchFor(api, request, response)
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    if (answered.body) await pipeline(Readable.fromWeb(answered.body as never), response)
    else response.end()
  } catch {
    response.destroy() // after the status there is no other way to say that the rest will not come
  }
}

/** The API's answer to a Node request; the call is cancelled when the client leaves before its answer is whole. */
export async function fetchFor(
  api: AnalyticsApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Response> {
  const left = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) left.abort()
  })
  // What the API left unread of the body is read away, so that the client gets to its answer.
  response.once('finish', () => request.removeAllListeners('data').resume())
  const answered = await api.fetch(toRequest(request, left.signal))
  if (!left.signal.aborted) return answered
  await answered.body?.cancel()
  throw new Error('the client has left')
}

function toRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (!name.startsWith(':') && value !== undefined) headers.set(name, [value].flat().join(', '))
  }
  const method = request.method ?? 'GET'
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: bodyOf(request), duplex: 'half' as const } : {}
  return new Request(new URL(request.url ?? '/', 'http://localhost'), { method, headers, signal, ...body })
}

/** The body as a web stream; giving it up leaves the connection as it is, for the answer. */
function bodyOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  let given = false
  return new ReadableStream<Uint8Array>({
    start(controller) {
      request.on('data', (chunk: Uint8Array) => {
        if (given) return
        controller.enqueue(chunk)
        if ((controller.desiredSize ?? 0) <= 0) request.pause()
      })
      const end = (settle: () => void) => () => {
        if (!given) settle()
        given = true
      }
      request.once(
        'end',
        end(() => controller.close()),
      )
      request.once('error', cause => end(() => controller.error(cause))())
      request.once(
        'close',
        end(() => controller.error(new Error('the body did not arrive whole'))),
      )
    },
    pull: () => void request.resume(),
    cancel: () => {
      given = true
    },
  })
}
