import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineFold } from 'foldgate'
import { catalogue } from '../service/catalogue.js'
import { ENTITIES, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'

describe('building relations', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const query = (params: object = {}) =>
    service.call('projects/query', { projectId: PROJECT, sql: 'FROM fold_totals ORDER BY item', ...params })
  const builds = () => service.events.filter(event => event.type === 'build').length
  const cached = async (projectId = PROJECT) => {
    const folder = join(service.folder, 'engine', 'cache', projectId)
    const [snapshot = ''] = await readdir(folder)
    const names = (await readdir(join(folder, snapshot))).filter(name => name.endsWith('.duckdb'))
    return names.map(name => join(folder, snapshot, name))
  }

  it('happens once for all that ask at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => query()))
    for (const answer of answers) assert.deepEqual(answer.body, answers[0]?.body)
    assert.equal(builds(), 1)
    // amounts, entities, the point of view, the fold
    assert.equal((await cached()).length, 4)
  })

  it('adds for another point of view only what depends on it', async () => {
    await query({ entityId: ENTITIES.half })
    assert.equal(builds(), 2)
    assert.equal((await cached()).length, 6)
  })

  it('starts anew when a cached file is damaged', async () => {
    const before = await query()
    for (const path of await cached()) await writeFile(path, 'damaged')
    for (const pid of service.api.pids()) process.kill(pid, 'SIGKILL') // they may hold the good files open
    let answer = await query()
    for (let attempt = 0; answer.status === 503 && attempt < 10; attempt++) answer = await query()
    assert.deepEqual(answer.body, before.body)
  })

  it('refuses a stored table that is not what was sealed', async () => {
    const [snapshot = ''] = await service.snapshots.list(OTHER_PROJECT, AbortSignal.timeout(1000))
    await writeFile(join(service.folder, 'snapshots', OTHER_PROJECT, snapshot, 'amounts.parquet'), 'damaged')
    const { status, body } = await service.call('projects/query', { projectId: OTHER_PROJECT, sql: 'FROM amounts' })
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
    assert.ok(service.events.some(event => event.type === 'build' && event.cause !== undefined))
    const entities = await service.call('projects/query', {
      projectId: OTHER_PROJECT,
      sql: 'SELECT count(*) AS n FROM entities',
    })
    assert.deepEqual(entities.body.result?.items, [{ n: 5 }])
  })
})

describe('a build that takes long', () => {
  it('is UNAVAILABLE for who waits, goes on behind them, and serves the retry', async () => {
    const slow = defineFold({
      name: 'slow',
      about: 'Counts far.',
      reads: [],
      sql: 'SELECT count(*) AS n FROM range(2000000000)',
    })
    const { hierarchy, relations, examples } = catalogue
    const service = await startService({
      catalogue: defineCatalogue({ hierarchy, examples, relations: [...relations.values(), slow] }),
      limits: { buildTimeoutMs: 100 },
    })
    try {
      const query = () => service.call('projects/query', { projectId: PROJECT, sql: 'FROM slow' })
      const first = await query()
      assert.deepEqual([first.status, first.body.class], [503, 'UNAVAILABLE'])
      assert.match(first.body.message ?? '', /[Tt]ry again/)
      const columns = await service.call('projects/describe', { projectId: PROJECT, relation: 'slow' })
      assert.equal(columns.body.class, 'UNAVAILABLE')
      let answer = await query()
      for (let attempt = 0; answer.status === 503 && attempt < 100; attempt++) answer = await query()
      assert.deepEqual(answer.body.result?.items, [{ n: 2_000_000_000 }])
      assert.equal(service.events.filter(event => event.type === 'build').length, 1)
    } finally {
      await service.close()
    }
  })
})
