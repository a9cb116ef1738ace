import express from 'express'
import fastify from 'fastify'
import type { AnalyticsApi } from 'foldgate'
import { toKoaMiddleware } from 'foldgate/koa'
import { toNodeHandler } from 'foldgate/node'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'

/** Express, where a parser reads every body first: it keeps the bytes, and takes any JSON. */
export function behindExpressParser(api: AnalyticsApi) {
  const app = express()
  const keep = (request: object, _: unknown, rawBody: Buffer) => Object.assign(request, { rawBody })
  app.use(express.json({ verify: keep, strict: false, limit: api.limits.bodyBytes }))
  app.use('/analytics', toNodeHandler(api))
  return app
}

/** Fastify, where the content type has chosen a parser before the route: what the parser made is handed over. */
export function behindFastifyParser(api: AnalyticsApi) {
  const app = fastify({ bodyLimit: api.limits.bodyBytes, onProtoPoisoning: 'ignore' })
  const analytics = toNodeHandler(api)
  app.all('/analytics/public/v1/*', (request, reply) => {
    reply.hijack()
    analytics(Object.assign(request.raw, { body: request.body }), reply.raw)
  })
  return app
}

/** Koa, where a parser reads every body first: koa-bodyparser keeps the text. */
export function behindKoaParser(api: AnalyticsApi) {
  const app = new Koa()
  app.use(bodyParser({ strict: false, jsonLimit: String(api.limits.bodyBytes) }))
  app.use(toKoaMiddleware(api))
  return app
}
