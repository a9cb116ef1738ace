import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AnalyticsError, type AnalyticsEvent, createAnalyticsApi, duckdbEngine } from 'foldgate'
import { FileLocks } from '#lib/files/locks.js'
import { catalogue } from '../../service/catalogue.js'
import { KEYS, PROJECT, type Service, type ServiceOptions, startService } from '../../service/service.js'
import { until } from '../../until.js'

/** Rows of several pages. */
const LONG = 'SELECT i FROM range(3000) t(i) ORDER BY i DESC'
const EXPORTS = { put: async () => {}, open: async () => null }
let asked = 0
const fresh = () => `SELECT sum(amount) AS total, ${++asked} AS n FROM amounts`

/** Opens another service over the same projects, with its engine in `folder`. */
function openBeside({ host, snapshots }: Service, folder: string) {
  const events: AnalyticsEvent[] = []
  const api = createAnalyticsApi({
    baseUrl: 'http://127.0.0.1',
    secrets: ['a secret of the tests, long enough to seal'],
    catalogue,
    keys: host.keyPort,
    projects: host.projectPort,
    snapshots,
    exports: EXPORTS,
    onEvent: event => void events.push(event),
    engine: duckdbEngine({ connections: 1, folder }),
  })
  return {
    api,
    events,
    builds: () => events.filter(event => event.type === 'build').length,
    /** The total that a query returns, the number of rows of an export, or the class of the error. */
    async ask(method: 'query' | 'export' = 'query'): Promise<unknown> {
      const params = { projectId: PROJECT, sql: fresh() }
      try {
        const { result } = await api.call(`projects/${method}`, params, { authorization: `Bearer ${KEYS.north}` })
        const { items, rows } = result as { items?: { total: number }[]; rows?: number }
        return items?.[0]?.total ?? rows
      } catch (cause) {
        return cause instanceof AnalyticsError ? cause.class : cause
      }
    },
  }
}

