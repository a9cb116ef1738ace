import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { KEYS, type Service, startService } from '../../service/service.js'
import { Judge } from './answers.js'
import { bytesInUse } from './memory.js'
import { foretellRest, foretellRpc } from './oracle.js'
import { changed, damaged, json, request, write } from './requests.js'

const authorization = `Bearer ${KEYS.north}`
const MIB = 1024 * 1024

/** Names of methods, some of which exist. */
const method = fc.oneof(
  fc.constantFrom('projects/list', 'projects/describe', 'projects/query', 'projects/export'),
  fc.constantFrom('projects/list', 'projects/describe', 'projects/drop', 'toString', '__proto__', 'rpc.discover'),
)
const bytes = fc.uint8Array({ maxLength: 60 }).map(array => Buffer.from(array))
const asBytes = (text: fc.Arbitrary<string>) => text.map(one => Buffer.from(one))

/** Bodies for REST: valid, changed, damaged, any JSON, and any bytes. */
const body = fc.oneof(
  { weight: 2, arbitrary: asBytes(request.map(({ params }) => write(params))) },
  { weight: 6, arbitrary: asBytes(changed(request.map(({ params }) => params)).map(write)) },
  { weight: 2, arbitrary: asBytes(damaged(request.map(({ params }) => write(params)))) },
  { weight: 2, arbitrary: asBytes(json.map(write)) },
  { weight: 1, arbitrary: bytes },
)
const restCall = fc.oneof(
  { weight: 3, arbitrary: request.map(one => ({ method: one.method, body: Buffer.from(write(one.params)) })) },
  { weight: 7, arbitrary: fc.record({ method, body }) },
)

/** The same for messages of JSON-RPC. */
const id = fc.oneof(fc.integer(), fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const envelope = fc.tuple(id, request).map(([one, call]) => ({ jsonrpc: '2.0', id: one, ...call }))
const text = fc.oneof(
  { weight: 3, arbitrary: envelope.map(write) },
  { weight: 8, arbitrary: changed(envelope).map(write) },
  { weight: 3, arbitrary: damaged(envelope.map(write)) },
  { weight: 2, arbitrary: json.map(write) },
)
const message = fc.oneof({ weight: 9, arbitrary: asBytes(text) }, { weight: 1, arbitrary: bytes })

describe('generated messages', () => {
  let service: Service
  let judge: Judge
  let server: Server
  let socket: WebSocket
  const faults: unknown[] = []
  before(async () => {
    service = await startService({
      usage: { record: () => {} },
      onEvent: event => {
        if (event.type === 'fault' || event.type === 'dependency') faults.push(event.cause)
      },
    })
    judge = await Judge.of(service)
    server = createServer()
    const sockets = serveWebSocket(service.api, new WebSocketServer({ noServer: true }))
    server.on('upgrade', (upgrade, stream, head) => sockets.upgrade(upgrade, stream, head))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    socket = new WebSocket(`ws://127.0.0.1:${port}${service.api.adapter.socketPath}`, { headers: { authorization } })
    await once(socket, 'open')
  })
  after(async () => {
    socket.terminate()
    server.close()
    await service.close()
  })

  /** Sends this many generated values, one by one. */
  const send = <Value>(count: number, values: fc.Arbitrary<Value>, one: (value: Value) => Promise<void>) =>
    fc.assert(fc.asyncProperty(values, one), { numRuns: count })
  const post = (path: string, content: Buffer) => ({ url: `${service.url}/public/v1/${path}`, method: 'POST', content })

  async function restInProcess(call: { method: string; body: Buffer }): Promise<void> {
    const { url, content } = post(`api/${call.method}`, call.body)
    const init = { method: 'POST', headers: { authorization }, body: content }
    await judge.rest(call.method, await service.api.fetch(new Request(url, init)), foretellRest(call.method, call.body))
  }
  async function rpcInProcess(content: Buffer): Promise<void> {
    const init = { method: 'POST', headers: { authorization }, body: content }
    const response = await service.api.fetch(new Request(`${service.url}/public/v1/json-rpc`, init))
    assert.equal(response.status, 200)
    judge.rpc(await response.text(), content.length === 0 ? foretellRpc(Buffer.from(' ')) : foretellRpc(content))
  }
  async function frameInProcess(frame: string): Promise<void> {
    judge.rpc(await service.api.adapter.receive(frame, { authorization }), foretellRpc(Buffer.from(frame)))
  }

  // After these, everything that is created once exists: modules, processes, caches.
  let usedBefore: number
  it('are answered as predicted: 1500 to warm up', async () => {
    await send(500, restCall, restInProcess)
    await send(500, message, rpcInProcess)
    await send(500, text, frameInProcess)
    usedBefore = bytesInUse()
  })

  it('are answered as predicted: 3000 bodies of REST', () => send(3000, restCall, restInProcess))

  it('are answered as predicted: 2500 bodies of JSON-RPC', () => send(2500, message, rpcInProcess))

  it('are answered as predicted: 2000 frames', () => send(2000, text, frameInProcess))

  it('are answered as predicted: 300 bodies of REST over a socket', () =>
    send(300, restCall, async call => {
      const { url, content } = post(`api/${call.method}`, call.body)
      const response = await fetch(url, { method: 'POST', headers: { authorization }, body: content })
      await judge.rest(call.method, response, foretellRest(call.method, call.body))
    }))

  it('are answered as predicted: 300 bodies of JSON-RPC over a socket', () =>
    send(300, message, async content => {
      const init = { method: 'POST', headers: { authorization }, body: content }
      const response = await fetch(`${service.url}/public/v1/json-rpc`, init)
      judge.rpc(await response.text(), foretellRpc(content))
    }))

  it('are answered as predicted: 400 frames on one WebSocket', () =>
    send(400, text, async frame => {
      const answered = once(socket, 'message')
      socket.send(frame)
      const [data] = await answered
      judge.rpc(String(data), foretellRpc(Buffer.from(frame)))
    }))

  it('cause no faults of the service or of its ports', () => assert.deepEqual(faults, []))

  it('leak no memory', () => {
    const grown = bytesInUse() - usedBefore
    assert.ok(grown < 6 * MIB, `${(grown / MIB).toFixed(1)} MiB more than after the first 1500`)
  })
})
