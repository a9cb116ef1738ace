import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { discoverOAuthProtectedResourceMetadata, extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import express from 'express'
import { createAnalyticsApi } from 'foldgate'
import { toKoaMiddleware } from 'foldgate/koa'
import { mcpEndpoint } from 'foldgate/mcp'
import { toNodeHandler } from 'foldgate/node'
import { serveWebSocket } from 'foldgate/ws'
import Koa from 'koa'
import mount from 'koa-mount'
import { WebSocket, WebSocketServer } from 'ws'
import { bareMount, type Mount } from '../service/mount.js'
import { KEYS, PROJECT, type Service, type ServiceOptions, sharedService, startService } from '../service/service.js'

const ISSUERS = ['https://login.example', 'https://id.example/realms/shop/']
const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const APP = 'https://app.example'

/** A host that forwards the two paths of the API, each below another route of its framework. */
const MOUNTS: Record<string, Mount> = {
  'at the root': bareMount,
  'below a path of Express': {
    prefix: '/analytics',
    host(api) {
      const app = express()
      app.use('/analytics', toNodeHandler(api))
      app.use(WELL_KNOWN, toNodeHandler(api))
      return { request: app }
    },
  },
  'below a path of Koa': {
    prefix: '/an/alytics',
    host(api) {
      const app = new Koa()
      app.use(mount('/an/alytics', toKoaMiddleware(api)))
      app.use(mount(WELL_KNOWN, toKoaMiddleware(api)))
      return { request: app.callback() }
    },
  },
}

/** The answer of each HTTP entry point to a caller with this key, or without any. */
async function askAll({ url, api }: Service, key: string | null, link: string) {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
  const ask = (path: string, init: RequestInit = {}) => fetch(url + path, { headers, ...init })
  const socket = new WebSocket(`ws://${new URL(url).host}${api.adapter.socketPath}`, { headers })
  socket.on('error', () => {})
  const [, refused] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  socket.terminate()
  const own = await api.adapter.answerAs(
    {
      method: 'GET',
      path: '/own',
      header: name => headers[name] ?? null,
      readBody: async () => new Uint8Array(),
      signal: new AbortController().signal,
    },
    'own',
    async () => ({ body: {} }),
  )
  const answers = {
    method: await ask('/public/v1/api/projects/list', { method: 'POST' }),
    verb: await ask('/public/v1/api/projects/list'),
    unknown: await ask('/public/v1/nothing', { method: 'POST' }),
    query: await ask('/public/v1/queries/none', { method: 'POST' }),
    download: await fetch(link, { headers }),
    document: await ask('/public/v1/catalogue.json'),
    'verb of a document': await ask('/public/v1/openapi.json', { method: 'POST' }),
    agents: await ask('/public/v1/mcp', { method: 'POST', body: '{}' }),
    'agents, GET': await ask('/public/v1/mcp'),
  }
  const told = Object.entries(answers).map(
    ([name, { status, headers }]) => [name, status, headers.get('www-authenticate')] as const,
  )
  return [
    ...told,
    ['socket', refused.statusCode, refused.headers['www-authenticate']] as const,
    ['own', own.status, own.headers['www-authenticate']] as const,
  ]
}

async function open(options: ServiceOptions): Promise<{ service: Service; link: string; close(): Promise<void> }> {
  const service = await startService({ mcp: mcpEndpoint(), ...options })
  const sockets = serveWebSocket(service.api, new WebSocketServer({ noServer: true }))
  service.server.on('upgrade', (request, socket, head) => void sockets.upgrade(request, socket, head))
  const exported = await service.call('projects/export', { projectId: PROJECT, sql: 'SELECT 1 AS one' })
  const close = async () => {
    await sockets.close(0)
    await service.close()
  }
  return { service, link: exported.body.result?.url as string, close }
}

for (const [name, at] of Object.entries(MOUNTS))
  describe(`a service that names its authorization servers, ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>
    let service: Service
    let origin: string
    before(async () => {
      opened = await open({ authorizationServers: ISSUERS, cors: { origins: [APP] }, mount: at })
      service = opened.service
      origin = new URL(service.url).origin
    })
    after(() => opened.close())
    const challenge = (path = '') => `Bearer resource_metadata="${origin}${WELL_KNOWN}${at.prefix}${path}"`

    it('names its metadata in every 401 over HTTP', async () => {
      for (const key of [null, 'nobody', 'k'.repeat(8193)])
        for (const [entry, status, told] of await askAll(service, key, opened.link)) {
          assert.equal(status, 401, entry)
          assert.equal(told, challenge(/^agents/.test(entry) ? '/public/v1/mcp' : ''), entry)
        }
    })

    it('names them in no other answer', async () => {
      for (const [path, init] of [
        ['/public/v1/api/projects/list', { method: 'POST', headers: { authorization: `Bearer ${KEYS.north}` } }],
        ['/public/v1/api/nothing', { method: 'POST', headers: { authorization: `Bearer ${KEYS.north}` } }],
        ['/public/v1/json-rpc', { method: 'POST', body: '{}' }],
        ['/public/v1/openapi.json', {}],
      ] as const)
        assert.equal((await fetch(service.url + path, init)).headers.get('www-authenticate'), null, path)
    })

    it('answers with them to anyone, and a cache may keep them', async () => {
      for (const path of ['', '/public/v1/mcp']) {
        assert.ok(service.api.handles(WELL_KNOWN + at.prefix + path))
        const url = origin + WELL_KNOWN + at.prefix + path
        const answer = await fetch(url, { headers: { origin: APP } })
        assert.equal(answer.status, 200)
        assert.deepEqual(await answer.json(), {
          resource: service.url + path,
          authorization_servers: ISSUERS,
          bearer_methods_supported: ['header'],
          resource_name: 'Analytics of projects',
        })
        assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
        assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
        assert.equal(answer.headers.get('access-control-allow-origin'), APP)
        const known = await fetch(url, { headers: { 'if-none-match': answer.headers.get('etag') as string } })
        assert.deepEqual([known.status, await known.text()], [304, ''])
        const head = await fetch(url, { method: 'HEAD' })
        assert.deepEqual([head.status, await head.text()], [200, ''])
        assert.equal((await fetch(`${url}?a=b`)).status, 200)
      }
    })

    it('takes only GET and HEAD there, once the key is valid', async () => {
      const url = origin + WELL_KNOWN + at.prefix
      assert.equal((await fetch(url, { method: 'POST' })).status, 401)
      const posted = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${KEYS.north}` } })
      assert.deepEqual([posted.status, posted.headers.get('allow')], [400, 'GET, HEAD'])
    })

    it('handles no path beside them', () => {
      for (const path of [`${WELL_KNOWN}/other`, `${WELL_KNOWN}${at.prefix}/`, '/.well-known/openid-configuration'])
        assert.ok(!service.api.handles(path), path)
      if (at.prefix) assert.ok(!service.api.handles(WELL_KNOWN))
    })

    it('lets pages of allowed origins read where they are', async () => {
      const answer = await fetch(`${service.url}/public/v1/api/projects/list`, {
        method: 'POST',
        headers: { origin: APP },
      })
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /, WWW-Authenticate$/)
      const preflight = { origin: APP, 'access-control-request-method': 'GET' }
      const asked = await fetch(origin + WELL_KNOWN + at.prefix, { method: 'OPTIONS', headers: preflight })
      assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [204, APP])
    })

    it('is found by the client of agents, from the answer and from the address', async () => {
      const server = `${service.url}/public/v1/mcp`
      const refused = await fetch(server, { method: 'POST', body: '{}' })
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused)
      assert.ok(resourceMetadataUrl)
      for (const given of [{ resourceMetadataUrl }, {}]) {
        const metadata = await discoverOAuthProtectedResourceMetadata(server, given)
        assert.deepEqual([metadata.resource, metadata.authorization_servers], [server, ISSUERS])
      }
    })

    it('describes the header as it is', async () => {
      const { components } = (await (await fetch(`${service.url}/public/v1/openapi.json`)).json()) as {
        components: { headers: Record<string, { schema: { const: string } }> }
      }
      assert.equal(components.headers.WwwAuthenticate?.schema.const, challenge())
    })
  })

