import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { bareMount, type Mount } from '../../service/mount.js'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { until } from '../../until.js'
import { EXAMPLES } from '../mounts/hosts.js'

const MIB = 1024 ** 2
const STALL_MS = 2_500
let asked = 0
/** Params for a page of `mib` MiB that is not cached. */
const largePage = (mib = 4) => ({
  projectId: PROJECT,
  sql: `SELECT repeat('x', ${2075 * mib}) AS s FROM range(500) -- ${++asked}`,
  page: { limit: 500 },
})

/** Sends a query on a new connection and never reads the answer. */
async function askAndLeaveUnread(service: Service, params: object): Promise<Socket> {
  const { hostname, port, pathname } = new URL(`${service.url}/public/v1/api/projects/query`)
  const body = JSON.stringify(params)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}) // the service cuts it off
  await once(socket, 'connect')
  const head = [`POST ${pathname} HTTP/1.1`, `host: ${hostname}`, `authorization: Bearer ${KEYS.north}`]
  socket.write(`${[...head, `content-length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`)
  socket.pause()
  return socket
}

const connectionsOf = (service: Service) =>
  new Promise<number>((resolve, reject) =>
    service.server.getConnections((cause, count) => (cause ? reject(cause) : resolve(count))),
  )

const list = (service: Service, key = KEYS.north) => service.call('projects/list', {}, key)

const MOUNTS: [string, Mount][] = [['toNodeHandler', bareMount]]
for (const [name, { mount }] of Object.entries(EXAMPLES)) MOUNTS.push([name, mount])

/** More than what the system buffers per connection, which newer kernels let grow to a page of the default size. */
const PAGE_MIB = 8

for (const [name, mount] of MOUNTS) {
  describe(`unread answers: ${name}`, () => {
    let service: Service
    before(async () => {
      const unsent = { ownerUnsentBytes: 2.25 * PAGE_MIB * MIB, unsentBytes: 16 * PAGE_MIB * MIB }
      const limits = { ...unsent, pageBytes: PAGE_MIB * MIB, stallTimeoutMs: STALL_MS }
      service = await startService({ mount, limits })
    })
    after(() => service.close())

    it('are bounded per owner, and are cut off if the caller reads nothing', async () => {
      const sockets = await Promise.all(
        Array.from({ length: 6 }, () => askAndLeaveUnread(service, largePage(PAGE_MIB))),
      )
      const { headers, body } = await until(async () => {
        const answer = await service.call('projects/query', largePage(PAGE_MIB))
        return answer.status === 503 && answer
      }, 'UNAVAILABLE for their owner')
      assert.equal(body.class, 'UNAVAILABLE')
      assert.match(headers.get('retry-after') ?? '', /^\d+$/)
      assert.equal((await list(service, KEYS.south)).status, 200)
      assert.equal((await list(service)).status, 200, 'there is room for small answers')
      await until(async () => (await service.call('projects/query', largePage(PAGE_MIB))).status === 200, 'a cut-off')
      const outcomes = service.events.filter(event => event.type === 'call' && event.method === 'projects/query')
      assert.deepEqual(
        [...new Set(outcomes.map(event => event.type === 'call' && event.outcome))].sort(),
        ['OK', 'UNAVAILABLE'],
        'some were answered, and others were refused',
      )
      for (const socket of sockets) socket.destroy()
    }).timeout(30_000)

    it('are not cut off while the caller reads, however slowly', async () => {
      const socket = await askAndLeaveUnread(service, largePage(PAGE_MIB))
      const chunks: Buffer[] = []
      const startedAt = performance.now()
      const isWhole = () => {
        const text = Buffer.concat(chunks)
        const end = text.indexOf('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(text.subarray(0, Math.max(0, end)).toString())?.[1])
        return end > 0 && text.length === end + 4 + length
      }
      while (performance.now() - startedAt < 1.5 * STALL_MS) {
        const chunk = socket.read(64 * 1024) as Buffer | null
        if (chunk) chunks.push(chunk)
        await delay(60)
      }
      socket.on('data', chunk => chunks.push(chunk))
      socket.resume()
      await until(isWhole, 'the whole answer')
      socket.destroy()
    }).timeout(30_000)
  })
}

describe('a key that requests much and reads nothing', () => {
  it('takes little memory of the host, over any number of connections', async () => {
    const service = await startService({ limits: { stallTimeoutMs: 60_000 } })
    try {
      assert.equal((await service.call('projects/query', largePage())).status, 200)
      global.gc?.()
      const before = process.memoryUsage().rss
      const sockets: Socket[] = []
      const answered = () => service.events.filter(({ type }) => type === 'call').length
      for (let count = 1; count <= 300; count++) {
        sockets.push(await askAndLeaveUnread(service, largePage()))
        await until(() => answered() > count, 'the call is answered')
      }
      const grown = (process.memoryUsage().rss - before) / MIB
      assert.ok(grown < 300, `${grown.toFixed(0)} MiB more than before`)
      for (const socket of sockets) socket.destroy()
      await until(async () => (await connectionsOf(service)) === 0, 'the connections are closed')
      assert.equal((await list(service)).status, 200)
    } finally {
      await service.close()
    }
  }).timeout(120_000)

  it('is bounded over sockets too, and sockets that are not read are cut off', async () => {
    const limits = { ownerUnsentBytes: 20 * MIB, stallTimeoutMs: STALL_MS }
    const service = await startService({ limits })
    const sockets = serveWebSocket(service.api, new WebSocketServer({ noServer: true }), { maxSocketsPerOwner: 4 })
    service.server.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head))
    const headers = { authorization: `Bearer ${KEYS.north}` }
    const open = () => new WebSocket(`${service.url.replace('http', 'ws')}/public/v1/ws`, { headers })
    const ask = (socket: WebSocket, id: number, method: string, params: object) =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    try {
      const unread: WebSocket[] = []
      for (let count = 0; count < 3; count++) {
        const socket = open()
        await once(socket, 'open')
        socket.pause()
        for (let id = 0; id < 16; id++) ask(socket, id, 'projects/query', largePage())
        unread.push(socket)
      }
      const reader = open()
      await once(reader, 'open')
      const classes: (string | undefined)[] = []
      reader.on('message', data => classes.push(JSON.parse(String(data)).error?.data.class))
      await until(async () => {
        ask(reader, classes.length, 'projects/query', largePage())
        await once(reader, 'message')
        return classes.includes('UNAVAILABLE')
      }, 'UNAVAILABLE for their owner')
      const fifth = open()
      const [, response] = (await once(fifth, 'unexpected-response')) as [unknown, { statusCode: number }]
      assert.equal(response.statusCode, 503, 'the owner already has four sockets')
      await until(async () => {
        const again = open()
        const [event] = await Promise.race([
          once(again, 'open').then(() => ['open']),
          once(again, 'unexpected-response').then(() => ['refused']),
        ])
        again.terminate()
        return event === 'open'
      }, 'unread sockets are cut off, and there is room for another one')
      for (const socket of [...unread, reader]) socket.terminate()
    } finally {
      await sockets.close(0)
      await service.close()
    }
  }).timeout(60_000)

  it('is warned about the first 500 unread fields, and told the number of the others', async () => {
    const service = await startService()
    try {
      const fields = Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`f${n}`, 1]))
      const response = await fetch(`${service.url}/public/v1/api/projects/list`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEYS.north}` },
        body: JSON.stringify({ ...fields, ['n'.repeat(9_000)]: 1 }),
      })
      const text = await response.text()
      assert.equal(response.status, 200, text.slice(0, 200))
      const { warnings } = JSON.parse(text) as { warnings: { path: string; message: string }[] }
      assert.equal(warnings.length, 500)
      assert.deepEqual(warnings[0], { path: 'f0', message: 'The method does not read this field.' })
      assert.deepEqual(warnings.at(-1), {
        path: 'f499',
        message: 'The method does not read this field, nor 89501 more.',
      })
      assert.ok(text.length < 64 * 1024, `${text.length} bytes`)
    } finally {
      await service.close()
    }
  })
})
