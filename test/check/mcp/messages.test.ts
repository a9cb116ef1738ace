import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mcpEndpoint } from 'foldgate/mcp'
import { toNodeHandler } from 'foldgate/node'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'

describe('messages to the server for agents', () => {
  let service: Service
  let server: Server
  let url: string
  before(async () => {
    service = await startService({ mcp: mcpEndpoint() })
    server = createServer(toNodeHandler(service.api))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await service.close()
  })

  const send = async (body: unknown, more: Record<string, string> = {}) => {
    const headers = {
      authorization: `Bearer ${KEYS.north}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    }
    const response = await fetch(`${url}/public/v1/mcp`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  }
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })

  it('open no subscription, whose answer would never end', async () => {
    const version = '2026-07-28'
    const method = 'subscriptions/listen'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { _meta, notifications: { toolsListChanged: true } }
    const headers = { 'mcp-protocol-version': version, 'mcp-method': method }
    const { text } = await send({ jsonrpc: '2.0', id: 1, method, params }, headers)
    assert.equal(JSON.parse(text).error.message, 'Subscription limit reached')
  })

  it('cancel no request beside them, whose answer would never come', async () => {
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
    const asked = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'projects_list', arguments: {} } }
    const { status, text } = await send([asked, cancelled])
    assert.deepEqual([status, JSON.parse(text).class], [400, 'INVALID_REQUEST'])
    assert.equal((await send(cancelled)).status, 202)
  })

  it('are answered in JSON to every client that accepts it', async () => {
    for (const accept of ['application/json', '*/*', 'application/*;q=0.5', 'text/event-stream, application/json'])
      for (const method of ['ping', 'tools/list']) {
        const { status, text } = await send({ jsonrpc: '2.0', id: 3, method }, { accept })
        assert.deepEqual([status, JSON.parse(text).id], [200, 3], accept)
      }
    for (const accept of ['text/event-stream', 'text/html', 'application/json;q=0'])
      assert.equal((await send(ping(1), { accept })).status, 406, accept)
  })

  it('have compressed answers where they are long', async () => {
    const headers = {
      authorization: `Bearer ${KEYS.north}`,
      'content-type': 'application/json',
      accept: 'application/json',
    }
    const ask = (coding: string) =>
      fetch(`${url}/public/v1/mcp`, {
        method: 'POST',
        headers: { ...headers, 'accept-encoding': coding },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
    const [plain, small] = [await ask('identity'), await ask('gzip')]
    assert.deepEqual(
      [plain, small].map(each => each.headers.get('content-encoding')),
      [null, 'gzip'],
    )
    assert.equal(small.headers.get('cache-control'), 'no-store')
    assert.ok(Number(small.headers.get('content-length')) * 2 < Number(plain.headers.get('content-length')))
    assert.deepEqual(await small.json(), await plain.json())
  })

  it('say how long the tools and the catalogue may be kept, in the protocol that has it', async () => {
    const version = '2026-07-28'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    for (const [method, params] of [
      ['tools/list', {}],
      ['resources/list', {}],
      ['resources/read', { uri: 'foldgate://catalogue' }],
    ] as const) {
      const name = 'uri' in params ? { 'mcp-name': params.uri } : {}
      const headers = { 'mcp-protocol-version': version, 'mcp-method': method, ...name }
      const { text } = await send({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers)
      const { ttlMs, cacheScope } = JSON.parse(text).result
      assert.deepEqual([ttlMs, cacheScope], [300_000, 'private'], method)
    }
  })

  it('take a unit of quota when the params of a tool are wrong, and count when there is no such tool', async () => {
    const used = service.usage.length
    const call = (name: string, args: object) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    })
    const { text } = await send(call('projects_describe', { projectId: PROJECT, relations: 1 }))
    assert.match(text, /INVALID_PARAMS.*relations/)
    assert.equal(service.usage.length, used + 1)
    assert.match((await send(call('nope', {}))).text, /nope/)
    assert.equal(service.usage.length, used + 1)
  })

  it('are not bounded by the quota of a caller, which is for calls', async () => {
    const few = { keyId: 'k-few', ownerId: 'few', organizations: ['north'], quota: 1 }
    service.host.callers.set('key-of-few', few)
    for (const id of [1, 2, 3]) assert.equal((await send(ping(id), { authorization: 'Bearer key-of-few' })).status, 200)
  })

  it('are limited per key and per request', async () => {
    const many = await send(Array.from({ length: 17 }, (_, id) => ping(id)))
    assert.deepEqual([many.status, JSON.parse(many.text).class], [400, 'INVALID_REQUEST'])
    let sent = 0
    const unknown = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nope', arguments: {} } }
    for (let { status } = await send(unknown); status !== 429; { status } = await send(ping(sent))) {
      sent += 1
      assert.ok(sent <= 600, `${sent} messages`)
    }
    const { text } = await send(ping(0))
    assert.equal(JSON.parse(text).class, 'RATE_LIMITED')
  }).timeout(60_000)
})
