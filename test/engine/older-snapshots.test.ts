import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AnalyticsEvent, type Catalogue, defineCatalogue, defineFold, defineTable } from 'foldgate'
import { fromFolder, openSealer } from 'foldgate/sealing'
import { catalogue as old } from '../service/catalogue.js'
import { ENTITIES, PACKAGE, PROJECT, type Service, startService } from '../service/service.js'

const about = 'A fold of the tests.'
const { hierarchy, examples } = old
/** The catalogue after a release: a table and a column more, an optional table, and folds of them. */
const newer = defineCatalogue({
  hierarchy,
  examples,
  relations: [
    ...[...old.relations.values()].filter(({ name }) => name !== 'amounts' && name !== 'fold_totals'),
    defineTable({ name: 'amounts' }),
    defineTable({ name: 'limits', columns: { item: 'VARCHAR', limit_of: 'DOUBLE' } }),
    defineTable({ name: 'hints', columns: { hint: 'VARCHAR' }, optional: true }),
    defineFold({ name: 'fold_totals', about, reads: ['amounts', 'point_of_view'], sql: totals('sum(amount * share)') }),
    defineFold({ name: 'graded', about, reads: ['amounts', 'point_of_view'], sql: totals('max(grade)') }),
    defineFold({
      name: 'over_limit',
      about,
      reads: ['fold_totals', 'limits'],
      sql: 'SELECT item FROM fold_totals JOIN limits USING (item) WHERE total > limit_of',
    }),
    defineFold({ name: 'hinted', about, reads: ['hints'], sql: 'SELECT count(*) AS n FROM hints' }),
  ],
})

function totals(value: string): string {
  return `SELECT item, ${value} AS total FROM amounts JOIN point_of_view USING (entity_key) GROUP BY item`
}

/** After the release: `half` is sold, so the group has only a quarter of the joint venture, and the leaf is new. */
const LEAF = 'aaaaaaaa-0000-4000-8000-00000000000a'
const NEWER = {
  'entities.csv': `entity_key,entity_id,parent_key,ownership_share
group,${ENTITIES.group},,1
joint,${ENTITIES.joint},group,0.25
leaf,${LEAF},joint,0.8
`,
  'amounts.csv': 'entity_key,item,amount,grade\ngroup,water,1,3\njoint,water,40,2\nleaf,water,1000,1\n',
  'limits.csv': 'item,limit_of\nwater,100\n',
}

/** Whether an event tells the host of something wrong; a worker may start at any time. */
const isAlarm = (event: AnalyticsEvent) =>
  ['dependency', 'fault'].includes(event.type) || (event.type === 'engine' && event.what !== 'started')

