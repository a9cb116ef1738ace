import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AnalyticsApi } from '../api.js'
import { BodyBytes, cutShort } from '../http/body.js'
import type { HttpAnswer, HttpRequest } from '../http/exchange.js'

/** A handler for `node:http`, Express and Fastify's raw requests; `next` gets what is not ours. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

/** Answers requests for the paths of the API; without `next` anything else is 404. */
export function toNodeHandler(api: AnalyticsApi): NodeHandler {
  return (request, response, next) => {
    if (api.handles(pathOf(request))) void send(api, request, response)
    else if (next) next()
    else response.writeHead(404).end()
  }
}

async function send(api: AnalyticsApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { status, headers, body } = await answerTo(api, request, response)
    response.writeHead(status, headers)
    if (body instanceof ReadableStream) return await pipeline(Readable.fromWeb(body as never), response)
    response.cork() // one write for the head and all parts
    for (const part of body ?? []) response.write(part)
    response.end()
  } catch {
    response.destroy() // after the status there is no other way to say that the rest will not come
  }
}

/** The API's answer to a Node request; the call is cancelled when the client leaves before its answer is whole. */
export async function answerTo(
  api: AnalyticsApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<HttpAnswer> {
  const left = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) left.abort()
  })
  // What the API left unread of the body is read away, so that the client gets to its answer.
  response.once('finish', () => request.resume())
  const answer = await api.answer(toRequest(request, left.signal))
  if (!left.signal.aborted) return answer
  if (answer.body instanceof ReadableStream) await answer.body.cancel()
  throw new Error('the client has left')
}

function toRequest(request: IncomingMessage, signal: AbortSignal): HttpRequest {
  const header = (name: string) => {
    const value = request.headers[name]
    return value === undefined ? null : [value].flat().join(', ')
  }
  const readBody = (maxBytes: number) => readIncoming(request, maxBytes)
  return { method: request.method ?? 'GET', path: pathOf(request), header, readBody, signal }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] as string
}

/** Reads the body by its events: iterating would end the connection with the reading, and the answer with it. */
function readIncoming(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const body = new BodyBytes(maxBytes, request.headers['content-length'] ?? null)
    const stop = () => {
      request.off('data', take).off('end', end).off('error', fail).off('close', close)
    }
    const take = (chunk: Uint8Array) => {
      try {
        body.add(chunk)
      } catch (cause) {
        stop()
        request.pause()
        reject(cause)
      }
    }
    const end = () => {
      stop()
      resolve(body.end())
    }
    const fail = (cause: Error) => {
      stop()
      request.on('error', () => {}) // nobody reads it any more
      reject(cutShort(cause))
    }
    const close = () => fail(new Error('the connection was closed'))
    request.on('data', take).once('end', end).once('error', fail).once('close', close)
  })
}
