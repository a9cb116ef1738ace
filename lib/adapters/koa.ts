/**
 * Mounts the API on Koa.
 *
 * @module foldgate/koa
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { AnalyticsApi } from '../api.js'
import { answerTo, type ParsedBody, pathOf } from './node-exchange.js'

/** The members of a Koa context that the middleware uses. */
interface KoaContext {
  /** URL as sent, including any prefix that a mount has removed from `url`. */
  originalUrl: string
  /** HTTP status of the response. */
  status: number
  /** Body of the response: bytes, or a stream that Koa pipes. */
  body: unknown
  /** Koa's request, on which a body parser stores the body. */
  request: object
  /** Node's request. */
  req: IncomingMessage
  /** Node's response. */
  res: ServerResponse
  /** Sets response headers. */
  set(headers: Record<string, string>): void
}

/**
 * Creates a Koa middleware that answers the paths of the API and calls `next` for all others. If a body parser has
 * already read the body, it takes `rawBody` or `body` from Koa's request.
 *
 * @param api - The API, whose `baseUrl` has the path under which the middleware is reached.
 * @returns The middleware. It rejects only when the client disconnects before the answer is ready; other failures
 * become HTTP responses.
 *
 * @example
 * ```ts
 * const app = new Koa()
 * app.use(toKoaMiddleware(api)) // before any body parser
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
    const { status, headers, body } = await answerTo(
      api,
      path,
      context.req,
      context.res,
      context.request as ParsedBody,
    )
    context.status = status
    if (body)
      context.body = body instanceof ReadableStream ? Readable.fromWeb(body as never) : Buffer.concat(body)
    context.set(headers)
  }
}
