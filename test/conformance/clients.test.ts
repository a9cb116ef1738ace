import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SocketHandler, serveWebSocket } from 'foldgate/ws'
import { JSONRPCClient, JSONRPCErrorException, type JSONRPCResponse } from 'json-rpc-2.0'
import { WebSocket, WebSocketServer } from 'ws'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

interface Rows {
  items: Record<string, unknown>[]
}

/** The unmodified client of json-rpc-2.0, on the short transports that its documentation shows. */
describe('a generic JSON-RPC client', () => {
  let service: Service
  const open: (() => void)[] = []
  before(async () => {
    service = await startService()
  })
  afterEach(() => {
    for (const close of open.splice(0)) close()
  })
  after(() => service.close())

  function overHttp(key: string = KEYS.north): JSONRPCClient {
    const client: JSONRPCClient = new JSONRPCClient(async request => {
      const response = await fetch(`${service.url}/public/v1/json-rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify(request),
      })
      if (response.status !== 200) throw new Error(response.statusText)
      client.receive((await response.json()) as JSONRPCResponse)
    })
    return client
  }

  async function overSocket(options: Parameters<typeof serveWebSocket>[2] = {}): Promise<JSONRPCClient> {
    const server: Server = createServer()
    const sockets: SocketHandler = serveWebSocket(service.api, new WebSocketServer({ noServer: true }), options)
    server.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}${service.api.adapter.socketPath}`
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${KEYS.north}` } })
    await once(socket, 'open')
    const client = new JSONRPCClient(async request => socket.send(JSON.stringify(request)))
    socket.on('message', data => client.receive(JSON.parse(String(data))))
    open.push(() => {
      socket.terminate()
      server.close()
    })
    return client
  }

  const transports: [string, () => JSONRPCClient | Promise<JSONRPCClient>][] = [
    ['over HTTP', overHttp],
    ['over WebSocket', overSocket],
  ]
  for (const [name, connect] of transports)
    describe(name, () => {
      let client: JSONRPCClient
      beforeEach(async () => {
        client = await connect()
      })

      it('gets the result of a call', async () => {
        const rows: Rows = await client.request('projects/query', { projectId: PROJECT, sql: 'SELECT 6 * 7 AS n' })
        assert.deepEqual(rows, { items: [{ n: 42 }] })
      })

      it('calls without params', async () => {
        const list: Rows = await client.request('projects/list', undefined)
        assert.equal(list.items.length, 2)
      })

      it('gets a failure as an exception with code, message and data', async () => {
        const failed = client.request('projects/query', { projectId: PROJECT, sql: 'SELECT nope', limit: 1 })
        await assert.rejects(Promise.resolve(failed), (error: unknown) => {
          assert.ok(error instanceof JSONRPCErrorException)
          assert.equal(error.code, 1422)
          assert.match(error.message, /nope/)
          assert.equal(error.data.class, 'INVALID_QUERY')
          assert.equal(error.data.detail.line, 1)
          assert.equal(error.data.detail.warnings[0].path, 'limit')
          return true
        })
      })

      it('sees warnings when it asks for the whole answer', async () => {
        const params = { page: { limit: 1, offset: 3 } }
        const answer = await client.requestAdvanced({ jsonrpc: '2.0', id: 'mine', method: 'projects/list', params })
        const { id, result, warnings } = answer as typeof answer & { warnings: { path: string }[] }
        assert.equal(id, 'mine')
        assert.equal(result.items.length, 1)
        assert.deepEqual(
          warnings.map(warning => warning.path),
          ['page.offset'],
        )
      })

      it('discovers the methods', async () => {
        const { openrpc } = await client.request('rpc.discover', undefined)
        assert.equal(openrpc, '1.3.2')
      })

      it('gets an answer within a timeout of its own', async () => {
        const rows: Rows = await client.timeout(5_000).request('projects/list', { page: { limit: 1 } })
        assert.equal(rows.items.length, 1)
      })
    })

  it('gets UNAUTHENTICATED over HTTP for an unknown key', async () => {
    const failed = overHttp('nobody').request('projects/list', {})
    await assert.rejects(Promise.resolve(failed), { code: 1401, data: { class: 'UNAUTHENTICATED' } })
  })

  it('gets the right answer to each of 20 concurrent calls on one socket', async () => {
    const client = await overSocket({ maxInFlight: 20 })
    // Earlier calls take longer, so answers arrive in another order than the calls.
    const rowsOf = (n: number) => `SELECT ${n} AS n, count(*) AS rows FROM range(${(20 - n) * 2_000_000})`
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n): Promise<Rows> => {
        return client.request('projects/query', { projectId: PROJECT, sql: rowsOf(n) })
      }),
    )
    answers.forEach(({ items }, n) => {
      assert.deepEqual(items, [{ n, rows: (20 - n) * 2_000_000 }])
    })
  })

  it('gets an answer to every call on a socket, even past the cap', async () => {
    const client = await overSocket({ maxInFlight: 4 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n): Promise<unknown> => {
        const params = { projectId: PROJECT, sql: `SELECT ${n} AS n` }
        return client.request('projects/query', params).then(
          rows => rows,
          (error: JSONRPCErrorException) => error.data.class,
        )
      }),
    )
    answers.forEach((answer, n) => {
      assert.deepEqual(answer, n < 4 ? { items: [{ n }] } : 'UNAVAILABLE')
    })
  })
})
