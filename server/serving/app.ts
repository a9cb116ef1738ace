import type { RequestListener } from 'node:http'
import type { AnalyticsApi, HttpAnswer } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import Koa from 'koa'
import Router from 'koa-router'
import { loggedReason } from '../operation/event-log.js'
import type { Log } from '../operation/log.js'
import { currentTag } from '../operation/requests.js'
import { addPages } from '../pages/index.js'
import type { PageOptions } from '../pages/routing.js'

/**
 * Creates what answers requests: the API methods under `/public/v1/`, and the pages at `/`. Only the pages go through
 * Koa: calls come far more often, and need nothing of it.
 */
export function createApp(api: AnalyticsApi, pages: PageOptions, log: Log): RequestListener {
  const router = new Router()
  addPages(router, pages)
  const app = new Koa()
  const logFailure = (cause: unknown) =>
    log.error({ type: 'request', ...currentTag() }, `request failed: ${loggedReason(cause)}`)
  app.on('error', (error: Error & { headers?: object }, context?: Koa.Context) => {
    // The caller has hung up: nothing to log.
    if (context?.req.socket.destroyed) return
    const tag = currentTag()
    // Koa removes all headers from a failed answer except those in `error.headers`.
    if (tag) error.headers = { ...error.headers, 'X-Request-Id': tag.requestId }
    logFailure(error)
  })
  app.use(router.routes())
  app.use(router.allowedMethods())
  const { adapter } = api
  const answer: typeof adapter.answer = request =>
    adapter.answer(request).catch(cause => {
      logFailure(cause)
      return FAILED
    })
  const answerCall = toNodeHandler({ ...api, adapter: { ...adapter, answer } })
  const answerPage = app.callback()
  return (request, response) => answerCall(request, response, () => void answerPage(request, response))
}

const TEXT = Buffer.from('Internal Server Error')
/** As Koa answers when a page fails. */
const FAILED: HttpAnswer = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(TEXT.byteLength) },
  body: [TEXT],
}