describe('a service that names authorization servers', () => {
  it('has no metadata of an endpoint for agents that is not there', async () => {
    const service = await startService({ authorizationServers: ISSUERS })
    try {
      assert.ok(service.api.handles(WELL_KNOWN))
      assert.ok(!service.api.handles(`${WELL_KNOWN}/public/v1/mcp`))
    } finally {
      await service.close()
    }
  })

  it('takes a list of https URLs without query, and starts nothing otherwise', async () => {
    const wrong: unknown[] = [
      'https://login.example',
      [],
      null,
      [null],
      [''],
      ['login.example'],
      ['http://login.example'],
      ['https://'],
      ['https://login.example?a=b'],
      ['https://login.example#a'],
      ['https://ada:secret@login.example'],
      [' https://login.example'],
      ['https://login.example\n'],
      ['https://login.example', 'ftp://login.example'],
    ]
    for (const authorizationServers of wrong)
      assert.throws(
        () =>
          createAnalyticsApi({
            baseUrl: 'https://data.example',
            secrets: ['a secret of the tests, long enough to seal'],
            authorizationServers,
            engine: { open: () => assert.fail('an engine was opened') },
          } as never),
        { name: 'TypeError', message: /^authorizationServers must be a list of issuers, .*, not / },
      )
  })
})

describe('a service that names no authorization servers', () => {
  it('has no metadata, and answers as before', async () => {
    const { api, url } = await sharedService()
    for (const path of [WELL_KNOWN, `${WELL_KNOWN}/public/v1/mcp`]) {
      assert.ok(!api.handles(path))
      assert.equal((await fetch(url + path)).status, 404)
    }
    const refused = await fetch(`${url}/public/v1/api/projects/list`, { method: 'POST' })
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer')
    assert.equal(api.adapter.challenge, 'Bearer')
  })
})
