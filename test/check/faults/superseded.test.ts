import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { defineCatalogue, defineFold } from 'foldgate'
import { RelationCache } from '#lib/duckdb/cache.js'
import { catalogue } from '../../service/catalogue.js'
import { KEYS, OTHER_PROJECT, PACKAGE, PROJECT, type Service, startService } from '../../service/service.js'
import { cachedRelations } from '../../stored.js'
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
    assert.equal(await answer, 177)
    // The amounts of both snapshots, and what was building.
    assert.equal((await cachedRelations(folder())).size, 3)
    assert.deepEqual(faults(), [])
  })

  it('can still be read by a call that found it earlier, and its relations are still built', async () => {
    const { list } = service.snapshots
    service.snapshots.list = async (...asked) => [...(await list(...asked))].reverse()
    const there = (await cachedRelations(folder())).size
    assert.equal(await total('SELECT sum(amount) AS total FROM amounts WHERE amount > 0'), 177)
    service.snapshots.list = list
    assert.equal(await total('SELECT sum(amount) AS total FROM amounts WHERE amount > 1'), 178)
    assert.equal((await cachedRelations(folder())).size, there)
    assert.deepEqual(faults(), [])
  })
})

describe('a query that waits for a connection', () => {
  it('still finds the files of its snapshot when a newer one is queried meanwhile', async () => {
    const service = await startService({ engine: { connections: 1 }, limits: { connectionWaitMs: 20_000 } })
    try {
      const ask = async (sql: string) => {
        const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
        return Object.values(body.result?.items?.[0] ?? { message: body.message })[0]
      }
      const waiting = (count: number) => until(() => service.api.stats().waiting >= count, 'queued calls')
      const relations = () => cachedRelations(join(service.folder, 'engine', 'cache', PROJECT))
      assert.equal(await ask('SELECT sum(amount) AS total FROM amounts'), 177)
      // A table that is asked often is built when the connection is idle, as it might be before the long query.
      const isBuilt = async () => [...(await relations()).values()].flat().some(file => file.endsWith('.duckdb'))
      for (let least = -1; !(await isBuilt()); least--)
        assert.equal(await ask(`SELECT sum(amount) AS total FROM amounts WHERE amount > ${least}`), 177)
      const before = [...(await relations()).keys()]
      await until(() => service.api.stats().busy === 0, 'the table is built')
      const caller = new AbortController()
      const sql = 'SELECT count(*) AS n FROM range(1000000000000) t(i) WHERE hash(i) > 0'
      const asked = { authorization: `Bearer ${KEYS.north}`, signal: caller.signal }
      const long = service.api.call('projects/query', { projectId: OTHER_PROJECT, sql }, asked)
      const isLeft = assert.rejects(long)
      await until(() => service.api.stats().busy > 0, 'the long query runs')
      const old = ask('SELECT sum(amount) AS total FROM amounts WHERE amount > 0')
      await waiting(1)
      await service.seal(PROJECT, CHANGED)
      const other = ask('SELECT 1 AS one')
      await waiting(2)
      caller.abort()
      assert.deepEqual(await Promise.all([old, other]), [177, 1])
      await isLeft
      assert.deepEqual([...(await relations()).keys()], before)
    } finally {
      await service.close()
    }
  })
})

describe('the built relations of snapshots', () => {
  let folder: string
  let cache: RelationCache
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-cache-'))
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() })
    await open()
  })
  afterEach(async () => {
    cache.close()
    mock.timers.reset()
    await rm(folder, { recursive: true })
  })

  async function open() {
    cache = await RelationCache.open(folder, 2 ** 40, {
      onFailure: cause => assert.fail(String(cause)),
      onRemove: () => {},
    })
  }
  /** Uses relations of a snapshot, and builds those that are not there. */
  async function use(project: string, snapshot: string, ...aliases: string[]) {
    const place = cache.folderOf(project, snapshot)
    for (const alias of aliases) {
      const path = cache.pathOf(place, alias)
      if (cache.find(path, snapshot)) continue
      await mkdir(join(folder, place), { recursive: true })
      await writeFile(path, 'rows')
      await cache.add(path, [], snapshot)
    }
  }
  const left = async () => (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.duckdb')).sort()
  /** Advances the clock, and waits for what should be left. */
  async function pass(minutes: number, ...expected: string[]) {
    mock.timers.tick(minutes * MINUTE_MS)
    const names = expected.map(name => `${name}.duckdb`)
    await until(async () => (await left()).length <= names.length, 'the others are removed')
    assert.deepEqual(await left(), names)
    assert.equal(cache.bytes, names.length * 'rows'.length)
  }

  it('are removed an hour after the last snapshot was used that has used them, and never those of the last one', async () => {
    await use('p', '1', 'a', 'shared')
    await use('q', '1', 'a')
    await pass(30, 'p/a', 'p/shared', 'q/a')
    await use('p', '2', 'b', 'shared')
    await pass(20, 'p/a', 'p/b', 'p/shared', 'q/a')
    await use('p', '1')
    await use('p', '2')
    await pass(50, 'p/a', 'p/b', 'p/shared', 'q/a')
    await pass(20, 'p/b', 'p/shared', 'q/a')
    await pass(1_000, 'p/b', 'p/shared', 'q/a')
    await use('p', '3', 'shared')
    await pass(70, 'p/shared', 'q/a')
  })

  it('of earlier runs are those of the snapshot that is used first', async () => {
    await use('p', '1', 'a', 'b')
    await use('q', '1', 'a')
    await mkdir(join(folder, 'p', 'place-of-earlier-versions'))
    await writeFile(join(folder, 'p', 'place-of-earlier-versions', 'a.duckdb'), 'rows')
    cache.close()
    await open()
    await pass(1_000, 'p/a', 'p/b', 'q/a')
    await use('p', '1', 'a')
    await pass(1_000, 'p/a', 'p/b', 'q/a')
    await use('p', '2', 'a')
    await pass(70, 'p/a', 'q/a')
  })
})
