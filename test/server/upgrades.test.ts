import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { until } from '../until.js'
import { scratchFolder } from './command.js'
import { type Served, serve, stop } from './server.js'

const OFFER =
  'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'

describe('a server that is offered an upgrade', () => {
  const scratch = scratchFolder()
  let server: Served
  let port: number
  before(async () => {
    server = await serve(scratch.path)
    port = Number(new URL(server.url).port)
  })
  after(async () => assert.equal(await stop(server.child), 0))

  async function offer(path: string): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\n${OFFER}\r\n`)
    return socket
  }

  it('keeps running when the clients hang up', async () => {
    for (const path of ['/elsewhere', '/public/v1/ws']) {
      const sockets = await Promise.all(Array.from({ length: 20 }, () => offer(path)))
      for (const socket of sockets) socket.resetAndDestroy()
      assert.equal((await fetch(`${server.url}/live`)).status, 200)
    }
    assert.equal(server.child.exitCode, null)
  })

  it('answers 404 with a request id on any other path', async () => {
    const socket = await offer('/elsewhere')
    const answer = await text(socket)
    assert.match(answer, /^HTTP\/1\.1 404 Not Found\r\n/)
    assert.match(answer, /\r\nX-Request-Id: [0-9a-f-]{36}\r\n/)
    socket.destroy()
  })

  it('closes refused sockets, whether or not the client closes its side', async function () {
    if (process.platform !== 'linux') this.skip()
    const open = async () => (await readdir(`/proc/${server.child.pid}/fd`)).length
    const before = await open()
    const sockets = await Promise.all(
      ['/elsewhere', '/public/v1/ws'].flatMap(path => Array.from({ length: 20 }, () => offer(path))),
    )
    for (const socket of sockets) socket.on('error', () => {}).write('more')
    await until(async () => (await open()) <= before + 5, 'the sockets are closed')
    for (const socket of sockets) socket.destroy()
  })

  it('answers a call that also offers HTTP/2', async () => {
    const call = request(`${server.url}/public/v1/api/projects/list`, {
      method: 'POST',
      headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' },
    })
    const answered = once(call, 'response')
    call.end('{}')
    const [response] = await answered
    assert.equal(response.statusCode, 401)
    assert.equal(JSON.parse(await text(response)).class, 'UNAUTHENTICATED')
  })
})
