import assert from 'node:assert/strict'
import { EventEmitter, getEventListeners, once } from 'node:events'
import { createServer } from 'node:http'
import { AnalyticsConnectionError } from 'foldgate/client'
import { WebSocket, WebSocketServer } from 'ws'
import { listen, TRANSPORTS } from './front.js'
import { FINE, failing, type Scripted } from './scripted.js'
import { trouble } from './trouble.js'

describe('a failing connection', () => {
  const { service, waitsMs, clientOf } = trouble()

  it('retries a download until its first byte arrives, and not after it', async () => {
    const link = { url: `${service.url}/public/v1/exports/x`, bytes: 4 }
    const cut = {
      send: (response: {
        writeHead(status: number, headers: object): void
        write(text: string, then: () => void): void
        destroy(): void
      }) => {
        response.writeHead(200, { 'content-length': '4' })
        response.write('PA', () => response.destroy())
      },
    }
    service.says(failing('UNAVAILABLE'), cut as never, FINE)
    const { body } = await clientOf().download(link)
    await assert.rejects(new Response(body).arrayBuffer(), (error: Error) => {
      assert.ok(error instanceof AnalyticsConnectionError)
      assert.match(error.message, /broke off after 2 of 4 bytes.*Download it again/)
      return true
    })
    assert.equal(service.asked.length, 2)
    service.says({ body: 'PAR' }, { body: 'PARQ' })
    const short = await clientOf().download(link)
    await assert.rejects(new Response(short.body).arrayBuffer(), /after 3 of 4 bytes/)
    assert.equal(await new Response((await clientOf().download(link.url)).body).text(), 'PARQ')
  })

  it('reports an expired link', async () => {
    service.says(failing('LINK_EXPIRED'), FINE)
    const asked = clientOf().download(`${service.url}/public/v1/exports/x`)
    await assert.rejects(asked, { class: 'LINK_EXPIRED', method: 'download', attempts: 1 })
  })

  it('aborts a download that has begun', async () => {
    const stop = new AbortController()
    let closed = Promise.resolve()
    service.says({
      send(response) {
        closed = new Promise(resolve => response.on('close', resolve))
        response.write('PA')
      },
    })
    const { body } = await clientOf().download(`${service.url}/public/v1/exports/x`, { signal: stop.signal })
    const reader = body.getReader()
    await reader.read()
    stop.abort(new Error('enough'))
    await assert.rejects(reader.read(), /enough/)
    await closed
  })

  it('leaves no listeners on a signal that outlives its calls', async () => {
    const { signal } = new AbortController()
    const listeners = () => getEventListeners(signal, 'abort').length
    for (const transport of Object.values(TRANSPORTS)) {
      service.says(FINE, failing('NOT_FOUND'))
      const client = clientOf({ transport })
      const answering = client.list({}, { signal })
      assert.equal(listeners(), 1)
      await answering
      await assert.rejects(client.list({}, { signal }), { class: 'NOT_FOUND' })
      assert.equal(listeners(), 0)
    }
    service.says({ body: 'PARQ' }, { body: 'PARQ' }, { body: 'PARQ' })
    const download = (bytes: number) => clientOf().download({ url: '/public/v1/exports/x', bytes }, { signal })
    assert.equal(await new Response((await download(4)).body).text(), 'PARQ')
    await assert.rejects(new Response((await download(5)).body).text())
    await (await download(4)).body.cancel()
    assert.equal(listeners(), 0)
  })

  it('rejects the calls on a socket that closes, and opens another for the next call', async () => {
    const client = clientOf({ transport: { WebSocket } })
    service.says({ headers: { close: '1001' } }, FINE)
    await assert.rejects(client.list(), /^AnalyticsConnectionError: .*closed \(1001 gone\).*Call again/)
    assert.deepEqual((await client.list()).items, [])
  })

  it('closes a socket that no longer answers, and opens another for the next call', async () => {
    const server = createServer()
    const sockets = new WebSocketServer({ server })
    const left: number[] = []
    const heard = new EventEmitter()
    sockets.on('connection', socket => {
      const place = sockets.clients.size
      socket.on('close', () => left.push(place))
      let answered = 0
      socket.on('message', data => {
        heard.emit('call')
        if (place === 1 && answered++ > 0) return // as if the peer had vanished
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(String(data)).id, result: { items: [] } }))
      })
    })
    const client = clientOf({ url: await listen(server), transport: { WebSocket }, timeoutMs: 300 })
    await client.list()
    const asked = once(heard, 'call')
    const silent = assert.rejects(
      client.list(),
      /^AnalyticsConnectionError: projects\/list had no answer in 0\.3 seconds/,
    )
    await asked
    const beside = assert.rejects(client.list(), /^AnalyticsConnectionError: .*no answer in its time.*call again/)
    await silent
    assert.deepEqual((await client.list()).items, [])
    await beside
    while (left.length === 0) await new Promise(setImmediate)
    assert.deepEqual(left, [1])
    client.close()
    server.close()
  })

  it('keeps a socket on which only one call gets no answer', async () => {
    const server = createServer()
    const sockets = new WebSocketServer({ server })
    let opened = 0
    sockets.on('connection', socket => {
      opened += 1
      socket.on('message', data => {
        const { id, method } = JSON.parse(String(data))
        if (method === 'projects/list') socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { items: [] } }))
      })
    })
    const client = clientOf({ url: await listen(server), transport: { WebSocket }, timeoutMs: 300 })
    const slow = assert.rejects(client.describe({ projectId: 'x' }), /describe had no answer in 0\.3 seconds/)
    await client.list()
    await slow
    await client.list()
    assert.equal(opened, 1)
    client.close()
    server.close()
  })

  it('does not keep waiting for a handshake that got no answer', async () => {
    const server = createServer()
    const sockets = new WebSocketServer({ noServer: true })
    let asked = 0
    server.on('upgrade', (request, stream, head) => {
      if (asked++ === 0) return void stream.on('error', () => {})
      sockets.handleUpgrade(request, stream, head, socket =>
        socket.on('message', data =>
          socket.send(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(String(data)).id, result: { items: [] } })),
        ),
      )
    })
    const client = clientOf({ url: await listen(server), transport: { WebSocket }, timeoutMs: 300 })
    await assert.rejects(client.list(), /no answer in 0\.3 seconds/)
    assert.deepEqual((await client.list()).items, [])
    client.close()
    server.close()
  })

  it('retries a handshake, and any other call, that a proxy answers 503 because it reaches no server', async () => {
    const proxy = 'HTTP/1.1 503 X\r\nretry-after: 2\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>'
    const server = createServer().on('upgrade', (_, stream) => stream.end(proxy))
    const overSocket = clientOf({ url: await listen(server), transport: { WebSocket } })
    const isTold = (error: Error) => {
      assert.ok(error instanceof AnalyticsConnectionError)
      assert.deepEqual([error.status, error.retryAfterMs, error.attempts], [503, 2000, 4])
      assert.match(error.message, /\(HTTP 503, text\/html\) is not the service/)
      return true
    }
    await assert.rejects(overSocket.list(), isTold)
    assert.deepEqual(waitsMs, [2250, 2500, 3000])
    server.close()

    const answer = (status: number): Scripted => ({
      send: response => response.writeHead(status, { 'retry-after': '2', 'content-type': 'text/html' }).end('<html>'),
    })
    for (const transport of ['rest', 'json-rpc'] as const) {
      const client = clientOf({ transport })
      service.says(answer(503), answer(503), FINE)
      assert.deepEqual((await client.list()).items, [])
      service.says(answer(503), answer(503), answer(503), answer(503))
      await assert.rejects(client.list(), isTold)
      service.says(answer(502), FINE)
      await assert.rejects(client.list(), { status: 502, attempts: 1 })
    }
  })

  it('says why a handshake was refused, by the service or by a proxy', async () => {
    const refusals = [
      'HTTP/1.1 503 X\r\nretry-after: 9\r\n\r\n{"code":1503,"class":"UNAVAILABLE","message":"Later."}',
      'HTTP/1.1 502 X\r\ncontent-type: text/html\r\n\r\n<html>',
    ]
    const server = createServer().on('upgrade', (_, stream) => stream.end(refusals.shift()))
    const client = clientOf({ url: await listen(server), transport: { WebSocket } })
    await assert.rejects(client.list(), (error: Error) => {
      assert.ok(error instanceof AnalyticsConnectionError)
      assert.deepEqual([error.status, waitsMs], [502, [9250]])
      assert.match(error.message, /the handshake \(HTTP 502, text\/html\)/)
      return true
    })
    server.close()
  })

  it('frees the place of an aborted call for the next one', async () => {
    const client = clientOf({ transport: { WebSocket, maxInFlight: 1 } })
    const [first, second] = [new AbortController(), new AbortController()]
    service.says({}, FINE)
    const asked = client.list({}, { signal: first.signal })
    const queued = client.list({}, { signal: second.signal })
    const last = client.list()
    second.abort(new Error('second'))
    await assert.rejects(queued, /second/)
    while (service.asked.length === 0) await new Promise(setImmediate)
    first.abort(new Error('first'))
    await assert.rejects(asked, /first/)
    assert.deepEqual((await last).items, [])
  })
})
