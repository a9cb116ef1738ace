import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { output, scratchFolder } from './command.js'
import { type Served, serve, stop } from './server.js'

const scratch = scratchFolder()
const BODY = '{"page":{"limit":1}}'

describe('a caller that sends Expect: 100-continue', () => {
  let server: Served
  let key: string
  before(async () => {
    const folder = scratch.path
    await output(folder, 'organization', 'add', 'north', '--name', 'North')
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'north')
    key = await output(folder, 'key', 'create', '--user', 'ada@example.org', '--organization', 'north')
    server = await serve(folder)
  })
  after(() => stop(server.child))

  /** Sends the head of a request, and its body after 100 Continue; returns everything received. */
  async function send(path: string, authorization: string, type = 'application/json'): Promise<string> {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    const head = [`POST ${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: ${authorization}`, 'Connection: close']
    const fields = [`Content-Type: ${type}`, `Content-Length: ${BODY.length}`, 'Expect: 100-continue']
    socket.write(`${[...head, ...fields].join('\r\n')}\r\n\r\n`)
    socket.on('data', chunk => {
      if (String(chunk).startsWith('HTTP/1.1 100 ')) socket.write(BODY)
    })
    return text(socket)
  }

  for (const path of ['/public/v1/api/projects/list', '/public/v1/json-rpc']) {
    it(`gets 100 Continue if its key is valid: ${path}`, async () => {
      const answer = await send(path, `Bearer ${key}`)
      assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
    })
  }

  it('is refused without 100 Continue if its key is not valid', async () => {
    assert.match(await send('/public/v1/api/projects/list', 'Bearer wrong'), /^HTTP\/1\.1 401 Unauthorized\r\n/)
    const rpc = await send('/public/v1/json-rpc', 'Bearer wrong')
    assert.match(rpc, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(rpc, /"id":null,"error":\{"code":1401,/)
  })

  it('gets 100 Continue from the pages', async () => {
    const answer = await send('/login', '', 'application/x-www-form-urlencoded')
    assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 403 /)
  })
})
