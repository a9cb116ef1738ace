import assert from 'node:assert/strict'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mock } from 'node:test'
import { defineCatalogue, defineFold } from 'foldgate'
import { RelationCache } from '#lib/duckdb/cache.js'
import { catalogue } from '../../service/catalogue.js'
import { OTHER_PROJECT, PACKAGE, PROJECT, type Service, startService } from '../../service/service.js'
import { until } from '../../until.js'
import { appears } from './appears.js'

const SLOW = defineFold({
  name: 'slow',
  about: 'Counts far.',
  reads: ['amounts'],
  sql: 'SELECT (SELECT sum(amount) FROM amounts) AS total, count(*) AS n FROM range(24000000000)',
})
const CHANGED = { ...PACKAGE, 'amounts.csv': PACKAGE['amounts.csv'].replace('water,10', 'water,11') }
const MINUTE_MS = 60_000

describe('a snapshot that is superseded', () => {
  let service: Service
  before(async () => {
    const { hierarchy, relations, examples } = catalogue
    service = await startService({
      catalogue: defineCatalogue({ hierarchy, examples, relations: [...relations.values(), SLOW] }),
      engine: { connections: 3 }, // for two builds and a call
    })
  })
  after(() => service.close())

  const folder = () => join(service.folder, 'engine', 'cache', PROJECT)
  const total = async (sql: string) => {
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
    return body.result?.items?.[0]?.total ?? body.message
  }
  const faults = () => service.events.filter(event => (event.type === 'build' ? event.cause : event.type === 'fault'))

  it('still serves a query that is building from it, while others read the newest', async () => {
    const answer = total('SELECT total FROM slow')
    await appears(join(service.folder, 'engine', 'scratch'), name => name.endsWith('.tmp'))
    await service.seal(PROJECT, CHANGED)
    assert.equal(await total('SELECT sum(amount) AS total FROM amounts'), 178)
    assert.equal((await readdir(folder())).length, 2)
    assert.equal(await answer, 177)
    assert.deepEqual(faults(), [])
  })

  it('can still be read by a call that found it earlier, and its relations are still built', async () => {
    const { list } = service.snapshots
    service.snapshots.list = async (...asked) => [...(await list(...asked))].reverse()
    const builds = service.events.filter(event => event.type === 'build').length
    assert.equal(await total('SELECT sum(amount) AS total FROM amounts WHERE amount > 0'), 177)
    service.snapshots.list = list
    assert.equal(await total('SELECT sum(amount) AS total FROM amounts WHERE amount > 1'), 178)
    assert.equal(service.events.filter(event => event.type === 'build').length, builds)
    assert.deepEqual(faults(), [])
  })
})

describe('a query that waits for a connection', () => {
  it('still finds the files of its snapshot when a newer one is queried meanwhile', async () => {
    const service = await startService({ engine: { connections: 1 }, limits: { connectionWaitMs: 20_000 } })
    try {
      const ask = async (sql: string, projectId = PROJECT) => {
        const { body } = await service.call('projects/query', { projectId, sql })
        return Object.values(body.result?.items?.[0] ?? { message: body.message })[0]
      }
      const waiting = (count: number) => until(() => service.api.stats().waiting >= count, 'queued calls')
      const builds = () => service.events.filter(event => event.type === 'build').length
      assert.equal(await ask('SELECT sum(amount) AS total FROM amounts'), 177)
      const before = builds()
      const long = ask('SELECT count(*) AS n FROM range(1000000000) t(i) WHERE hash(i) > 0', OTHER_PROJECT)
      await until(() => service.api.stats().busy > 0, 'the long query runs')
      const old = ask('SELECT sum(amount) AS total FROM amounts WHERE amount > 0')
      await waiting(1)
      await service.seal(PROJECT, CHANGED)
      const other = ask('SELECT 1 AS one')
      await waiting(2)
      assert.deepEqual((await Promise.all([old, other, long])).slice(0, 2), [177, 1])
      assert.equal(builds(), before)
    } finally {
      await service.close()
    }
  })
})

describe('the built relations of a snapshot', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())
  afterEach(() => mock.timers.reset())

  /** Opens a cache with one relation per snapshot, each built this many minutes ago. */
  async function cacheOf(built: Record<string, number>) {
    const folder = join(service.folder, 'caches', String(Math.random()))
    for (const [snapshot, minutes] of Object.entries(built)) {
      const path = join(folder, snapshot, 'r.duckdb')
      await mkdir(join(folder, snapshot), { recursive: true })
      await writeFile(path, 'rows')
      await writeFile(join(folder, snapshot, 'r.json'), '[]')
      const then = new Date(Date.now() - minutes * MINUTE_MS)
      await utimes(path, then, then)
    }
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() })
    const cache = await RelationCache.open(folder, 2 ** 40, {
      onFailure: cause => assert.fail(String(cause)),
      onRemove: () => {},
    })
    const left = async () =>
      (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.duckdb')).sort()
    return { cache, left }
  }
  /** Advances the clock. */
  const pass = (minutes: number) => mock.timers.tick(minutes * MINUTE_MS)

  it('are removed an hour after their last use, except for the last used snapshot of a project', async () => {
    const { cache, left } = await cacheOf({ 'p/1': 300, 'p/2': 50, 'p/3': 40, 'q/1': 600 })
    try {
      cache.folderOf('p', '2')
      pass(10)
      await until(async () => (await left()).length === 3, 'the oldest is removed')
      assert.deepEqual(await left(), ['p/2/r.duckdb', 'p/3/r.duckdb', 'q/1/r.duckdb'])
      pass(60)
      await until(async () => (await left()).length === 2, 'one that was not used since is removed')
      assert.deepEqual(await left(), ['p/2/r.duckdb', 'q/1/r.duckdb'])
      assert.equal(cache.bytes, 2 * 'rows'.length)
      pass(1_000)
      assert.deepEqual(await left(), ['p/2/r.duckdb', 'q/1/r.duckdb'])
    } finally {
      cache.close()
    }
  })
})
