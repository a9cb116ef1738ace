import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { AnalyticsError } from '#lib/errors.js'
import { respondError } from '#lib/http/respond.js'
import { scratchFolder } from '../../server/command.js'
import { PROXIES } from './proxies/proxies.js'
import { type RunningProxy, send } from './proxies/proxy.js'

const run = promisify(execFile)
const BODY_BYTES = 3 * 1024 ** 2
/** So many that both servers get some of them. */
const BROWSERS = 40
const scratch = scratchFolder()

/** A server in the place of Foldgate that answers its own name, and records what it receives. */
class Stub {
  readonly name: string
  readonly received: IncomingMessage[] = []
  answer: RequestListener = (request, response) => {
    request.resume().on('end', () => response.end(this.name))
  }
  readonly server: Server

  constructor(name: string) {
    this.name = name
    this.server = createServer((request, response) => {
      if (request.url === '/ready') return void response.end()
      this.received.push(request)
      this.answer(request, response)
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }
}

for (const [name, start] of Object.entries(PROXIES))
  describe(`the configuration of ${name}`, () => {
    let stubs: Stub[]
    let proxy: RunningProxy

    before(async function () {
      stubs = [new Stub('one'), new Stub('two')]
      const folder = join(scratch.path, name)
      await mkdir(folder)
      const started = await start(folder, await Promise.all(stubs.map(stub => stub.listen())))
      if (!started) console.log(`      left out: ${name} is not installed`)
      if (!started) return this.skip()
      proxy = started
    })
    afterEach(() => {
      for (const stub of stubs) {
        stub.received.length = 0
        stub.answer = new Stub(stub.name).answer
      }
    })
    after(async () => {
      await proxy?.stop()
      for (const { server } of stubs) server.close().closeAllConnections()
    })

    const received = () => stubs.flatMap(stub => stub.received)

    it('replaces the request id and the address of the client', async () => {
      const claimed = { 'X-Request-Id': 'mine', 'X-Forwarded-For': '192.0.2.1', Authorization: 'Bearer key' }
      for (const path of ['/public/v1/api/projects/list', '/'])
        await text(await send(proxy, path, { headers: claimed }))
      const heads = received().map(({ headers }) => headers)
      for (const head of heads) {
        assert.match(String(head['x-request-id']), /^[0-9a-f-]{32,36}$/)
        assert.equal(head['x-forwarded-for'], '127.0.0.1')
        assert.equal(head.authorization, 'Bearer key')
      }
      assert.equal(new Set(heads.map(head => head['x-request-id'])).size, 2)
    })

    it('passes on a key of 8 KiB, in a header to one server, and in a subprotocol', async () => {
      const sent = {
        authorization: `Bearer ${'k'.repeat(8192)}`,
        'sec-websocket-protocol': `foldgate.v1, bearer.${'k'.repeat(8192)}`,
      }
      for (const [name, value] of Object.entries(sent)) {
        for (let time = 0; time < 6; time++)
          assert.equal((await send(proxy, '/public/v1/ws', { headers: { [name]: value } })).resume().statusCode, 200)
        assert.ok(received().every(({ headers }) => headers[name] === value))
        if (name === 'authorization') assert.equal(stubs.filter(stub => stub.received.length > 0).length, 1)
        for (const stub of stubs) stub.received.length = 0
      }
      assert.ok(!(await proxy.log()).includes('kkkk'))
    })

    it('does not pass health checks on', async () => {
      for (const path of ['/live', '/ready', '/live?', '/ready?x=1'])
        assert.equal((await send(proxy, path)).resume().statusCode, 404, path)
      assert.deepEqual(received(), [])
    })

    it('passes on a body that the servers would refuse', async () => {
      const sizes: number[] = []
      for (const stub of stubs)
        stub.answer = async (request, response) => {
          sizes.push((await text(request)).length)
          response.end()
        }
      const body = Buffer.alloc(BODY_BYTES, 'a')
      const answer = await send(proxy, '/public/v1/api/projects/query', { method: 'POST', body })
      assert.deepEqual([answer.resume().statusCode, sizes], [200, [BODY_BYTES]])
    })

    it('passes on the beginning of an answer before its end exists', async () => {
      let end = () => {}
      for (const stub of stubs)
        stub.answer = (_request, response) => {
          response.write('begin')
          end = () => response.end('end')
        }
      const answer = await send(proxy, '/public/v1/exports/file')
      const [begin] = await once(answer, 'data')
      assert.equal(String(begin), 'begin')
      end()
      assert.equal(await text(answer), 'end')
    })

    it('does not repeat a call that a server has received', async () => {
      for (const stub of stubs) stub.answer = request => request.resume().on('end', () => request.socket.destroy())
      const answer = await send(proxy, '/public/v1/api/projects/query', { method: 'POST', body: '{}' })
      await assertUnavailable(answer)
      assert.equal(received().length, 1)
    })

    it('keeps a browser with one server, and gives it to the other when that one refuses connections', async () => {
      const cookies: string[] = []
      const homes: string[] = []
      for (let browser = 0; browser < BROWSERS; browser++) {
        const answer = await send(proxy, '/')
        const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0]
        assert.match(cookie ?? '', /^foldgate_server=/)
        cookies.push(cookie as string)
        homes.push(await text(answer))
      }
      assert.deepEqual([...new Set(homes)].sort(), ['one', 'two'])
      const visit = async (path: string, options = {}) =>
        Promise.all(cookies.map(async Cookie => text(await send(proxy, path, { headers: { Cookie }, ...options }))))
      assert.deepEqual(await visit('/keys'), homes)

      const [first] = stubs
      assert.ok(first)
      const { port } = first.server.address() as AddressInfo
      await new Promise(resolve => {
        first.server.close(resolve)
        first.server.closeAllConnections()
      })
      const two = homes.map(() => 'two')
      assert.deepEqual(await visit('/keys'), two)
      if (proxy.repeatsBodies) assert.deepEqual(await visit('/keys', { method: 'POST', body: 'a=b' }), two)
      const calls = homes.map(async () => text(await send(proxy, '/public/v1/openapi.json')))
      assert.deepEqual(await Promise.all(calls), two)
      await new Promise<void>(resolve => first.server.listen(port, '127.0.0.1', resolve))
    })

    it('passes on that servers are UNAVAILABLE, as they say it', async () => {
      for (const stub of stubs)
        stub.answer = (request, response) => {
          request.resume().on('end', () => response.writeHead(503, { 'Retry-After': '7' }).end('theirs'))
        }
      for (const path of ['/public/v1/api/projects/list', '/']) {
        const answer = await send(proxy, path)
        assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '7'])
        assert.equal(await text(answer), 'theirs')
      }
    })

