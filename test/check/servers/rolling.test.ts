import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer, json } from 'node:stream/consumers'
import { WebSocket } from 'ws'
import { openStore } from '#server/database/store.js'
import { createKey } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { PROJECT_IDS, writePackage } from '../../server/package.js'
import { freePort } from '../../server/server.js'
import { postgresUrl, storeInPostgres } from '../../server/stores.js'
import { until } from '../../until.js'
import { PROXIES } from './proxies/proxies.js'
import { POLL_MS, type RunningProxy, send } from './proxies/proxy.js'
import { Service } from './service.js'

const scratch = scratchFolder()
const SERVERS = ['one', 'two']
/** The first organization of each key: so many that each server has some of them. */
const FIRST = Array.from({ length: 12 }, (_, at) => `a${at}`)
const projectId = PROJECT_IDS.early
const QUICK = 'SELECT count(*) AS sites FROM sites'
/** Takes a while, so that one of them is in flight whenever a server stops. */
const LONG = 'SELECT sum(a.i * b.i) AS total FROM range(7000) a(i), range(7000) b(i)'
const GOING_AWAY = 1001

/** Calls through a proxy until it is told to stop. Throws for any answer but a right one. */
class Load {
  readonly #proxy: RunningProxy
  readonly #keys: readonly string[]
  #turn = 0
  readonly rounds: Record<string, number> = {}
  #isOver = false

  constructor(proxy: RunningProxy, keys: readonly string[]) {
    this.#proxy = proxy
    this.#keys = keys
  }

  /** The next key, because calls with the keys of one organization go to one server. */
  #authorization(): { Authorization: string } {
    return { Authorization: `Bearer ${this.#keys[this.#turn++ % this.#keys.length]}` }
  }

  /** Runs every kind of work until {@link end}, or until one fails. */
  run(): Promise<unknown> {
    const work = {
      quick: () => this.#query(QUICK),
      quicker: () => this.#query(QUICK),
      long: () => this.#query(LONG),
      export: () => this.#export(),
      refused: () => this.#refused(),
    }
    return Promise.all([
      ...Object.entries(work).map(async ([name, once]) => {
        while (!this.#isOver) await once().then(() => this.#count(name))
      }),
      this.#talk(),
    ])
  }

  end(): void {
    this.#isOver = true
  }

  #count(name: string): void {
    this.rounds[name] = (this.rounds[name] ?? 0) + 1
  }

  async #post(method: string, params: object): Promise<{ status: number | undefined; body: Record<string, unknown> }> {
    const options = { method: 'POST', headers: this.#authorization(), body: JSON.stringify(params) }
    const answer = await send(this.#proxy, `/public/v1/api/projects/${method}`, options)
    assert.match(String(answer.headers['content-type']), /^application\/json/, `${answer.statusCode} from ${method}`)
    return { status: answer.statusCode, body: (await json(answer)) as Record<string, unknown> }
  }

  async #query(sql: string): Promise<void> {
    const { status, body } = await this.#post('query', { projectId, sql })
    assert.equal(status, 200, JSON.stringify(body))
  }

  async #export(): Promise<void> {
    const { status, body } = await this.#post('export', { projectId, sql: QUICK })
    assert.equal(status, 200, JSON.stringify(body))
    const { pathname } = new URL((body.result as { url: string }).url)
    const file = await send(this.#proxy, pathname, { headers: this.#authorization() })
    assert.deepEqual([file.statusCode, (await buffer(file)).toString('latin1', 0, 4)], [200, 'PAR1'])
  }

  /** The API, not the proxy, refuses what is too large. */
  async #refused(): Promise<void> {
    const { status, body } = await this.#post('query', { projectId, sql: ' '.repeat(2 * 1024 ** 2) })
    assert.deepEqual([status, body.class], [400, 'INVALID_REQUEST'])
  }

  /** Calls on a WebSocket. One that closes with 1001 has not taken up the call: it is repeated on another. */
  async #talk(): Promise<void> {
    let id = 0
    while (!this.#isOver) {
      const socket = new WebSocket(`${this.#proxy.url.replace('http', 'ws')}/public/v1/ws`, {
        headers: this.#authorization(),
        ...(this.#proxy.ca === undefined ? {} : { ca: this.#proxy.ca }),
      })
      const closed = once(socket, 'close').then(([code]) => Number(code))
      await once(socket, 'open')
      this.#count('sockets')
      for (let code: number | undefined; code === undefined && !this.#isOver; ) {
        const answered = once(socket, 'message').then(([data]) => {
          const { result, id: answeredId } = JSON.parse(String(data))
          assert.ok(result && answeredId === id, String(data))
          this.#count('frames')
        })
        const params = { projectId, sql: QUICK }
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'projects/query', params }))
        code = (await Promise.race([answered, closed])) ?? undefined
        assert.ok(code === undefined || code === GOING_AWAY, `the socket closed with ${code}`)
      }
      socket.terminate()
    }
  }
}