describe('a snapshot of before the catalogue and the tree changed', () => {
  let service: Service
  let first: string
  let second: string
  before(async () => {
    service = await startService({ catalogue: newer, sealedAs: old, files: PACKAGE })
    first = (await service.snapshots.list(PROJECT, AbortSignal.timeout(10_000)))[0] ?? ''
    second = await seal(newer, NEWER)
  })
  after(() => service.close())

  async function seal(catalogue: Catalogue, files: Record<string, string>): Promise<string> {
    const source = join(service.folder, 'newer')
    await mkdir(source)
    for (const [name, text] of Object.entries(files)) await writeFile(join(source, name), text)
    const { snapshots, folder } = service
    const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    try {
      return (await sealer.seal({ projectId: PROJECT, tables: fromFolder(source) })).manifest.snapshotId
    } finally {
      await sealer.close()
    }
  }

  const call = (method: string, params: object) => service.call(`projects/${method}`, { projectId: PROJECT, ...params })
  const query = (sql: string, params: object) => call('query', { sql, ...params })
  const WATER = "SELECT total FROM fold_totals WHERE item = 'water'"
  const water = async (params: object) => (await query(WATER, params)).body.result?.items?.[0]?.total

  it('is read with its own shares and entities', async () => {
    assert.equal(await water({ snapshot: first }), 80)
    assert.equal(await water({}), 1 + 40 * 0.25 + 1000 * 0.25 * 0.8)
    assert.equal(await water({ snapshot: second }), await water({}))
    assert.equal(await water({ snapshot: first, ownershipView: 'gross' }), 170)
    assert.equal(await water({ snapshot: first, entityId: ENTITIES.leaf }), 100)
    assert.equal(await water({ snapshot: second, entityId: LEAF }), 1000)
    const joined = `SELECT e.entity_key AS k, total FROM fold_totals JOIN entities e ON e.entity_id = '${ENTITIES.half}'
      WHERE item = 'water'`
    assert.deepEqual((await query(joined, { snapshot: first })).body.result?.items, [{ k: 'half', total: 80 }])
    assert.deepEqual((await query(joined, {})).body.result?.items, [])
    for (const [snapshot, entityId] of [
      [first, LEAF],
      [second, ENTITIES.leaf],
      [null, ENTITIES.half],
    ] as const) {
      const { status, body } = await query(WATER, { snapshot, entityId })
      assert.deepEqual([status, body.class, body.data?.path], [404, 'NOT_FOUND', 'entityId'])
    }
  })

  it('has the columns of its own tables', async () => {
    const columns = async (snapshot: string) =>
      (await call('describe', { relation: 'amounts', snapshot })).body.result?.columns?.map(({ name }) => name)
    assert.deepEqual(await columns(first), ['entity_key', 'item', 'amount'])
    assert.deepEqual(await columns(second), ['entity_key', 'item', 'amount', 'grade'])
    const ofResult = async (snapshot: string, more: object) =>
      (await query('SELECT * FROM amounts', { snapshot, ...more })).body.result?.columns?.length
    for (const more of [{ dryRun: true }, { include: ['columns'] }, { page: { limit: 1 }, include: ['columns'] }])
      assert.deepEqual([await ofResult(first, more), await ofResult(second, more)], [3, 4])
    const { body } = await query('SELECT grade FROM amounts', { snapshot: first })
    assert.equal(body.class, 'INVALID_QUERY')
  })

  it('reads an optional table that it lacks as empty', async () => {
    assert.deepEqual((await query('SELECT n FROM hinted', { snapshot: first })).body.result?.items, [{ n: 0 }])
  })

  it('is INVALID_PARAMS to calls that need a table that it lacks, and the host is not alarmed', async () => {
    const before = service.events.length
    for (const [method, params] of [
      ['query', { sql: 'SELECT item FROM over_limit' }],
      ['query', { sql: 'SELECT total FROM fold_totals, limits', entityId: ENTITIES.leaf }],
      ['query', { sql: 'SELECT item FROM over_limit', dryRun: true }],
      ['export', { sql: 'SELECT item FROM over_limit' }],
      ['describe', { relation: 'limits' }],
      ['describe', { relation: 'over_limit' }],
    ] as const) {
      const { status, body } = await call(method, { ...params, snapshot: first })
      assert.deepEqual([status, body.class, body.data], [400, 'INVALID_PARAMS', { path: 'snapshot' }], method)
      assert.match(body.message ?? '', /has not all tables that are read: it was sealed before/)
    }
    const alarms = service.events.slice(before).filter(isAlarm)
    assert.deepEqual(alarms, [])
    assert.deepEqual((await query('SELECT item FROM over_limit', {})).body.result?.items, [{ item: 'water' }])
  })

  it('is INVALID_PARAMS to calls that need a relation that cannot be made of it', async () => {
    const before = service.events.length
    for (const [method, params] of [
      ['query', { sql: 'SELECT item FROM graded' }],
      ['export', { sql: 'SELECT item FROM graded' }],
      ['describe', { relation: 'graded' }],
    ] as const) {
      const { status, body } = await call(method, { ...params, snapshot: first })
      assert.deepEqual([status, body.class, body.data], [400, 'INVALID_PARAMS', { path: 'snapshot' }], method)
      assert.match(body.message ?? '', /cannot be made of this snapshot/)
      assert.doesNotMatch(body.message ?? '', /graded/)
    }
    assert.deepEqual(
      service.events.slice(before).filter(event => event.type === 'fault'),
      [],
    )
    assert.deepEqual((await query('SELECT total FROM graded', {})).body.result?.items, [{ total: 3 }])
  })
})
