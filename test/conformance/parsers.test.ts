import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express, { type RequestHandler } from 'express'
import fastify from 'fastify'
import type { AdapterApi, AnalyticsApi, HttpAnswer } from 'foldgate'
import { toKoaMiddleware } from 'foldgate/koa'
import { toNodeHandler } from 'foldgate/node'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { KEYS, PROJECT, type Service, sharedService } from '../service/service.js'

const QUERY = '/public/v1/api/projects/query'
const LIST = '/public/v1/api/projects/list'
const JSON_TYPE = 'application/json'

describe('a body that the host has already read', () => {
  let service: Service
  const servers: Server[] = []
  before(async () => {
    service = await sharedService()
  })
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  async function listen(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    servers.push(server)
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const behind = (...handlers: RequestHandler[]) => listen(express().use(...handlers, toNodeHandler(service.api)))
  async function post(url: string, body: string | null, type = JSON_TYPE) {
    const headers = { authorization: `Bearer ${KEYS.north}`, ...(type ? { 'content-type': type } : {}) }
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) })
    const answer = (await response.json()) as { class?: string; message?: string; result?: { items: unknown[] } }
    return { status: response.status, ...answer }
  }
  const query = (sql: string) => JSON.stringify({ projectId: PROJECT, sql })
  /** The cause of the last fault reported to the host. */
  const fault = () => {
    const told = service.events.findLast(event => event.type === 'fault')
    return String(told?.type === 'fault' && told.cause)
  }

  it('is serialized again from what express.json() parsed', async () => {
    const url = await behind(express.json())
    assert.deepEqual((await post(url + QUERY, query("SELECT 'größe' AS s"))).result, { items: [{ s: 'größe' }] })
    assert.equal((await post(url + QUERY, '{}')).class, 'INVALID_PARAMS')
  })

  it('is taken from what koa-bodyparser kept', async () => {
    const app = new Koa().use(bodyParser()).use(toKoaMiddleware(service.api))
    const url = await listen(app.callback())
    assert.deepEqual((await post(url + QUERY, query('SELECT 1 AS n'))).result, { items: [{ n: 1 }] })
    assert.equal((await post(url + LIST, '[]')).class, 'INVALID_PARAMS')
  })

  it('is taken unchanged from raw and text parsers, even if it is not JSON', async () => {
    for (const parser of [express.raw({ type: '*/*' }), express.text({ type: '*/*' })]) {
      const url = await behind(parser)
      for (const type of ['text/plain', 'image/png']) {
        assert.equal((await post(url + LIST, '{}', type)).status, 200)
        assert.equal((await post(url + LIST, '{"broken', type)).class, 'PARSE_ERROR')
      }
    }
  })

  it('is read by the API when the parser skips its content type', async () => {
    const url = await behind(express.json())
    assert.equal((await post(url + LIST, '{"broken', 'image/png')).class, 'PARSE_ERROR')
    assert.equal((await post(url + LIST, null, '')).status, 200)
  })

  it('is refused when a parser decoded it as something else', async () => {
    const url = await behind(express.urlencoded())
    const answer = await post(url + QUERY, query('SELECT 1'), 'application/x-www-form-urlencoded')
    assert.equal(answer.class, 'INVALID_REQUEST')
    assert.match(answer.message ?? '', /Content-Type: application\/json/)
  })

  it('is refused when it exceeds the size limit', async () => {
    const url = await behind(express.json({ limit: '4mb' }))
    const large = JSON.stringify({ x: 'x'.repeat(1024 * 1024) })
    assert.equal((await post(url + LIST, large)).class, 'INVALID_REQUEST')
    const chunked = await fetch(url + LIST, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.north}`, 'content-type': JSON_TYPE },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit)
    assert.equal(chunked.status, 400)
  })

  const read: RequestHandler = (request, _, next) => void request.resume().once('end', () => next())
  const readPart: RequestHandler = (request, _, next) => {
    request.once('data', () => {
      request.pause()
      next()
    })
  }

  it('is empty if none was sent', async () => {
    const url = await behind(read)
    assert.equal((await post(url + LIST, '')).status, 200)
    assert.equal((await post(url + LIST, null, '')).status, 200)
  })

  it('is a fault of the host, reported at once, if nothing is left of it', async () => {
    for (const reader of [read, readPart]) {
      const answer = await post((await behind(reader)) + LIST, '{"page":{"limit":1}}')
      assert.deepEqual([answer.status, answer.class], [500, 'INTERNAL'])
      assert.match(fault(), /mount Foldgate before what reads bodies/)
    }
    const app = fastify()
    const handle = toNodeHandler(service.api)
    app.all('/*', (request, reply) => {
      reply.hijack()
      handle(request.raw, reply.raw)
    })
    await app.ready()
    const url = await listen((request, response) => app.routing(request, response))
    assert.equal((await post(url + LIST, '{}')).class, 'INTERNAL')
    const answer = await post(`${url}/public/v1/json-rpc`, '{}')
    assert.deepEqual([answer.status, (answer as { error?: { code: number } }).error?.code], [200, -32603])
    await app.close()
  })

  it('is a fault of the host in a web Request too, unless only a clone was read', async () => {
    const make = () => {
      const headers = { authorization: `Bearer ${KEYS.north}` }
      return new Request(service.url + LIST, { method: 'POST', headers, body: '{"page":{"limit":1}}' })
    }
    const read = make()
    await read.json()
    assert.equal((await service.api.fetch(read)).status, 500)
    assert.match(fault(), /hand over a clone/)
    const request = make()
    await request.clone().json()
    const answer = (await (await service.api.fetch(request)).json()) as { result: { items: unknown[] } }
    assert.equal(answer.result.items.length, 1)
  })
})

describe('a client that disconnects before its request reaches the API', () => {
  it('does not keep its call waiting', async () => {
    const { api } = await sharedService()
    let watched: AnalyticsApi = api
    const answered = new Promise<HttpAnswer>((resolve, reject) => {
      const answer: AdapterApi['answer'] = async request => {
        const given = api.adapter.answer(request)
        given.then(resolve, reject)
        return given
      }
      watched = { ...api, adapter: { ...api.adapter, answer } }
    })
    const handle = toNodeHandler(watched)
    const server = createServer((request, response) => {
      response.once('close', () => setImmediate(() => handle(request, response)))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      const head = `POST ${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEYS.north}\r\nContent-Length: 9\r\n\r\n{`
      socket.write(head, () => socket.destroy())
      assert.equal((await answered).status, 503)
    } finally {
      server.close()
    }
  })
})
