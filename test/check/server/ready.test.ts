import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { openSandbox } from '#lib/sandbox/sandbox.js'
import { openStore, type Store } from '#server/database/store.js'
import {
  createHealth,
  type Details,
  dependenciesOf,
  type Health,
  type HealthChecks,
  measureHealth,
} from '#server/serving/health.js'
import { serveMetrics } from '#server/serving/metrics.js'
import { output, scratchFolder, storeOf } from '../../server/command.js'
import { gauge, metricsOf } from '../../server/metrics.js'
import { call, type Served, serve, stop } from '../../server/server.js'
import { ask, postgresUrl, storeInPostgres } from '../../server/stores.js'
import { until } from '../../until.js'
import { SmallDisk } from '../faults/disk.js'
import { Gate } from '../servers/gate.js'

const scratch = scratchFolder()
const READY = [200, { status: 'ready' }]
const notReady = (...names: string[]) => [503, { status: 'notReady', notReady: names }]

async function readiness(url: string): Promise<unknown[]> {
  const response = await fetch(`${url}/ready`)
  return [response.status, await response.json()]
}

/** The dependencies that are down, of a server that is ready all the same. */
async function downOf(url: string): Promise<unknown> {
  const response = await fetch(`${url}/ready?details`)
  const { status, down } = (await response.json()) as { status: string; down: unknown }
  assert.deepEqual([response.status, status, await readiness(url)], [200, 'ready', READY])
  return down
}

