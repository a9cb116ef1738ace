import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { AnalyticsApi } from '../api.js'
import type { ParsedBody } from '../http/parsed.js'
import { answerTo, pathOf } from './node-exchange.js'

/** As much of a Koa context as the middleware needs. */
export interface KoaContext {
  /** As it was sent, whatever a mount has taken off it. */
  originalUrl: string
  /** HTTP status of the answer. */
  status: number
  /** Body of the answer: bytes, or a stream that Koa pipes. */
  body: unknown
  /** A body parser leaves here what it has read. */
  request: object
  /** Node's request. */
  req: IncomingMessage
  /** Node's response. */
  res: ServerResponse
  /** Sets headers of the answer. */
  set(headers: Record<string, string>): void
}

/**
 * Koa middleware: answers the paths of the API and passes everything else on. Of a body that was read before, what its
 * parser left on the request is taken. It throws nothing: every failure is an answer, but for a client that has left.
 *
 * @example
 * ```ts
 * const app = new Koa()
 * app.use(toKoaMiddleware(api)) // before whatever reads bodies
 * ```
 */
export function toKoaMiddleware(
  api: AnalyticsApi,
): (context: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  return async (context, next) => {
    const path = pathOf(context.originalUrl)
    if (!api.handles(path)) {
      await next()
      return
    }
    const { status, headers, body } = await answerTo(api, path, context.req, context.res, context.request as ParsedBody)
    context.status = status
    if (body) context.body = body instanceof ReadableStream ? Readable.fromWeb(body as never) : Buffer.concat(body)
    context.set(headers)
  }
}
