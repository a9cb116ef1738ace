import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mcpEndpoint } from 'foldgate/mcp'
import { type SocketHandler, serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

const LONGEST = 'k'.repeat(8192)
const TOO_LONG = `${LONGEST}k`
const TOLD = 'The API key is too long: it has more than 8192 characters.'

describe('a long API key', () => {
  let service: Service
  let sockets: SocketHandler
  let file: string
  before(async () => {
    service = await startService({ mcp: mcpEndpoint() })
    sockets = serveWebSocket(service.api, new WebSocketServer({ noServer: true }))
    service.server.on('upgrade', (request, socket, head) => {
      if (!sockets.upgrade(request, socket, head)) socket.destroy()
    })
    const caller = service.host.callers.get(KEYS.north)
    assert.ok(caller)
    service.host.callers.set(LONGEST, caller)
    const exported = await service.call('projects/export', { projectId: PROJECT, sql: 'SELECT 1 AS one' })
    file = exported.body.result?.url as string
  })
  after(async () => {
    await sockets.close(0)
    await service.close()
  })

  const post = (path: string, body: unknown) => (key: string) =>
    fetch(`${new URL(service.url).origin}/public/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    })
  const rpc = { jsonrpc: '2.0', id: 1, method: 'projects/list', params: {} }
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

  for (const [name, ask] of [
    ['REST', post('api/projects/list', {})],
    ['JSON-RPC', post('json-rpc', rpc)],
    ['MCP', post('mcp', ping)],
    ['a download', (key: string) => fetch(file, { headers: { authorization: `Bearer ${key}` } })],
    [
      'catalogue.json',
      (key: string) =>
        fetch(`${new URL(service.url).origin}/public/v1/catalogue.json`, {
          headers: { authorization: `Bearer ${key}` },
        }),
    ],
  ] as const)
    it(`may have 8 KiB over ${name}, and a longer one is told so`, async () => {
      const longest = await ask(LONGEST)
      assert.equal(longest.status, 200, await longest.clone().text())
      assert.doesNotMatch(await longest.text(), /UNAUTHENTICATED/)
      const refused = await (await ask(TOO_LONG)).text()
      assert.match(refused, /UNAUTHENTICATED/)
      assert.ok(refused.includes(TOLD), refused)
    })

  it('may have 8 KiB in the handshake of a WebSocket, and a longer one is told so', async () => {
    const url = `ws://${new URL(service.url).host}/public/v1/ws`
    const open = (key: string) => new WebSocket(url, { headers: { authorization: `Bearer ${key}` } })
    const socket = open(LONGEST)
    await once(socket, 'open')
    socket.send(JSON.stringify(rpc))
    const [message] = await once(socket, 'message')
    assert.ok(JSON.parse(String(message)).result)
    socket.close()
    const [, response] = await once(open(TOO_LONG), 'unexpected-response')
    assert.equal(response.statusCode, 401)
    let body = ''
    for await (const part of response) body += part
    assert.ok(body.includes(TOLD), body)
  })

  it('is told so in process', async () => {
    const list = (key: string) => service.api.call('projects/list', {}, { authorization: `Bearer ${key}` })
    assert.ok((await list(LONGEST)).result)
    await assert.rejects(list(TOO_LONG), { class: 'UNAUTHENTICATED', message: TOLD })
  })
})
