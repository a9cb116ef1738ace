import type { AnalyticsApi } from 'foldgate'
import { toKoaMiddleware } from 'foldgate/koa'
import Koa from 'koa'
import Router from 'koa-router'
import { addQueryPage } from '../explore/routes.js'
import { loggedReason } from '../operation/event-log.js'
import type { Log } from '../operation/log.js'
import { currentTag } from '../operation/requests.js'
import { addPages } from '../pages/index.js'
import type { PageOptions } from '../pages/routing.js'

/** Creates the Koa application: the API methods under `/public/v1/`, and the pages at `/`. */
export function createApp(api: AnalyticsApi, pages: PageOptions, log: Log): Koa {
  const router = new Router()
  addQueryPage(addPages(router, pages), pages)
  const app = new Koa()
  app.on('error', (error: Error & { headers?: object }, context?: Koa.Context) => {
    // The caller has hung up: nothing to log.
    if (context?.req.socket.destroyed) return
    const tag = currentTag()
    // Koa removes all headers from a failed answer except those in `error.headers`.
    if (tag) error.headers = { ...error.headers, 'X-Request-Id': tag.requestId }
    log.error({ type: 'request', ...tag }, `request failed: ${loggedReason(error)}`)
  })
  app.use(toKoaMiddleware(api))
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}