for (const [name, startProxy] of Object.entries(PROXIES))
  describe(`a rolling restart behind ${name}`, () => {
    let service: Service
    let proxy: RunningProxy
    let keys: string[]
    const ports: Record<string, string> = {}
    const startServer = (server: string) => service.start(server, '--port', ports[server] ?? '')

    before(async function () {
      if (!postgresUrl) return this.skip()
      const folder = join(scratch.path, name)
      await mkdir(folder)
      for (const server of SERVERS) ports[server] = String(await freePort())
      const urls = SERVERS.map(server => `http://127.0.0.1:${ports[server]}`)
      const started = await startProxy(folder, urls)
      if (!started) console.log(`      left out: ${name} is not installed`)
      if (!started) return this.skip()
      proxy = started
      const store = await storeInPostgres(folder)
      const limits = { drainDelay: `${2 * POLL_MS}ms`, quota: '100000/1h', connections: 2 }
      service = new Service(folder, store, '--proxies', '1', limits)
      await writePackage(join(folder, 'package'))
      await service.command('import', join(folder, 'package'))
      const control = await openStore(store)
      for (const first of FIRST) await addOrganization(control, { key: first, name: first })
      const email = 'ada@example.org'
      await addUser(control, { email, organizations: [...FIRST, 'south'] })
      keys = []
      for (const first of FIRST)
        keys.push((await createKey(control, { user: email, organizations: [first, 'south'] })).key)
      await control.close()
      await Promise.all(SERVERS.map(startServer))
      // A server that has started gets no calls before the proxy has asked it whether it is ready.
      const headers = { Authorization: `Bearer ${keys[0]}` }
      await until(async () => {
        const answer = await send(proxy, '/public/v1/api/projects/list', { method: 'POST', headers, body: '{}' })
        return answer.resume().statusCode === 200
      }, `${name} to pass calls on`)
    })
    after(async () => {
      service?.killAll()
      await proxy?.stop()
    })

    const serves = (server: string) =>
      until(() => service.logOf(server).includes('"outcome":"OK"'), `a call on the server ${server}`)

    it('loses no call', async () => {
      const load = new Load(proxy, keys)
      const roll = async () => {
        await Promise.all(SERVERS.map(serves))
        for (const server of SERVERS) {
          const url = `http://127.0.0.1:${ports[server]}`
          await proxy.takeOut(url)
          assert.equal(await service.stop(server), 0)
          await startServer(server)
          await proxy.putBack(url)
          await serves(server)
        }
        load.end()
      }
      const rolling = roll()
      try {
        await Promise.all([rolling, load.run()])
      } finally {
        load.end()
        await rolling.catch(() => {}) // otherwise it would start servers after the suite
      }
      const { rounds } = load
      console.log(
        `      ${Object.entries(rounds)
          .map(([what, times]) => `${what} ${times}`)
          .join(', ')}`,
      )
      for (const what of ['quick', 'quicker', 'long', 'export', 'refused', 'frames', 'sockets'])
        assert.ok((rounds[what] ?? 0) >= 2, what)
    })
  })