describe('the folder of the engine', () => {
  let service: Service
  const start = async (options: ServiceOptions = {}) => {
    service = await startService(options)
    return service
  }
  afterEach(() => service.close())

  const home = (...names: string[]) => join(service.folder, 'engine', ...names)
  const call = (method: string, params: object) => service.call(`projects/${method}`, { projectId: PROJECT, ...params })
  const total = async () => (await call('query', { sql: fresh() })).body.result?.items?.[0]?.total
  const events = (type: string) => service.events.filter(event => event.type === type)
  /** Reads a whole result, page by page; each page must succeed. */
  async function read(sql: string): Promise<unknown[]> {
    const rows: unknown[] = []
    let cursor: string | undefined
    do {
      const { body } = await call('query', { sql, page: { limit: 500, ...(cursor ? { cursor } : {}) } })
      assert.ok(body.result, body.message)
      rows.push(...(body.result.items ?? []).map(row => row.i))
      cursor = body.result.nextCursor
    } while (cursor)
    return rows
  }

  it('is created by a later call if it could not be: until then UNAVAILABLE, and the host gets an event', async () => {
    await start()
    const place = join(service.folder, 'later')
    await writeFile(place, 'a file where the folder belongs')
    const { api, events: told, ask } = openBeside(service, place)
    await api.ready() // resolves, as there is nothing to wait for
    assert.equal(api.stats().ready, 0)
    for (let count = 0; count < 2; count++) assert.equal(await ask(), 'UNAVAILABLE')
    assert.ok(told.some(event => event.type === 'dependency' && event.port === 'engine'))
    assert.deepEqual(await api.health(), { workers: 0, guard: false, sandbox: null, catalogue: null })
    await rm(place)
    assert.equal(await ask(), 177)
    const { workers, guard } = await api.health()
    assert.deepEqual([workers, guard], [1, true])
    await api.close()
  })

  for (const name of ['outbox', 'results', 'cache', 'scratch']) {
    // What a process of which the folder is gone would write is lost: another one takes its place.
    const isKept = name !== 'scratch'
    it(`is restored when its ${name} was removed${isKept ? ', without replacing a process' : ''}`, async () => {
      await start()
      assert.equal(await total(), 177)
      const pids = service.api.pids()
      await rm(home(name), { recursive: true })
      assert.equal(await total(), 177)
      assert.equal((await call('export', { sql: fresh() })).body.result?.rows, 1)
      assert.deepEqual(
        await read(LONG),
        Array.from({ length: 3000 }, (_, at) => 2999 - at),
      )
      const { body } = await call('describe', { relation: 'amounts' })
      assert.ok(body.result?.columns)
      assert.deepEqual(events('fault'), [])
      if (!isKept) return
      assert.deepEqual(
        pids.filter(pid => !service.api.pids().includes(pid)),
        [],
      )
      assert.equal(service.api.stats().restarts, 0)
    })
  }

  it('with unwritable outbox and results: exports are UNAVAILABLE, pages work, no process is replaced', async () => {
    await start()
    assert.equal(await total(), 177)
    for (const name of ['outbox', 'results']) {
      await rm(home(name), { recursive: true })
      await writeFile(home(name), '')
    }
    const { status, body } = await call('export', { sql: fresh() })
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
    assert.equal(new Set(await read(LONG)).size, 3000)
    assert.ok(service.events.some(event => event.type === 'dependency' && event.port === 'engine'))
    assert.deepEqual([service.api.stats().restarts, events('fault')], [0, []])
    for (const name of ['outbox', 'results']) await rm(home(name))
    assert.equal((await call('export', { sql: fresh() })).status, 200)
  })

  it('is not shared by two services: each has its own place in it, which a later service reuses', async () => {
    await start()
    const folder = home()
    const second = openBeside(service, folder)
    assert.equal(await total(), 177)
    assert.equal(await second.ask(), 177)
    assert.ok((await readdir(folder)).includes('2'))
    for (let count = 0; count < 3; count++) {
      assert.equal((await call('export', { sql: fresh() })).status, 200)
      assert.equal(await second.ask('export'), 1)
    }
    assert.deepEqual(
      [...service.events, ...second.events].filter(({ type }) => type === 'fault'),
      [],
    )
    await second.api.close()
    const third = openBeside(service, folder)
    assert.equal(await third.ask(), 177)
    assert.equal(third.builds(), 0, 'the third service finds the relations that were built there')
    assert.ok(!(await readdir(folder)).includes('3'))
    await third.api.close()
  })

  it('is cleaned of the files of a killed service, whose place is reused', async function () {
    if (process.platform !== 'linux') this.skip()
    await start()
    const folder = join(service.folder, 'left')
    // The lock that an ended process leaves, whose id now belongs to another process.
    const before = openBeside(service, folder)
    assert.equal(await before.ask(), 177)
    const [lock = ''] = await readdir(join(folder, '.locks'))
    await before.api.close()
    const ended = lock.replace(/-\d+-\d+~/, `-${process.pid}-1~`)
    await writeFile(join(folder, '.locks', ended), '')
    for (const name of ['scratch', 'outbox', 'results']) {
      await mkdir(join(folder, name, 'old'), { recursive: true })
      await writeFile(join(folder, name, 'old', 'rows.parquet'), 'rows')
    }
    const after = openBeside(service, folder)
    assert.equal(await after.ask(), 177)
    assert.equal(after.builds(), 0)
    const left = await readdir(folder, { recursive: true })
    assert.deepEqual(
      left.filter(name => name.includes('old') || name === '2'),
      [],
    )
    await after.api.close()
    assert.deepEqual(await readdir(join(folder, '.locks')), [])
  })

  it('keeps the places of other services for one day after their last use', async () => {
    await start()
    const folder = join(service.folder, 'places')
    const used = { '2': 25, '3': 23 }
    for (const [place, hours] of Object.entries(used)) {
      await mkdir(join(folder, place, 'cache', 'project'), { recursive: true })
      await mkdir(join(folder, place, 'results'))
      const then = new Date(Date.now() - hours * 3_600_000)
      await utimes(join(folder, place, 'results'), then, then)
    }
    await mkdir(join(folder, '4'))
    await new FileLocks(join(folder, '.locks')).take('service-4', 'exclusive')
    const other = openBeside(service, folder)
    assert.equal(await other.ask(), 177)
    const left = (await readdir(folder)).filter(name => /^\d+$/.test(name))
    assert.deepEqual(left.sort(), ['3', '4'], 'one was used recently, one is locked')
    await other.api.close()
  })

  it('is restored for processes that start after it was gone', async () => {
    await start({ engine: { connections: 1 } })
    assert.equal(await total(), 177)
    await rename(home('scratch'), home('away'))
    await writeFile(home('scratch'), '')
    for (const pid of service.api.pids()) process.kill(pid, 'SIGKILL')
    await until(() => service.api.stats().ready === 0, 'the end of the process')
    await rm(home('scratch'))
    await until(async () => (await call('query', { sql: fresh() })).status === 200, 'a process that has started again')
  })
})
