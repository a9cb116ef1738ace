import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { mcpEndpoint } from 'foldgate/mcp'
import { toNodeHandler } from 'foldgate/node'
import { serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { until } from '../../until.js'

const MIB = 1024 ** 2
const MCP = '/public/v1/mcp'
const RPC = '/public/v1/json-rpc'
const LIST = '/public/v1/api/projects/list'
const QUERY = '/public/v1/api/projects/query'
const MARK = '\ufeff'

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
const listing = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'projects_list' } })
const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
const batchOf = (length: number) => JSON.stringify(Array.from({ length }, (_, id) => listing(id)))
/** As many values as fit into a body of 1 MiB. */
const VALUES = `${'[],'.repeat(349_000)}[]`
const TOO_MANY = /^Send at most 16 messages/
const TOO_FULL = /^The body has more than [\d]+ values\. Send fewer\.$/

/** What callers send to the server for agents, and how it is refused. */
const TO_AGENTS: [name: string, body: string | Buffer, message: RegExp][] = [
  ['17 calls', batchOf(17), TOO_MANY],
  ['17 calls behind a byte order mark', MARK + batchOf(17), TOO_MANY],
  ['17 calls behind blanks and a byte order mark', `${MARK} \r\n\t${batchOf(17)}`, TOO_MANY],
  ['a batch of values', `[${VALUES}]`, TOO_MANY],
  ['a batch of values behind a byte order mark', `${MARK}[${VALUES}]`, TOO_MANY],
  ['a call with values', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[${VALUES}]}}`, TOO_FULL],
  ['a call and its end', JSON.stringify([listing(7), cancelled]), /^Cancel a request/],
  ['a call and its end behind a byte order mark', MARK + JSON.stringify([listing(7), cancelled]), /^Cancel a request/],
  [
    'a call and its end in the last of two keys',
    JSON.stringify([listing(7), cancelled]).replace('"method":"not', '"method":"ping","method":"not'),
    /^Cancel a request/,
  ],
  ['two calls with one id', JSON.stringify([listing(7), listing(7)]), /"id" of its own/],
]

describe('bodies made to be read in two ways, or to take much memory', () => {
  let service: Service
  let server: Server
  before(async () => {
    service = await startService({ mcp: mcpEndpoint() })
    server = createServer(toNodeHandler(service.api)).listen(0, '127.0.0.1')
    const sockets = serveWebSocket(service.api, new WebSocketServer({ noServer: true }))
    server.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head))
    await once(server, 'listening')
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await service.close()
  })

  const port = () => (server.address() as AddressInfo).port
  /** Sends bytes as they are over a socket of their own. */
  async function send(path: string, body: string | Buffer, key = KEYS.north) {
    const socket = connect(port(), '127.0.0.1')
    const fields = {
      host: 'localhost',
      connection: 'close',
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n`)
    socket.write(body)
    const parts: Buffer[] = []
    for await (const part of socket) parts.push(part)
    const [start = '', text = ''] = Buffer.concat(parts).toString().split('\r\n\r\n')
    return {
      status: Number(start.split(' ')[1]),
      text,
      json: () => JSON.parse(text.replace(/^[\da-f]+\r\n|\r\n0$/g, '')),
    }
  }
  const neighbour = () => send(LIST, '{}', KEYS.south)

  for (const [name, body, message] of TO_AGENTS)
    it(`are refused before any of it runs: ${name}`, async () => {
      const ran = service.usage.length
      const [answer, other] = await Promise.all([send(MCP, body), neighbour()])
      assert.deepEqual([answer.status, answer.json().class], [400, 'INVALID_REQUEST'])
      assert.match(answer.json().message, message)
      assert.equal(other.status, 200)
      assert.equal(service.usage.length, ran + 1, 'nothing but the call of the neighbour ran')
    })

  it('are no JSON in another encoding, and only 16 messages run of 16', async () => {
    for (const body of [
      Buffer.from(batchOf(2), 'utf16le'),
      Buffer.from('"\xff"', 'latin1'),
      '',
      '[]]',
      `${MARK}${MARK}{}`,
    ]) {
      const { status, json } = await send(MCP, body)
      assert.deepEqual([status, json().error.code], [400, -32700])
    }
    const { status, json } = await send(MCP, MARK + batchOf(16))
    assert.deepEqual([status, json().length], [200, 16])
    assert.deepEqual((await send(MCP, MARK + JSON.stringify(ping(1)))).json(), { jsonrpc: '2.0', id: 1, result: {} })
  })

  it('take a unit of a quota, even if they only seem to call a tool', async () => {
    const own = await startService({ mcp: mcpEndpoint() })
    const request = (body: object) =>
      own.api.fetch(
        new Request(`${own.url}${MCP}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${KEYS.north}`,
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
          },
          body: JSON.stringify(body),
        }),
      )
    try {
      const { id: _, ...notified } = listing(0)
      for (let sent = 0; (await request(notified)).status !== 429; sent++)
        assert.ok(sent <= 600, `${sent} notifications`)
      const wrong = { ...listing(1), params: { name: 'projects_list', arguments: 'x' } }
      assert.equal((await request(wrong)).status, 429)
      assert.equal((await request(listing(1))).status, 200, 'calls of tools have their own quota')
      assert.equal(own.usage.length, 1)
    } finally {
      await own.close()
    }
  }).timeout(60_000)

  it('are counted before they are parsed, at every entry point, while a neighbour is answered', async () => {
    const bodies: [path: string, body: string][] = [
      [MCP, `${MARK}[${VALUES}]`],
      [RPC, `[${VALUES}]`],
      [RPC, `{"jsonrpc":"2.0","id":1,"method":"projects/list","params":{"x":[${VALUES}]}}`],
      [LIST, `{"x":[${VALUES}]}`],
      [LIST, `[${VALUES}]`],
    ]
    for (const [path, body] of bodies) {
      const attacks = Array.from({ length: 20 }, () => send(path, body))
      const others = Array.from({ length: 5 }, neighbour)
      for (const { status } of await Promise.all(others)) assert.equal(status, 200)
      for (const { text } of await Promise.all(attacks)) assert.match(text, /INVALID_REQUEST|INVALID_PARAMS/)
    }
    const socket = new WebSocket(`ws://127.0.0.1:${port()}/public/v1/ws`, {
      headers: { authorization: `Bearer ${KEYS.north}` },
    })
    await once(socket, 'open')
    for (const message of [`[${VALUES}]`, `{"x":[${VALUES}]}`, `${MARK}${batchOf(17)}`]) {
      socket.send(message)
      const [answer] = (await once(socket, 'message')) as [Buffer]
      assert.match(answer.toString(), /INVALID_REQUEST/)
      assert.equal((await neighbour()).status, 200)
    }
    socket.terminate()
  }).timeout(60_000)

  it('are not kept in memory while their calls wait, apart from what a method reads', async () => {
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    const { projectPort } = service.host
    const { find } = projectPort
    let waiting = 0
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    projectPort.find = async (...given) => {
      waiting += 1
      await released
      return find(...given)
    }
    try {
      const junk = `"x":[${Array.from({ length: 45_000 }, (_, n) => `{"k":${n}}`)}]`
      const params = `{"projectId":"${PROJECT}","sql":"SELECT 1 AS n",${junk}}`
      const message = `{"jsonrpc":"2.0","id":1,"method":"projects/query","params":${params}}`
      gc()
      const before = process.memoryUsage().heapUsed
      const calls = Array.from({ length: 30 }, (_, index) => (index % 2 ? send(QUERY, params) : send(RPC, message)))
      await until(() => waiting === calls.length, 'all calls wait for their project')
      gc()
      const grown = (process.memoryUsage().heapUsed - before) / MIB
      assert.ok(grown < 30, `${grown.toFixed(0)} MiB more than before`)
      assert.equal((await neighbour()).status, 200)
      release()
      for (const { status } of await Promise.all(calls)) assert.equal(status, 200)
    } finally {
      release()
      projectPort.find = find
    }
  }).timeout(60_000)
})
