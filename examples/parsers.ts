import express from 'express'
import fastify from 'fastify'
import type { AnalyticsApi } from 'foldgate'
import { toKoaMiddleware } from 'foldgate/koa'
import { toNodeHandler } from 'foldgate/node'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'

/**
 * Express behind a parser that reads every body: it keeps the bytes as `rawBody` and accepts any JSON value.
 */
export function behindExpressParser(api: AnalyticsApi) {
  const app = express()
  const keep = (request: object, _: unknown, rawBody: Buffer) => Object.assign(request, { rawBody })
  app.use(express.json({ verify: keep, strict: false, limit: api.limits.bodyBytes }))
  app.use('/analytics', toNodeHandler(api))
  return app
}

/**
 * Fastify with its own parser, which the content type selects before the route runs: the parsed body is
 * passed on.
 */
export function behindFastifyParser(api: AnalyticsApi) {
  const app = fastify({ bodyLimit: api.limits.bodyBytes, onProtoPoisoning: 'ignore' })
  const analytics = toNodeHandler(api)
  app.all('/analytics/public/v1/*', (request, reply) => {
    reply.hijack()
    analytics(Object.assign(request.raw, { body: request.body }), reply.raw)
  })
  return app
}

/** Koa behind koa-bodyparser, which reads every body and keeps the text as `rawBody`. */
export function behindKoaParser(api: AnalyticsApi) {
  const app = new Koa()
  app.use(bodyParser({ strict: false, jsonLimit: String(api.limits.bodyBytes) }))
  app.use(toKoaMiddleware(api))
  return app
}
