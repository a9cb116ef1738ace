import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { AnalyticsApi } from 'foldgate'
import * as express from '../../../examples/express.js'
import * as fastify from '../../../examples/fastify.js'
import * as fetching from '../../../examples/fetch.js'
import * as koa from '../../../examples/koa.js'
import * as nest from '../../../examples/nest.js'
import * as nodeHttp from '../../../examples/node-http.js'
import { behindExpressParser, behindFastifyParser, behindKoaParser } from '../../../examples/parsers.js'
import * as websocket from '../../../examples/websocket.js'
import type { Host, Mount } from '../../service/mount.js'

/** The prefix at which the examples mount the API. */
const prefix = '/analytics'

type CreateApi = typeof express.createApi

/** The example hosts, each with its own ports and its way to mount the API. */
export const EXAMPLES: Record<string, { createApi: CreateApi; mount: Mount }> = {
  'node-http.ts': { createApi: nodeHttp.createApi, mount: { prefix, host: api => ofServer(nodeHttp.createHost(api)) } },
  'express.ts': {
    createApi: express.createApi,
    mount: { prefix, host: api => ({ request: express.createHost(api) }) },
  },
  'fastify.ts': { createApi: fastify.createApi, mount: { prefix, host: api => ofFastify(fastify.createHost(api)) } },
  'koa.ts': { createApi: koa.createApi, mount: { prefix, host: api => ({ request: koa.createHost(api).callback() }) } },
  'nest.ts': { createApi: nest.createApi, mount: { prefix, host: api => ofNest(nest.createHost(api)) } },
  'websocket.ts': { createApi: websocket.createApi, mount: { prefix, host: ofSockets } },
  'fetch.ts': {
    createApi: fetching.createApi,
    mount: { prefix, host: api => ({ request: getRequestListener(fetching.createHost(api)) }) },
  },
}

/** Mounts behind a parser that reads every body first. */
export const PARSERS: Record<string, Mount> = {
  'express.json()': { prefix, host: api => ({ request: behindExpressParser(api).set('env', 'test') }) },
  "Fastify's own parsers": { prefix, host: api => ofFastify(behindFastifyParser(api)) },
  'koa-bodyparser': { prefix, host: api => ({ request: quiet(behindKoaParser(api)).callback() }) },
}

/** Otherwise Koa logs the parser's refusals to standard error. */
function quiet(app: ReturnType<typeof behindKoaParser>) {
  app.silent = true
  return app
}

function ofServer(server: ReturnType<typeof nodeHttp.createHost>): Host {
  return { request: (request, response) => void server.emit('request', request, response) }
}

function ofSockets(api: AnalyticsApi): Host {
  const { server, close } = websocket.createHost(api)
  return {
    ...ofServer(server),
    upgrade: (request, socket, head) => void server.emit('upgrade', request, socket, head),
    close,
  }
}

async function ofFastify(app: ReturnType<typeof fastify.createHost>): Promise<Host> {
  await app.ready()
  const request: RequestListener = (incoming, response) => app.routing(incoming, response)
  return { request, close: async () => void (await app.close()) }
}

async function ofNest(creating: ReturnType<typeof nest.createHost>): Promise<Host> {
  const app = await creating
  await app.init()
  return { request: app.getHttpAdapter().getInstance(), close: () => app.close() }
}
