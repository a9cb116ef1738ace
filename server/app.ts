import { type AnalyticsApi, toKoaMiddleware } from 'foldgate'
import Koa from 'koa'
import Router from 'koa-router'
import { logLine, reasonOf } from './events.js'
import type { PageOptions } from './pages/exchange.js'
import { addPages } from './pages/index.js'

/** The Koa application: the methods under `/public/v1/`, pages at `/`, and `/live` for whoever watches the process. */
export function createApp(api: AnalyticsApi, pages: PageOptions): Koa {
  const router = new Router()
  addPages(router, pages)
  router.get('/live', context => {
    context.set('Cache-Control', 'no-store')
    context.body = { status: 'live' }
  })
  const app = new Koa()
  app.on('error', (error: unknown, context?: Koa.Context) => {
    // That a caller has hung up is no news.
    if (!context?.req.socket.destroyed) logLine(`request failed: ${reasonOf(error)}`)
  })
  app.use(toKoaMiddleware(api))
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}
