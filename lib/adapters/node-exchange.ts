import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnalyticsApi } from '../api.js'
import { BodyBytes, cutShort } from '../http/body.js'
import type { HttpAnswer } from '../http/exchange.js'
import { type ParsedBody, unparse } from '../http/parsed.js'

/** The path of a URL as a request carries it, without its query. */
export function pathOf(url = '/'): string {
  return url.split('?')[0] as string
}

/** The API's answer to a Node request; the call is cancelled when the client leaves before its answer is whole. */
export async function answerTo(
  api: AnalyticsApi,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  parsed: ParsedBody,
): Promise<HttpAnswer> {
  const left = new AbortController()
  const leave = () => {
    if (!response.writableFinished) left.abort()
  }
  response.once('close', leave)
  if (response.closed) leave() // while the host was busy before us
  // What the API left unread of the body is read away, so that the client gets to its answer.
  response.once('finish', () => request.resume())
  const header = (name: string) => {
    const value = request.headers[name]
    return value === undefined ? null : [value].flat().join(', ')
  }
  const readBody = (maxBytes: number) => readIncoming(request, response, parsed, maxBytes)
  const answer = await api.adapter.answer({
    method: request.method ?? 'GET',
    path,
    header,
    readBody,
    signal: left.signal,
  })
  const { sent = () => {} } = answer
  response.once('close', sent)
  if (left.signal.aborted) {
    sent()
    if (answer.body instanceof ReadableStream) await answer.body.cancel()
    throw new Error('the client has left')
  }
  // From here on the socket has bytes to take: when none leaves, its client does not read them.
  response.setTimeout(api.limits.stallTimeoutMs, () => response.destroy())
  return answer
}

/** Reads the body by its events: iterating would end the connection with the reading, and the answer with it. */
function readIncoming(
  request: IncomingMessage,
  response: ServerResponse,
  parsed: ParsedBody,
  maxBytes: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const body = new BodyBytes(maxBytes, request.headers['content-length'] ?? null)
    if (awaitsContinue(request)) response.writeContinue()
    // Its events have passed, and nothing would ever come.
    if (wasRead(request)) {
      if (hasBody(request)) body.add(unparse(parsed, request.headers['content-type'] ?? null))
      return resolve(body.end())
    }
    if (request.destroyed) return reject(cutShort(request.errored))
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

/** The client sends its body once it is asked to, and the server leaves that to us: see `checkContinue` of node:http. */
function awaitsContinue(request: IncomingMessage): boolean {
  if (!/^100-continue$/i.test(request.headers.expect ?? '')) return false
  const { server } = request.socket as unknown as { server?: { listenerCount?(event: string): number } }
  return (server?.listenerCount?.('checkContinue') ?? 0) > 0
}

function wasRead(request: IncomingMessage): boolean {
  return request.readableEnded || request.readableDidRead
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
