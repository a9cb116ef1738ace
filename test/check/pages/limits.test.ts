import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { saveQuery } from '#explore/server/saved-queries.js'
import { MAX_SAVED_SQL_BYTES } from '#explore/server/saved-statement.js'
import type { PageLimits } from '#server/pages/page-limits.js'
import { listProjects } from '#server/store/projects.js'
import { findUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { until } from '../../until.js'
import { ADA, enterAs, type Site, startPages } from './site.js'
import { textOf, Visitor } from './visitor.js'

const LIST = '/explore/queries'
const scratch = scratchFolder()

describe('the limits of the pages', () => {
  let now: number
  let site: Site
  let ada: Visitor
  let bob: Visitor
  let sockets: Socket[]
  let opened = 0

  async function start(limits: Partial<PageLimits> = {}): Promise<void> {
    site = await startPages(join(scratch.path, `${++opened}.db`), () => now, { limits })
    ada = await new Visitor(site.url).enter()
    bob = await enterAs(site, 'bob', 'north')
  }
  beforeEach(() => {
    now = Date.UTC(2026, 10, 21, 12)
    sockets = []
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await site.close()
  })

  const statusOf = async (visitor: Visitor, path = LIST) => (await visitor.get(path)).status
  const fileIn = async (visitor: Visitor) =>
    / href="(\/assets\/[^"]+\.css)"/.exec((await visitor.get('/')).html)?.[1] ?? ''

  /** Sends a text on a new connection and reads nothing. */
  async function write(text: string): Promise<Socket> {
    const { hostname, port } = new URL(site.url)
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    socket.on('error', () => {}) // the server may cut it off
    await once(socket, 'connect')
    socket.pause()
    socket.write(text)
    return socket
  }
  const headOf = (method: string, path: string, cookie: string, ...more: string[]) =>
    [`${method} ${path} HTTP/1.1`, 'host: localhost', ...(cookie ? [`cookie: ${cookie}`] : []), ...more, '', ''].join(
      '\r\n',
    )
  /** A form that never arrives whole, so that it stays under way. */
  const hang = (cookie: string) =>
    write(
      headOf(
        'POST',
        cookie ? '/keys' : '/login',
        cookie,
        'content-type: application/x-www-form-urlencoded',
        'content-length: 9',
      ),
    )

  it('are not met by people who click fast, with every file of a page loaded at once', async () => {
    await start()
    for (let clicks = 0; clicks < 20; clicks++) {
      const { status, html } = await ada.get('/explore')
      assert.equal(status, 200)
      const files = [...html.matchAll(/ (?:href|src)="(\/(?:explore\/)?assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
      assert.ok(files.length > 3)
      const asked = Array.from({ length: 12 }, (_, at) => files[at % files.length] ?? '')
      const answers = await Promise.all(
        [...asked, '/', LIST, '/webhooks', '/password'].map(path => statusOf(ada, path)),
      )
      assert.deepEqual([...new Set(answers)], [200])
    }
  })

  it('refuse a session that asks without end, as each route answers errors, and nobody else', async () => {
    await start()
    const token = ada.cookie
    for (let count = 0; count < 600; count += 30)
      await Promise.all(Array.from({ length: 30 }, () => ada.get('/password')))
    const [page, script] = [await ada.get('/'), await ada.get(LIST)]
    for (const { status, headers } of [page, script]) {
      assert.deepEqual([status, headers.get('retry-after'), headers.get('cache-control')], [429, '60', 'no-store'])
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
    }
    const message = 'You have sent more than 600 requests in a minute: try again in 60 seconds.'
    assert.ok(textOf(page.html).includes(message))
    assert.deepEqual(JSON.parse(script.html), { message })
    assert.equal((await ada.post('/keys', {})).status, 429)
    assert.equal(ada.cookie, token, 'the session is not lost')
    const other = await new Visitor(site.url).enter()
    for (const visitor of [bob, other]) assert.equal(await statusOf(visitor), 200)
    assert.equal((await new Visitor(site.url).get('/')).status, 200)
    now += 59_999
    assert.equal((await ada.get('/')).headers.get('retry-after'), '1')
    now += 1
    assert.equal(await statusOf(ada), 200)
  })

  it('refuse a user who asks without end in many sessions, and nobody else', async () => {
    await start({ perSession: 10, perUser: 25 })
    const sessions = [ada, await new Visitor(site.url).enter(), await new Visitor(site.url).enter()]
    const statuses: number[] = []
    for (const session of sessions) for (let count = 0; count < 10; count++) statuses.push(await statusOf(session))
    assert.equal(statuses.filter(status => status === 200).length, 25)
    assert.equal(statuses.filter(status => status === 429).length, 5)
    assert.equal(await statusOf(await new Visitor(site.url).enter()), 429)
    assert.equal(await statusOf(bob), 200)
  })

  it('refuse a network without a session that asks without end, whatever cookies it makes up, but no session', async () => {
    await start({ perNetwork: 40 })
    const file = await fileIn(ada)
    const answers = new Set<number>()
    for (let count = 0; count < 40; count++) {
      const stranger = new Visitor(site.url)
      stranger.cookies.set('foldgate', `${count}`.padStart(43, 'x'))
      answers.add(await statusOf(stranger, count % 2 === 0 ? '/' : file))
    }
    assert.deepEqual([...answers].sort(), [200, 429])
    const stranger = new Visitor(site.url)
    const words = 'Your network has sent more than 40 requests in a minute: try again in 60 seconds.'
    assert.ok(textOf((await stranger.get('/')).html).includes(words))
    const { status, headers, html } = await stranger.get(file)
    assert.deepEqual([status, html, headers.get('retry-after')], [429, `${words}\n`, '60'])
    assert.deepEqual([headers.get('cache-control'), headers.get('content-encoding')], ['no-store', null])
    const foreign = { 'sec-fetch-site': 'cross-site' }
    assert.equal((await stranger.post('/login', {}, foreign)).status, 429, 'forms of other sites count too')
    for (const visitor of [ada, bob]) assert.equal(await statusOf(visitor), 200)
  })

  it('bound the requests of a user that are under way, in all sessions, and those of nobody else', async () => {
    await start()
    const other = await new Visitor(site.url).enter()
    for (let count = 0; count < 40; count++) await hang((count % 2 === 0 ? ada : other).cookie)
    await until(async () => (await statusOf(ada)) === 429, 'too many are under way')
    const { status, headers, html } = await other.get(LIST)
    assert.deepEqual([status, headers.get('retry-after')], [429, '1'])
    assert.match(html, /You have 32 requests under way: wait for their answers/)
    assert.equal(await statusOf(bob), 200)
    assert.equal((await new Visitor(site.url).get('/')).status, 200)
    for (const socket of sockets.splice(0)) socket.destroy()
    await until(async () => (await statusOf(ada)) === 200, 'they have ended')
  })

  it('bound the requests of a network without a session that are under way, and no session', async () => {
    await start({ networkAtOnce: 5 })
    for (let count = 0; count < 9; count++) await hang('')
    const stranger = new Visitor(site.url)
    await until(async () => (await statusOf(stranger, '/')) === 429, 'too many are under way')
    for (const visitor of [ada, bob]) assert.equal(await statusOf(visitor), 200)
    for (const socket of sockets.splice(0)) socket.destroy()
    await until(async () => (await statusOf(stranger, '/')) === 200, 'they have ended')
  })

  it('count the forms that arrive', async () => {
    await start({ userUnsentBytes: 100 * 1024 })
    const form = (bytes: number) =>
      write(
        headOf(
          'POST',
          '/keys',
          ada.cookie,
          'content-type: application/x-www-form-urlencoded',
          `content-length: ${bytes}`,
        ),
      )
    await form(60_000)
    await until(async () => (await ada.submit('/', '/keys', { name: 'x'.repeat(60_000) })).status === 503, 'no room')
    assert.equal(await statusOf(ada), 200, 'there is room for small answers')
    assert.equal((await bob.submit('/', '/keys', { name: 'x'.repeat(60_000) })).status, 422)
  })

  describe('on readers that take nothing', () => {
    /** The largest answer of the pages: a query of control characters, each of which is six bytes of JSON. */
    async function largest(): Promise<string> {
      const user = (await findUser(site.store, ADA.email)) ?? assert.fail('Ada is not there')
      const projectId = (await listProjects(site.store))[0]?.projectId ?? ''
      const sql = '\x01'.repeat(MAX_SAVED_SQL_BYTES)
      const { id } = await saveQuery(site.store, { user, name: 'Large', sql, projectId, organization: 'north' })
      return `${LIST}/${id}`
    }

    it('bound what waits for a user, and cut the readers off', async () => {
      await start({ stallTimeoutMs: 2_000, perSession: 10_000, perUser: 10_000 })
      const path = await largest()
      const reader = await write('')
      const refused = await until(async () => {
        // The system keeps some answers for the connection; the rest waits in the server.
        reader.write(headOf('GET', path, ada.cookie).repeat(10))
        const answer = await ada.get(path)
        return answer.status === 503 && answer
      }, 'what waits is bounded')
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
      assert.deepEqual(JSON.parse(refused.html), {
        message: 'Too many bytes of your answers are unread. Read them, then try again.',
      })
      const { status, html } = await bob.get(path)
      assert.equal(status, 200, 'the same answer for another user')
      const size = html.length
      await until(async () => (await statusOf(ada, path)) === 200, 'the readers were cut off')
      let bytes = 0
      reader.on('data', chunk => {
        bytes += chunk.length
      })
      const closed = once(reader, 'close')
      reader.resume()
      await closed
      const whole = (reader.bytesWritten / headOf('GET', path, ada.cookie).length) * size
      assert.ok(bytes < whole, `${bytes} of ${whole} bytes were sent`)
    }).timeout(30_000)
  })
})
