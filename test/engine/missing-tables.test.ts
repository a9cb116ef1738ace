import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AnalyticsEvent, defineCatalogue, defineFold, defineTable } from 'foldgate'
import { fromFolder, openSealer } from 'foldgate/sealing'
import { catalogue as old } from '../service/catalogue.js'
import { OTHER_PROJECT, PACKAGE, PROJECT, type Service, startService } from '../service/service.js'

const about = 'A fold of the tests.'
const columns = { item: 'VARCHAR', limit_of: 'DOUBLE' }
const { hierarchy, examples } = old
/** The catalogue after a release: with two tables that no snapshot has, of which one is optional. */
const newer = defineCatalogue({
  hierarchy,
  examples,
  relations: [
    ...old.relations.values(),
    defineTable({ name: 'limits', columns }),
    defineTable({ name: 'hints', columns, optional: true }),
    defineFold({
      name: 'over_limit',
      about,
      reads: ['fold_totals', 'limits'],
      sql: 'SELECT item FROM fold_totals JOIN limits USING (item) WHERE total > limit_of',
    }),
    defineFold({ name: 'hinted', about, reads: ['hints'], sql: 'SELECT count(*) AS n FROM hints' }),
  ],
})

/** What a caller reads: the same, whatever is missing and of whom. */
const UNAVAILABLE = {
  code: -32007,
  class: 'UNAVAILABLE',
  message: 'The latest snapshot of the project cannot be read now.',
}

describe('a snapshot of before the catalogue changed', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService({ catalogue: newer, sealedAs: old })
  })
  afterEach(() => service.close())

  const query = (sql: string) => service.call('projects/query', { projectId: PROJECT, sql })
  const mustBeUnavailable = ({ status, body }: Awaited<ReturnType<typeof query>>) => {
    const { code, class: name, message } = body
    assert.deepEqual({ status, code, class: name, message }, { status: 503, ...UNAVAILABLE, code })
    assert.deepEqual(body.data ?? {}, {})
  }
  const told = () =>
    service.events.flatMap(event => (event.type === 'dependency' ? [[event.port, String(event.cause)]] : []))
  it('is UNAVAILABLE to calls that need a table that it lacks, and to no others', async () => {
    const [snapshotId] = await service.snapshots.list(PROJECT, AbortSignal.timeout(10_000))
    const sql = 'SELECT item FROM over_limit'
    const calls = [
      () => query(sql),
      () => query('SELECT count(*) AS n FROM limits'),
      () => query('SELECT * FROM fold_totals, limits'),
      () => service.call('projects/describe', { projectId: PROJECT, relation: 'limits' }),
      () => service.call('projects/export', { projectId: PROJECT, sql }),
    ]
    for (const [at, call] of calls.entries()) {
      mustBeUnavailable(await call())
      assert.equal(told().length, at + 1)
      const [port, cause] = told()[at] ?? []
      assert.equal(port, 'snapshots')
      assert.match(String(cause), /has no table "limits", unlike the catalogue/)
      assert.ok(cause?.includes(`${snapshotId}`) && cause.includes(PROJECT) && !cause.includes('\n'), cause)
    }
    assert.equal((await query('SELECT count(*) AS n FROM fold_totals')).status, 200)
    assert.deepEqual((await query('SELECT n FROM hinted')).body.result?.items, [{ n: 0 }])
    assert.deepEqual((await query('SELECT item, limit_of FROM hints')).body.result?.items, [])
    const described = await service.call('projects/describe', { projectId: PROJECT })
    assert.equal(described.status, 200)
    assert.ok(described.body.result?.relations?.some(({ name }) => name === 'limits'))
    const isUnwanted = (event: AnalyticsEvent) =>
      event.type === 'fault' || (event.type === 'engine' && event.what !== 'started')
    assert.deepEqual(service.events.filter(isUnwanted), [])
  })

  it('is answered from the next snapshot, of each project by itself', async () => {
    const source = join(service.folder, 'newer')
    await mkdir(source)
    const files = { ...PACKAGE, 'limits.csv': 'item,limit_of\nland,1\nwater,1000\n' }
    for (const [name, text] of Object.entries(files)) await writeFile(join(source, name), text)
    const sealer = await openSealer({
      catalogue: newer,
      snapshots: service.snapshots,
      folder: join(service.folder, 'scratch'),
    })
    try {
      await sealer.seal({ projectId: PROJECT, tables: fromFolder(source) })
    } finally {
      await sealer.close()
    }
    assert.deepEqual((await query('SELECT item FROM over_limit')).body.result?.items, [{ item: 'land' }])
    const other = { projectId: OTHER_PROJECT, sql: 'SELECT item FROM over_limit' }
    mustBeUnavailable(await service.call('projects/query', other))
    assert.equal(told().length, 1)
    assert.match(told()[0]?.[1] ?? '', new RegExp(OTHER_PROJECT))
  })
})