    it('answers UNAVAILABLE as JSON for the API when there is no server, and pages as it does', async () => {
      const ports = stubs.map(({ server }) => (server.address() as AddressInfo).port)
      for (const { server } of stubs) {
        await new Promise(resolve => {
          server.close(resolve)
          server.closeAllConnections()
        })
      }
      const paths = ['api/projects/list', 'exports/file', 'ws'].map(name => `/public/v1/${name}`)
      const asked = paths.map(path => send(proxy, path))
      const called = send(proxy, '/public/v1/api/projects/query', { method: 'POST', body: '{}' })
      const visited = send(proxy, '/')
      for (const answer of await Promise.all([...asked, called])) await assertUnavailable(answer)
      const page = await visited
      assert.match(String(page.statusCode), /^50[234]$/)
      assert.doesNotMatch(await text(page), /UNAVAILABLE/)
      for (const [at, port] of ports.entries())
        await new Promise<void>(resolve => stubs[at]?.server.listen(port, '127.0.0.1', resolve))
    })
  })

/** Checks that an answer is the one with which the API says that it is UNAVAILABLE. */
async function assertUnavailable(answer: IncomingMessage): Promise<void> {
  const { status, headers, body } = respondError(
    new AnalyticsError('UNAVAILABLE', 'The service cannot answer now. Try again later.'),
  )
  assert.equal(answer.statusCode, status)
  assert.equal(await text(answer), Buffer.concat(body).toString())
  for (const name of ['content-type', 'retry-after', 'cache-control']) assert.equal(answer.headers[name], headers[name])
}

describe('the Caddyfile without FOLDGATE_SITE', () => {
  for (const [what, given] of Object.entries({ unset: {}, empty: { FOLDGATE_SITE: '' } }))
    it(`names the variable, and says what to do, when it is ${what}`, async function () {
      const file = fileURLToPath(new URL('../../../deploy/Caddyfile', import.meta.url))
      const adapt = ['adapt', '--config', file, '--adapter', 'caddyfile']
      const environment = { PATH: process.env.PATH, HOME: scratch.path, ...given }
      const failed = await run('caddy', adapt, { env: environment }).catch(cause => cause)
      if (failed.code === 'ENOENT') {
        console.log('      left out: caddy is not installed')
        return this.skip()
      }
      assert.equal(failed.code, 1)
      assert.match(failed.stderr, /^Error: .*set-FOLDGATE_SITE-to-the-host-name-of-the-service/m)
    })
})
