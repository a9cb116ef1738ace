import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type SocketHandler, serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

interface RpcAnswer {
  jsonrpc: string
  id: string | number | null
  result?: { items?: Record<string, unknown>[] }
  error?: { code: number; message: string; data: { class: string; detail?: Record<string, unknown> } }
}

interface ErrorBody {
  class: string
  data: { reference?: string }
}

const ENDLESS = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'

describe('JSON-RPC over WebSocket', () => {
  let service: Service
  let server: Server
  let sockets: SocketHandler
  let url: string

  async function serve(
    options: Parameters<typeof serveWebSocket>[2] = {},
    own: Parameters<typeof serveWebSocket>[1] = new WebSocketServer({ noServer: true }),
  ) {
    server = createServer()
    sockets = serveWebSocket(service.api, own, options)
    const other = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      if (sockets.upgrade(request, socket, head)) return
      other.handleUpgrade(request, socket, head, peer => peer.send('other'))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  before(async () => {
    service = await startService({
      engine: { connections: 2 },
      limits: { queryTimeoutMs: 20_000, bodyBytes: 64 * 1024 },
    })
  })
  beforeEach(() => serve())
  afterEach(async () => {
    await sockets.close(0)
    server.closeAllConnections()
    server.close()
  })
  after(() => service.close())

  async function open(key = KEYS.north): Promise<WebSocket> {
    const socket = new WebSocket(`${url}/public/v1/ws`, { headers: { authorization: `Bearer ${key}` } })
    await once(socket, 'open')
    return socket
  }
  const message = (id: unknown, method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params })
  async function next(socket: WebSocket): Promise<RpcAnswer> {
    const [data] = await once(socket, 'message')
    return JSON.parse(String(data)) as RpcAnswer
  }
  async function refused(headers: Record<string, string>) {
    const socket = new WebSocket(`${url}/public/v1/ws`, { headers })
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    return { response, body: (await json(response)) as ErrorBody }
  }
  async function ask(socket: WebSocket, text: string | Buffer): Promise<RpcAnswer> {
    const answer = next(socket)
    socket.send(text)
    return answer
  }

  it('refuses a handshake without a valid key with 401 and the error body of REST', async () => {
    for (const headers of [{}, { authorization: 'Bearer nobody' }] as Record<string, string>[]) {
      const { response, body } = await refused(headers)
      assert.equal(response.statusCode, 401)
      assert.equal(response.headers['www-authenticate'], 'Bearer')
      assert.equal(body.class, 'UNAUTHENTICATED')
    }
  })

  it('reports the cause of a failed handshake to the host, and a reference to the caller', async () => {
    const cause = new Error('made without noServer')
    const broken: Parameters<typeof serveWebSocket>[1] = {
      options: {},
      handleUpgrade: () => {
        throw cause
      },
    }
    server.close()
    await serve({}, broken)
    const { response, body } = await refused({ authorization: `Bearer ${KEYS.north}` })
    assert.deepEqual([response.statusCode, body.class], [500, 'INTERNAL'])
    assert.deepEqual(service.events.at(-1), { type: 'fault', reference: body.data.reference, cause })
  })

  it('leaves other paths to the host', async () => {
    const socket = new WebSocket(`${url}/other`)
    const [data] = await once(socket, 'message')
    assert.equal(String(data), 'other')
    socket.terminate()
  })

  it('answers each text frame with its id, as soon as the answer is ready', async () => {
    const socket = await open()
    const answers = new Map<unknown, RpcAnswer>()
    const order: unknown[] = []
    const all = new Promise<void>(resolve => {
      socket.on('message', data => {
        const answer = JSON.parse(String(data)) as RpcAnswer
        answers.set(answer.id, answer)
        order.push(answer.id)
        if (answers.size === 13) resolve()
      })
    })
    socket.send(
      message('slow', 'projects/query', { projectId: PROJECT, sql: 'SELECT count(*) AS n FROM range(1000000000)' }),
    )
    for (let id = 0; id < 12; id++) socket.send(message(id, 'projects/list', { page: { limit: id + 1 } }))
    await all
    assert.equal(order.at(-1), 'slow')
    assert.equal(answers.get(0)?.result?.items?.length, 1)
    assert.equal(answers.get(5)?.result?.items?.length, 2)
    socket.terminate()
  })

  it('answers binary and broken frames with their error class and stays open', async () => {
    const socket = await open()
    const cases: [string | Buffer, string][] = [
      [Buffer.from(message(1, 'projects/list')), 'INVALID_REQUEST'],
      ['{"broken', 'PARSE_ERROR'],
      ['', 'PARSE_ERROR'],
      ['[]', 'INVALID_REQUEST'],
    ]
    for (const [frame, errorClass] of cases) {
      const answer = await ask(socket, frame)
      assert.deepEqual([answer.id, answer.error?.data.class], [null, errorClass])
    }
    assert.ok((await ask(socket, message(1, 'projects/list'))).result)
    socket.terminate()
  })

  it('closes a socket that sends a frame over the cap with 1009', async () => {
    const socket = await open()
    socket.on('error', () => {})
    socket.send('x'.repeat(64 * 1024 + 1))
    const [code] = await once(socket, 'close')
    assert.equal(code, 1009)
  })

  it('checks the key on every call, so a key revoked meanwhile is refused', async () => {
    service.host.callers.set('key-short', { keyId: 'k-short', ownerId: 'ada', organizations: ['north'] })
    const socket = await open('key-short')
    assert.ok((await ask(socket, message(1, 'projects/list'))).result)
    service.host.callers.delete('key-short')
    const answer = await ask(socket, message(2, 'projects/list'))
    assert.deepEqual([answer.id, answer.error?.code, answer.error?.data.class], [2, 1401, 'UNAUTHENTICATED'])
    socket.terminate()
  })

  it('answers calls beyond `maxInFlight` with UNAVAILABLE and their id', async () => {
    await sockets.close(0)
    server.close()
    await serve({ maxInFlight: 2 })
    const socket = await open()
    for (const id of ['a', 'b']) socket.send(message(id, 'projects/query', { projectId: PROJECT, sql: ENDLESS }))
    const answer = await ask(socket, message('c', 'projects/list'))
    assert.deepEqual([answer.id, answer.error?.data.class], ['c', 'UNAVAILABLE'])
    socket.terminate()
    await once(socket, 'close')
  })

  it('cancels the queries of a socket that closes', async () => {
    const socket = await open()
    for (const id of [1, 2]) socket.send(message(id, 'projects/query', { projectId: PROJECT, sql: ENDLESS }))
    await ask(socket, message(3, 'projects/list'))
    socket.terminate()
    const { status } = await service.call('projects/query', { projectId: PROJECT, sql: 'SELECT 2' })
    assert.equal(status, 200)
  })

  it('closes a socket whose peer does not answer pings', async () => {
    await sockets.close(0)
    server.close()
    await serve({ pingEveryMs: 50 })
    const socket = new WebSocket(`${url}/public/v1/ws`, {
      headers: { authorization: `Bearer ${KEYS.north}` },
      autoPong: false,
    })
    const [code] = await once(socket, 'close')
    assert.equal(code, 1006)
  })

  it('finishes calls in flight when the service shuts down, then closes with 1001', async () => {
    const socket = await open()
    const answered = next(socket)
    socket.send(message(1, 'projects/query', { projectId: PROJECT, sql: 'SELECT count(*) AS n FROM range(500000000)' }))
    await service.call('projects/list')
    const closed = once(socket, 'close')
    await sockets.close()
    assert.deepEqual((await answered).result?.items, [{ n: 500_000_000 }])
    assert.equal((await closed)[0], 1001)
  })

  it('stops reading from a peer that does not read', async () => {
    await sockets.close(0)
    server.close()
    await serve({ maxBufferedBytes: 64 * 1024, maxInFlight: 1000 })
    const socket = await open()
    socket.pause()
    const sql = "SELECT repeat(repeat('x', 1000), 1000) AS s"
    const answered = () =>
      service.usage.filter(record => record.method === 'projects/query' && record.bytes > 1_000_000).length
    const before = answered()
    let sent = 0
    let stalled = false
    while (!stalled && sent < 60) {
      socket.send(message(++sent, 'projects/query', { projectId: PROJECT, sql }))
      for (let polls = 0; answered() < before + sent && !stalled; polls++) {
        await service.call('projects/list')
        stalled = polls === 60
      }
    }
    // The operating system buffers some megabytes; after that, the service stops reading from the socket.
    assert.ok(stalled, `${sent} answers of one megabyte were produced for a peer that reads nothing`)
    let seen = 0
    const all = new Promise<void>(resolve => {
      socket.on('message', () => {
        if (++seen === sent) resolve()
      })
    })
    socket.resume()
    await all
    socket.terminate()
  })
})
