import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnalyticsApi } from '../api.js'
import { AnalyticsError } from '../errors.js'
import { BodyBytes, cutShort } from '../http/body.js'
import type { HttpAnswer } from '../http/exchange.js'

/** What a body parser of the host leaves on the request. */
export interface ParsedBody {
  /** The parsed body, or the body as bytes or string if the parser only read it. */
  body?: unknown
  /** The body as sent, bytes or string, if the parser keeps it. */
  rawBody?: unknown
}

/** The path of a request URL, without the query. */
export function pathOf(url = '/'): string {
  return url.split('?')[0] as string
}

/**
 * Returns the API's answer to a Node request. The call is cancelled when the client disconnects before the
 * response is complete. Throws if that happens before the answer is ready.
 */
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
  if (response.closed) leave() // closed earlier, so that no 'close' event follows
  // Drain what the API did not read: a client may finish sending before it reads the answer.
  response.once('finish', () => request.resume())
  const header = (name: string) => {
    const value = request.headers[name] ?? (name === 'host' ? request.headers[':authority'] : undefined)
    return typeof value === 'object' ? value.join(', ') : (value ?? null)
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
  cutWhenUnread(response, api.limits.stallTimeoutMs)
  return answer
}

/**
 * Destroys a response of which no byte moves for this long: its client does not read. Call it once there are
 * bytes to send.
 *
 * @example
 * ```ts
 * createServer((_request, response) => {
 *   cutWhenUnread(response, 30_000)
 *   response.end('a long answer')
 * })
 * ```
 */
export function cutWhenUnread(response: ServerResponse, stallTimeoutMs: number): void {
  response.setTimeout(stallTimeoutMs, () => response.destroy())
}

/**
 * Reads the body through events: leaving a `for await` loop early would destroy the request and so the
 * answer.
 */
function readIncoming(
  request: IncomingMessage,
  response: ServerResponse,
  parsed: ParsedBody,
  maxBytes: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const body = new BodyBytes(maxBytes, request.headers['content-length'] ?? null)
    if (awaitsContinue(request)) response.writeContinue()
    // A parser has read the body: its events have passed and would never arrive.
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
      request.on('error', () => {}) // without a listener, a later error would end the process
      reject(cutShort(cause))
    }
    const close = () => fail(new Error('the connection was closed'))
    request.on('data', take).once('end', end).once('error', fail).once('close', close)
  })
}

/**
 * The client waits for 100 Continue, and the host's `checkContinue` listener keeps node:http from sending it.
 */
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

/**
 * The bytes of a body that a parser has already read: as sent if the parser kept them, otherwise serialized
 * from the parsed JSON. A parser that kept nothing is a fault of the host; a body parsed as anything else is
 * INVALID_REQUEST.
 */
export function unparse({ body, rawBody }: ParsedBody, contentType: string | null): Uint8Array {
  for (const left of [rawBody, body]) if (left instanceof Uint8Array) return left
  if (typeof rawBody === 'string') return Buffer.from(rawBody)
  if (body === undefined)
    throw new Error(
      'The body of a request was read before Foldgate got to it, and nothing is left of it: mount Foldgate before what ' +
        'reads bodies, or keep the body as rawBody of the request',
    )
  if (/[/+]json\b/i.test(contentType ?? '')) return Buffer.from(asJson(body))
  if (typeof body === 'string') return Buffer.from(body)
  throw new AnalyticsError(
    'INVALID_REQUEST',
    'The body is not read as JSON: send "Content-Type: application/json".',
  )
}

function asJson(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    // Parsers of JSON take any depth, but its serializer needs a part of the stack for each level.
    throw new AnalyticsError('INVALID_REQUEST', 'The body is nested too deeply to be read.', { cause })
  }
}
