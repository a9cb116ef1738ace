import type { AnalyticsApi } from 'foldgate'
import { toKoaMiddleware } from 'foldgate/koa'
import Koa from 'koa'
import Router from 'koa-router'
import { loggedReason } from './events.js'
import type { Log } from './operation/log.js'
import { currentTag } from './operation/requests.js'
import type { PageOptions } from './pages/exchange.js'
import { addPages } from './pages/index.js'

/** The Koa application: the methods under `/public/v1/`, and pages at `/`. */
export function createApp(api: AnalyticsApi, pages: PageOptions, log: Log): Koa {
  const router = new Router()
  addPages(router, pages)
  const app = new Koa()
  app.on('error', (error: Error & { headers?: object }, context?: Koa.Context) => {
    // That a caller has hung up is no news.
    if (context?.req.socket.destroyed) return
    const tag = currentTag()
    // Koa takes every header back from an answer that fails.
    if (tag) error.headers = { ...error.headers, 'X-Request-Id': tag.requestId }
    log.error({ type: 'request', ...tag }, `request failed: ${loggedReason(error)}`)
  })
  app.use(toKoaMiddleware(api))
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}
