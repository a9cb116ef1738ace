import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AnalyticsApi } from 'foldgate'
import catalogue from '#assessed/catalogue.js'
import type { Store } from '#server/database/store.js'
import { tagged, tagOf } from '#server/operation/requests.js'
import { createApp } from '#server/serving/app.js'
import { wordsOf } from '#server/settings/words.js'

describe('a request that fails', () => {
  const written: { requestId: string; msg: string }[] = []
  const write = (fields: object, msg: string) => void written.push({ ...(fields as { requestId: string }), msg })
  const log = { info: write, warn: write, error: write }
  let server: Server

  before(async () => {
    const answer = () => Promise.reject(new Error('broken'))
    const api = { handles: (path: string) => path === '/call', adapter: { answer }, limits: { stallTimeoutMs: 60_000 } }
    const store = { clock: Date, db: { selectFrom: () => assert.fail('broken') } } as unknown as Store
    const pages = { store, baseUrl: 'http://localhost', proxies: 0, words: wordsOf(catalogue) }
    const app = createApp(api as unknown as AnalyticsApi, pages, log)
    server = createServer((request, response) => {
      const tag = tagOf(request, 1)
      response.setHeader('X-Request-Id', tag.requestId)
      tagged(tag, () => app(request, response))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })

  beforeEach(() => void written.splice(0))

  after(() => {
    server.closeAllConnections()
    server.close()
  })

  for (const [what, path] of [
    ['a call', '/call'],
    ['a page', '/'],
  ])
    it(`is logged with the id of its answer: ${what}`, async () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
      const response = await fetch(url, { headers: { 'X-Request-Id': 'mine' } })
      assert.deepEqual([response.status, response.headers.get('x-request-id')], [500, 'mine'])
      assert.deepEqual(await response.text(), 'Internal Server Error')
      assert.deepEqual([written[0]?.requestId, written[0]?.msg], ['mine', 'request failed: broken'])
    })
})