describe('the health of a server', () => {
  let warned: string[]
  const log = { info() {}, warn: (_: object, message: string) => void warned.push(message), error() {} }
  let health: Health
  let url: string
  let server: ReturnType<typeof createServer>

  beforeEach(async () => {
    warned = []
    health = createHealth(log)
    server = createServer((request, response) => void health.answer(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  it('is not ready while it starts, ready while it serves, and not ready from the moment it drains', async () => {
    assert.deepEqual(await readiness(url), notReady('starting'))
    assert.equal((await fetch(`${url}/live`)).status, 200)
    health.serving({ engine: async () => {} })
    assert.deepEqual(await readiness(url), READY)
    health.draining()
    assert.deepEqual(await readiness(url), notReady('draining'))
    assert.equal((await fetch(`${url}/live`)).status, 200)
  })

  it('names every failing check, and checks anew for each request', async () => {
    const down = new Set(['disk', 'engine'])
    const check = (name: string) => async () => {
      if (down.has(name)) throw new Error('connect ECONNREFUSED 192.0.2.1')
    }
    health.serving({ disk: check('disk'), engine: check('engine'), guard: check('guard') } satisfies HealthChecks)
    assert.deepEqual(await readiness(url), notReady('disk', 'engine'))
    down.clear()
    assert.deepEqual(await readiness(url), READY)
  })

  it('is ready whatever its dependencies do, and looks at them only for its details', async () => {
    let looks = 0
    const fail = async () => {
      looks++
      throw new Error('connect ECONNREFUSED 192.0.2.1')
    }
    const dependencies = { store: fail, snapshots: async () => {} }
    const walls = { files: true } as unknown as Details['walls']
    health.serving({ engine: async () => {} }, { dependencies, missingSnapshots: () => 2, walls })
    assert.deepEqual([await readiness(url), looks], [[200, { status: 'ready', missingSnapshots: 2 }], 0])
    const details = await fetch(`${url}/ready?details`)
    const told = { status: 'ready', walls, down: ['store'], missingSnapshots: 2 }
    assert.deepEqual([details.status, await details.json(), looks], [200, told, 1])
  })

  it('is told by metrics, reason by reason, also when nobody asks for it', async () => {
    const metrics = await serveMetrics({ host: '127.0.0.1', port: 0 })
    measureHealth(metrics, health)
    const told = async () => {
      const samples = await metricsOf({ metricsUrl: metrics.url })
      return Object.fromEntries([...samples].filter(([name]) => /^foldgate_(ready|dependency_up)\{/.test(name)))
    }
    assert.deepEqual(await told(), {
      'foldgate_ready{reason="starting"}': 0,
      'foldgate_ready{reason="draining"}': 1,
    })
    const checks = { disk: () => Promise.reject(new Error('full')), guard: async () => {} }
    const dependencies = { store: () => Promise.reject(new Error('takes no writes')), snapshots: async () => {} }
    health.serving(checks, { dependencies, missingSnapshots: () => 0, walls: [] })
    assert.deepEqual(await told(), {
      'foldgate_ready{reason="starting"}': 1,
      'foldgate_ready{reason="draining"}': 1,
      'foldgate_ready{reason="disk"}': 0,
      'foldgate_ready{reason="guard"}': 1,
      'foldgate_dependency_up{dependency="store"}': 0,
      'foldgate_dependency_up{dependency="snapshots"}': 1,
    })
    assert.deepEqual(warned, ['not ready: starting', 'not ready: disk', 'store is down: takes no writes'])
    health.draining()
    assert.equal((await told())['foldgate_ready{reason="draining"}'], 0)
    await metrics.close()
  })

  it('writes to the store once in some seconds, however often anybody asks, until a write fails', async () => {
    const store = await openStore(join(scratch.path, 'looked-at.db'))
    let writes = 0
    let isFull = true
    const counted: Store = {
      ...store,
      async requireWritable() {
        writes++
        if (isFull) throw new Error('full')
      },
    }
    const { store: check } = dependenciesOf([counted], undefined as never, undefined as never)
    for (let count = 0; count < 2; count++) await assert.rejects(async () => check?.(), /full/)
    isFull = false
    for (let count = 0; count < 5; count++) await check?.()
    assert.equal(writes, 3)
    await store.close()
  })

  it('is not ready once it drains, although a check of before is still running', async () => {
    const checks = new EventEmitter()
    health.serving({
      engine: () => {
        queueMicrotask(() => checks.emit('begun'))
        return once(checks, 'end')
      },
    })
    const [answer] = [readiness(url), await once(checks, 'begun')]
    health.draining()
    checks.emit('end')
    assert.deepEqual(await answer, notReady('draining'))
  })

  it('waits two seconds for a check that hangs, and runs it once for concurrent requests', async () => {
    let looks = 0
    let end = () => {}
    health.serving({
      disk: () => {
        looks++
        return new Promise<void>(resolve => {
          end = resolve
        })
      },
    })
    const startedAt = performance.now()
    for (const answer of await Promise.all(Array.from({ length: 5 }, () => readiness(url))))
      assert.deepEqual(answer, notReady('disk'))
    const ms = performance.now() - startedAt
    assert.ok(ms >= 1990 && ms < 3000, `${ms} ms`)
    assert.deepEqual([await readiness(url), looks], [notReady('disk'), 1])
    end()
    const again = readiness(url)
    await until(() => looks === 2, 'another look')
    end()
    assert.deepEqual(await again, READY)
  })
})

describe('a server', () => {
  let server: Served
  before(async () => {
    server = await serve(scratch.path, '--metrics-port', '0', { spares: 1 })
  })
  after(() => void server.child.kill('SIGKILL'))

  it('tells in its details which walls engine processes run behind', async () => {
    const { walls } = await openSandbox()
    const details = await fetch(`${server.url}/ready?details`)
    assert.deepEqual(await details.json(), { status: 'ready', walls, down: [] })
    assert.match(server.log(), /"type":"sandbox","launcher":/)
  })

  it('stays ready while its store does not answer, and says so in its details', async () => {
    const { FOLDGATE_STORE } = await storeOf(scratch.path, [])
    const store = await openStore(FOLDGATE_STORE ?? join(scratch.path, 'foldgate-data', 'control.db'))
    await store.db.schema.alterTable('organizations').renameTo('away').execute()
    assert.deepEqual(await downOf(server.url), ['store'])
    await sql`ALTER TABLE away RENAME TO organizations`.execute(store.db)
    await store.close()
    assert.deepEqual(await downOf(server.url), [])
  })

  it('has a store that takes no writes once its disk is full', async function () {
    const disk = SmallDisk.mount(4)
    if (!disk) return this.skip()
    const store = await openStore(join(disk.folder, 'control.db'))
    await store.requireWritable()
    await disk.fill(0)
    // What SQLite has in its log already may be written over.
    const writing = async () => {
      for (;;) await store.requireWritable()
    }
    await assert.rejects(writing(), /has no room left on its disk: free some/)
    await disk.empty()
    await store.requireWritable()
    await store.close()
    await disk.unmount()
  })

  it('is not ready while the guard does not answer, and starts another one', async function () {
    if (process.platform !== 'linux') this.skip()
    const pid = await processIn(join(scratch.path, 'foldgate-data', 'engine', 'scratch'), 'child/guard-main.js')
    process.kill(pid, 'SIGSTOP')
    assert.equal(gauge(await metricsOf(server), 'ready{reason="guard"}'), 0)
    assert.match(server.log(), /"msg":"not ready: guard"/)
    assert.deepEqual(await readiness(server.url), notReady('guard'))
    process.kill(pid, 'SIGKILL')
    await until(async () => (await readiness(server.url))[0] === 200, 'another process')
  })

  it('is not ready while no engine process answers, or can start', async function () {
    if (process.platform !== 'linux') this.skip()
    const engine = join(scratch.path, 'foldgate-data', 'engine')
    const pid = await processIn(join(engine, 'scratch', '0'), 'child/main.js')
    process.kill(pid, 'SIGSTOP')
    assert.deepEqual(await readiness(server.url), notReady('engine'))
    process.kill(pid, 'SIGCONT')
    assert.deepEqual(await readiness(server.url), READY)

    await rename(join(engine, 'scratch'), join(engine, 'away'))
    await writeFile(join(engine, 'scratch'), '')
    process.kill(pid, 'SIGKILL')
    await until(async () => gauge(await metricsOf(server), 'connections_ready') === 0, 'the end of the process')
    assert.deepEqual(await readiness(server.url), notReady('engine'))
    assert.equal((await fetch(`${server.url}/live`)).status, 200)
    await rm(join(engine, 'scratch'))
    await rename(join(engine, 'away'), join(engine, 'scratch'))
    await until(async () => (await readiness(server.url))[0] === 200, 'a process that has started again')
    assert.equal(gauge(await metricsOf(server), 'restarts_total{reason="killed"}'), 1)
    assert.match(server.log(), /"level":"warn".*"type":"engine","what":"died"/)
  })

  /** Id of the process that runs this script in this folder. */
  async function processIn(folder: string, script: string): Promise<number> {
    for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
      if (!(await readlink(`/proc/${pid}/cwd`).catch(() => '')).startsWith(folder)) continue
      const [program = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
      if (program === process.execPath && args.some(each => each.includes(script))) return Number(pid)
    }
    return assert.fail(`no process runs ${script}`)
  }
})

describe('a server that loses PostgreSQL', () => {
  const PASSWORD = 'a-password-of-the-store'
  const ROLE = `ready_${process.pid}`
  let gate: Gate
  let server: Served
  let key: string

  before(async function () {
    if (!postgresUrl) this.skip()
    const given = await storeInPostgres(join(scratch.path, 'gone'))
    gate = await Gate.before(given)
    const url = new URL(gate.through(given))
    url.password = PASSWORD
    const places = ['--data', 'gone', '--store', url.href]
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'North', ...places)
    await output(scratch.path, 'user', 'add', 'ada@example.org', '--organization', 'north', ...places)
    key = await output(scratch.path, 'key', 'create', '--user', 'ada@example.org', '--organization', 'north', ...places)
    await ask(`CREATE ROLE ${ROLE} LOGIN SUPERUSER PASSWORD '${PASSWORD}'`)
    url.username = ROLE
    const more = ['--store', url.href, '--metrics-port', '0', '--log-sql', 'on']
    server = await serve(scratch.path, '--data', 'gone', ...more, { dependencyTimeout: '1s' })
  })

  after(async () => {
    server?.child.kill('SIGKILL')
    await gate?.close()
    if (postgresUrl) await ask(`DROP ROLE IF EXISTS ${ROLE}`)
  })

  const isBack = async () => isDeepStrictEqual(await downOf(server.url), [])

  it('stays ready and answers UNAVAILABLE until PostgreSQL is back, which its details name', async () => {
    assert.deepEqual(await downOf(server.url), [])
    await gate.close()
    assert.deepEqual(await downOf(server.url), ['store'])
    assert.deepEqual((await call(server.url, key, 'list')).class, 'UNAVAILABLE')
    await gate.open()
    await until(isBack, 'a store that is back')
  })

  it('tells it in time when PostgreSQL keeps its connections but does not answer', async () => {
    gate.block()
    const startedAt = performance.now()
    assert.deepEqual(await downOf(server.url), ['store'])
    assert.ok(performance.now() - startedAt < 3000)
    assert.equal((await call(server.url, key, 'list')).status, 503)
    await gate.close()
    await gate.open()
    await until(isBack, 'a store that is back')
  })

  it('stays ready while PostgreSQL takes no writes, which its details and metrics tell', async () => {
    await ask(`ALTER ROLE ${ROLE} SET default_transaction_read_only = on`)
    await gate.close() // sessions take the setting when they begin
    await gate.open()
    const told =
      /"type":"down","name":"store","msg":"store is down: .*takes no writes: .*\(25006: cannot execute INSERT/
    // At first it may be down for the connections that the gate has cut.
    await until(async () => (await downOf(server.url)) && told.test(server.log()), 'a store without writes')
    assert.deepEqual(await downOf(server.url), ['store'])
    assert.equal(gauge(await metricsOf(server), 'dependency_up{dependency="store"}'), 0)
    await ask(`ALTER ROLE ${ROLE} RESET default_transaction_read_only`)
    await gate.close()
    await gate.open()
    await until(isBack, 'a store that takes writes')
    assert.equal(gauge(await metricsOf(server), 'dependency_up{dependency="store"}'), 1)
  })

  it('logs neither the password nor a key', async () => {
    assert.equal((await call(server.url, key, 'list')).status, 200)
    assert.equal(await stop(server.child), 0)
    assert.match(server.log(), /"msg":"dependency keys is down: /)
    for (const secret of [PASSWORD, key]) assert.ok(!server.log().includes(secret), secret)
  })
})
