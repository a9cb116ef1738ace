import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineFold } from 'foldgate'
import { tableFiles } from 'foldgate/sealing'
import { catalogue } from '../service/catalogue.js'
import { ENTITIES, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'
import { cachedRelations, tablesOf } from '../stored.js'
import { until } from '../until.js'

/** Bytes of headers in the file of a built relation; its rows follow. */
const END_OF_HEADERS = 3 * 4096

describe('building relations', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const query = (params: object = {}) =>
    service.call('projects/query', { projectId: PROJECT, sql: 'FROM fold_totals ORDER BY item', ...params })
  // Tables are read as they are sealed, and built behind the answers when that is worth it.
  const builds = (relation = 'fold_totals') =>
    service.events.filter(event => event.type === 'build' && event.relation === relation).length
  const relations = () => cachedRelations(join(service.folder, 'engine', 'cache', PROJECT))
  const cached = async () => [...(await relations()).values()].flat()

  it('happens once for all concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => query()))
    for (const answer of answers) assert.deepEqual(answer.body, answers[0]?.body)
    assert.equal(builds(), 1)
    // amounts, entities, the point of view, the fold
    assert.equal((await relations()).size, 4)
  })

  it('adds only what depends on the point of view when that changes', async () => {
    await query({ entityId: ENTITIES.half })
    assert.equal(builds(), 2)
    assert.equal((await relations()).size, 6)
  })

  for (const [what, damage] of [
    ['is not what was sealed', (path: string) => writeFile(path, 'damaged')],
    ['is gone', (path: string) => rm(path)],
  ] as const) {
    it(`answers UNAVAILABLE for a stored table that ${what}, tells the host, and ends no process`, async () => {
      await service.seal(OTHER_PROJECT)
      const [manifest] = await service.snapshots.manifests(OTHER_PROJECT)
      const amounts = manifest?.tables.find(({ name }) => name === 'amounts') ?? assert.fail('no amounts')
      await damage(join(tablesOf(join(service.folder, 'snapshots'), OTHER_PROJECT), tableFiles(amounts)[0]?.file ?? ''))
      const { pids, events } = { pids: service.api.pids(), events: service.events.length }
      const other = (method: string, params: object) =>
        service.call(`projects/${method}`, { projectId: OTHER_PROJECT, ...params })
      for (const [method, params] of [
        ['query', { sql: 'FROM amounts' }],
        ['export', { sql: 'FROM amounts' }],
        ['describe', { relation: 'amounts' }],
      ] as const) {
        const { status, body } = await other(method, params)
        assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
        assert.equal(body.message, 'The latest snapshot of the project cannot be read now.')
      }
      const told = service.events.slice(events)
      assert.equal(told.filter(event => event.type === 'build' && event.cause !== undefined).length, 3)
      assert.ok(told.every(event => event.type !== 'fault' && !(event.type === 'engine' && event.what !== 'started')))
      assert.deepEqual(
        pids.filter(pid => !service.api.pids().includes(pid)),
        [],
      )
      const { body } = await other('query', { sql: 'SELECT count(*) AS n FROM entities' })
      assert.deepEqual(body.result?.items, [{ n: 5 }])
    })
  }

  it('happens again when a cached file is damaged', async () => {
    const before = await query()
    for (const path of await cached()) await writeFile(path, 'damaged')
    for (const pid of service.api.pids()) process.kill(pid, 'SIGKILL') // they may have the intact files open
    let answer = await query()
    for (let attempt = 0; answer.status === 503 && attempt < 10; attempt++) answer = await query()
    assert.deepEqual(answer.body, before.body)
  })

  it('happens again when the rows in a cached file are damaged, and ends no process', async () => {
    const sql = 'SELECT sum(hash(unit)) AS h, count(*) AS n FROM fold_pressures WHERE net >= 0'
    const { body } = await query({ sql })
    for (const path of await cached()) {
      const bytes = await readFile(path)
      if (bytes.length < END_OF_HEADERS) continue // damaged by the test before this one
      bytes.fill(7, END_OF_HEADERS)
      await rm(path)
      await writeFile(path, bytes)
    }
    // They have the intact files open.
    const held = service.api.pids()
    for (const pid of held) process.kill(pid, 'SIGKILL')
    // Not as many: one that was killed while it started is replaced only when it is needed.
    const isAnew = () => service.api.pids().length > 0 && !service.api.pids().some(pid => held.includes(pid))
    await until(isAnew, 'other processes')
    const [pids, made] = [service.api.pids(), builds('fold_pressures')]
    for (let count = 0; count < 4; count++) assert.deepEqual((await query({ sql: `${sql} -- ${count}` })).body, body)
    assert.equal(builds('fold_pressures'), made + 1)
    assert.deepEqual(
      pids.filter(pid => !service.api.pids().includes(pid)),
      [],
    )
  })
})

describe('a build that takes long', () => {
  it('is UNAVAILABLE for a waiting caller, continues without it, and serves the retry', async () => {
    const slow = defineFold({
      name: 'slow',
      about: 'Counts far.',
      reads: [],
      sql: 'SELECT count(*) AS n FROM range(1000000000)',
    })
    const { hierarchy, relations, examples } = catalogue
    const service = await startService({
      catalogue: defineCatalogue({ hierarchy, examples, relations: [...relations.values(), slow] }),
      limits: { buildTimeoutMs: 50 },
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
      assert.deepEqual(answer.body.result?.items, [{ n: 1_000_000_000 }])
      assert.equal(service.events.filter(event => event.type === 'build').length, 1)
    } finally {
      await service.close()
    }
  })
})
