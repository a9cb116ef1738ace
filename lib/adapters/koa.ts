import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { AnalyticsApi } from '../api.js'
import { fetchFor } from './node.js'

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
    const answered = await fetchFor(api, context.req, context.res)
    context.status = answered.status
    if (answered.body) context.body = Readable.fromWeb(answered.body as never)
    context.set(Object.fromEntries(answered.headers))
  }
}
