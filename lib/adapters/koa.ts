import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { AnalyticsApi } from '../api.js'
import type { ParsedBody } from '../http/parsed.js'
import { answerTo, pathOf } from './node.js'

/** As much of a Koa context as the middleware needs. */
export interface KoaContext {
  /** As it was sent, whatever a mount has taken off it. */
  originalUrl: string
  status: number
  body: unknown
  /** A body parser leaves here what it has read. */
  request: object
  req: IncomingMessage
  res: ServerResponse
  set(headers: Record<string, string>): void
}

/**
 * Koa middleware: answers the paths of the API and passes everything else on. Of a body that was read before, what its
 * parser left on the request is taken.
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
