import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SocketHandler, serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { until } from '../until.js'

const SLOW = 'SELECT count(*) AS n FROM range(500000000)'
const SLOWER = 'SELECT count(*) AS n FROM range(3000000000)'
const PING_EVERY_MS = 50

describe('a WebSocket while the service shuts down', () => {
  let service: Service
  let server: Server
  let sockets: SocketHandler
  let socket: WebSocket
  before(async () => {
    service = await startService({ engine: { connections: 2 } })
  })
  async function open(options: Parameters<typeof serveWebSocket>[2] = {}): Promise<void> {
    server = createServer()
    sockets = serveWebSocket(service.api, new WebSocketServer({ noServer: true }), options)
    server.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const headers = { authorization: `Bearer ${KEYS.north}` }
    socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/public/v1/ws`, { headers })
    await once(socket, 'open')
  }
  afterEach(() => {
    socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  after(() => service.close())

  const send = (id: number, method: string, params: object = {}) =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: `projects/${method}`, params }))
  const answered = (method: string) => service.usage.filter(record => record.method === `projects/${method}`).length

  it('gets the answers to its calls in flight, and its further messages are ignored', async () => {
    await open()
    const ids: number[] = []
    socket.on('message', data => ids.push((JSON.parse(String(data)) as { id: number }).id))
    send(1, 'query', { projectId: PROJECT, sql: SLOW })
    send(2, 'query', { projectId: PROJECT, sql: `${SLOW} -- once more` })
    await until(() => service.api.stats().busy === 2, 'both queries run')
    const closed = once(socket, 'close')
    const closing = sockets.close()
    await once(socket, 'message')
    send(3, 'describe')
    await closing
    assert.equal((await closed)[0], 1001)
    assert.deepEqual([ids.sort(), answered('describe')], [[1, 2], 0])
  })

  it('is not terminated for missing pongs, which are no longer read', async () => {
    await open({ pingEveryMs: PING_EVERY_MS })
    let pings = 0
    socket.on('ping', () => pings++)
    const answer = once(socket, 'message')
    send(1, 'query', { projectId: PROJECT, sql: SLOWER })
    await until(() => service.api.stats().busy === 1, 'the query runs')
    const closed = once(socket, 'close')
    await sockets.close()
    assert.ok(JSON.parse(String((await answer)[0])).result)
    assert.equal((await closed)[0], 1001)
    assert.ok(pings > 2, `${pings} pings`)
  })

  it('does not delay the end past the grace period if its peer reads nothing', async () => {
    await open()
    const before = answered('query')
    socket.pause()
    const calls = 16
    for (let id = 1; id <= calls; id++)
      send(id, 'query', { projectId: PROJECT, sql: `SELECT repeat(repeat('x', 1000), 2000) AS s, ${id} AS id` })
    await until(() => answered('query') === before + calls, 'all answers are ready')
    const closed = sockets.close(200).then(() => true)
    assert.ok(await until(() => closed, 'the end of the grace period'))
  })
})
