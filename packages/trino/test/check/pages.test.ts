import assert from 'node:assert/strict'
import { readParquetRows } from '../../../../test/types/arrow.js'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'
import { ENTITIES, FOREIGN, KEYS, ON_DUCKDB, ON_TRINO, type Site, startSite } from './site.js'

const NUMBERS = 'SELECT n, n * 1e0 / 7 AS part FROM UNNEST(sequence(1, 2500)) AS t(n) ORDER BY n DESC'

describe('a project on Trino', () => {
  let site: Site
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    const trino: Cluster = await sharedCluster(this)
    site = await startSite(trino)
    for (const projectId of [ON_TRINO, ON_DUCKDB, FOREIGN]) await site.seal(projectId)
  })
  after(() => site?.close())

  for (const [ownershipView, entityId] of [
    ['net', null],
    ['net', ENTITIES.half],
    ['gross', ENTITIES.half],
  ])
    it(`has the folds of DuckDB, ${ownershipView}, of ${entityId ?? 'the whole project'}`, async () => {
      const params = { sql: 'SELECT * FROM fold_totals ORDER BY item', entityId, ownershipView }
      const onTrino = await site.call('projects/query', { projectId: ON_TRINO, ...params })
      const onDuckdb = await site.call('projects/query', { projectId: ON_DUCKDB, ...params })
      assert.ok(onDuckdb.result?.items?.length, onDuckdb.message)
      assert.deepEqual(onTrino.result?.items, onDuckdb.result.items, onTrino.message)
    }).timeout(60_000)

  it('has the tables of the snapshot, with the types of Trino', async () => {
    const { result } = await site.query(
      'SELECT entity_id, ownership_share FROM entities ORDER BY entity_key, parent_key',
    )
    assert.deepEqual(result?.items?.at(-1), { entity_id: ENTITIES.leaf, ownership_share: 0.8 })
    const described = await site.call('projects/describe', { projectId: ON_TRINO, relation: 'entities' })
    assert.deepEqual(described.result?.columns, [
      { name: 'entity_key', type: 'VARCHAR' },
      { name: 'entity_id', type: 'UUID' },
      { name: 'parent_key', type: 'VARCHAR' },
      { name: 'ownership_share', type: 'DOUBLE' },
    ])
  })

  it('has an optional table that the snapshot lacks, without rows', async () => {
    const { result, message } = await site.query('SELECT note, written, about FROM notes')
    assert.deepEqual(result?.items, [], message)
    const described = await site.call('projects/describe', { projectId: ON_TRINO, relation: 'notes' })
    assert.deepEqual(described.result?.columns, [
      { name: 'note', type: 'VARCHAR' },
      { name: 'written', type: 'TIMESTAMP(6)' },
      { name: 'about', type: 'JSON' },
    ])
  })

  it('is read page by page, in the order of the statement', async () => {
    const seen: unknown[] = []
    let cursor: string | undefined
    do {
      const page: { limit: number; cursor?: string } = { limit: 500, ...(cursor ? { cursor } : {}) }
      const { result, message } = await site.query(NUMBERS, { page })
      assert.ok(result?.items, message)
      seen.push(...result.items.map(row => row.n))
      cursor = result.nextCursor
    } while (cursor)
    assert.deepEqual(
      seen,
      Array.from({ length: 2500 }, (_, index) => 2500 - index),
    )
  })

  it('keeps the rows of a statement that differs from run to run', async () => {
    const sql = 'SELECT random() AS r FROM UNNEST(sequence(1, 40)) AS t(n)'
    const first = await site.query(sql, { page: { limit: 20 } })
    const page = { limit: 20, cursor: first.result?.nextCursor }
    const [second, again] = [await site.query(sql, { page }), await site.query(sql, { page })]
    assert.equal(second.result?.items?.length, 20, second.message)
    assert.deepEqual(second.result.items, again.result?.items)
  })

  it('ends a page early at its bytes, and reads on from there', async () => {
    const sql =
      "SELECT n, s AS long, s AS again FROM (SELECT array_join(repeat(rpad('', 10000, 'x'), 75), '') AS s), " +
      'UNNEST(sequence(1, 4)) AS t(n) ORDER BY n'
    const first = await site.query(sql)
    assert.deepEqual(
      first.result?.items?.map(({ n }) => n),
      [1, 2],
      first.message,
    )
    const second = await site.query(sql, { page: { cursor: first.result?.nextCursor } })
    assert.deepEqual(
      second.result?.items?.map(({ n }) => n),
      [3, 4],
      second.message,
    )
  })

  it('refuses a row that fits on no page', async () => {
    const {
      class: of,
      message,
      data,
    } = await site.query(
      "SELECT s AS a, s AS b, s AS c, s AS d, s AS e FROM (SELECT array_join(repeat(rpad('', 10000, 'é'), 45), '') AS s)",
    )
    assert.equal(of, 'INVALID_QUERY', message)
    assert.equal(data?.rule, 'row-size')
  })

  it('names columns as pages of DuckDB do', async () => {
    const { result } = await site.query('SELECT 1 AS a, 2 AS a, 3 AS "A b", 4 AS "__proto__"')
    assert.equal(JSON.stringify(result?.items), '[{"a":1,"a_1":2,"A b":3,"__proto__":4}]')
  })

  it('exports every row, in order, in every format', async () => {
    const rows = readParquetRows(await site.exported(ON_TRINO, NUMBERS))
    assert.deepEqual(
      rows.map(({ n }) => n),
      Array.from({ length: 2500 }, (_, index) => 2500 - index),
    )
    const text = async (format: string) => Buffer.from(await site.exported(ON_TRINO, NUMBERS, format)).toString()
    assert.deepEqual((await text('csv')).split(/\r?\n/).slice(0, 2), ['n,part', `2500,${2500 / 7}`])
    assert.deepEqual(JSON.parse((await text('ndjson')).split('\n')[1] ?? ''), { n: 2499, part: 357 })
    const arrow = await site.exported(ON_TRINO, 'SELECT n FROM UNNEST(sequence(1, 25)) AS t(n)', 'arrow')
    assert.equal(Buffer.from(arrow).subarray(0, 4).toString('hex'), 'ffffffff') // how a stream begins
    assert.equal(
      Buffer.from(await site.exported(ON_TRINO, NUMBERS, 'xlsx'))
        .subarray(0, 2)
        .toString(),
      'PK',
    )
  })

  it('exports a result without rows', async () => {
    const csv = await site.exported(ON_TRINO, 'SELECT item, total FROM fold_totals WHERE total < 0', 'csv')
    assert.equal(Buffer.from(csv).toString().trim(), 'item,total')
  })

  it('is not read by keys of another organization, nor shown its rows', async () => {
    const params = { sql: 'SELECT * FROM amounts', projectId: ON_TRINO }
    assert.equal((await site.call('projects/query', params, { key: KEYS.south })).class, 'FORBIDDEN')
    const own = await site.call('projects/query', { ...params, projectId: FOREIGN }, { key: KEYS.south })
    assert.equal(own.result?.items?.length, 5, own.message)
  })

  it('is read anew when a snapshot is sealed, also where a column is JSON', async () => {
    const files = {
      'entities.csv': `entity_key,entity_id,parent_key,ownership_share\ngroup,${ENTITIES.group},,1\n`,
      'amounts.csv': 'entity_key,item,amount\ngroup,water,11\n',
      'notes.csv': 'note,written,about\nfirst,2026-11-20 01:02:03.25,"{""n"": [1, 2.5]}"\nsecond,,\n',
    }
    await site.seal(ON_TRINO, files)
    const { result, message } = await site.query('SELECT * FROM notes ORDER BY note')
    assert.deepEqual(
      result?.items,
      [
        { note: 'first', written: '2026-11-20T01:02:03.25', about: { n: [1, 2.5] } },
        { note: 'second', written: null, about: null },
      ],
      message,
    )
    const totals = await site.query('SELECT item, total FROM fold_totals')
    assert.deepEqual(totals.result?.items, [{ item: 'water', total: 11 }])
  })
})
