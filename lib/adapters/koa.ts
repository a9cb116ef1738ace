import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { AnalyticsApi } from '../api.js'
import { answerTo } from './node.js'

/** As much of a Koa context as the middleware needs. */
export interface KoaContext {
  path: string
  status: number
  body: unknown
  req: IncomingMessage
  res: ServerResponse
  set(headers: Record<string, string>): void
}

/** Koa middleware: answers the paths of the API and passes everything else on. */
export function toKoaMiddleware(
  api: AnalyticsApi,
): (context: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  return async (context, next) => {
    if (!api.handles(context.path)) {
      await next()
      return
    }
    const { status, headers, body } = await answerTo(api, context.req, context.res)
    context.status = status
    if (body) context.body = body instanceof ReadableStream ? Readable.fromWeb(body as never) : Buffer.concat(body)
    context.set(headers)
  }
}
