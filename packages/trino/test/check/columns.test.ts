import assert from 'node:assert/strict'
import { defineCatalogue, defineFold } from 'foldgate'
import { PACKAGE } from '../../../../test/service/service.js'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'
import { catalogue, ENTITIES, ON_TRINO, type Site, startSite } from './site.js'

/** Statements with the columns that they have. */
const COLUMNS: [sql: string, ...columns: string[]][] = [
  ['SELECT 1 AS "MixedCase", 2 AS a, 3 AS a', 'MixedCase INTEGER', 'a INTEGER', 'a_1 INTEGER'],
  ["SELECT 1, 'abc', 1.50", '_col0 INTEGER', '_col1 VARCHAR(3)', '_col2 DECIMAL(3, 2)'],
  ['SELECT entity_id FROM entities -- so far', 'entity_id UUID'],
  ['SELECT item, amounts, total FROM fold_totals ORDER BY 1', 'item VARCHAR', 'amounts BIGINT', 'total DOUBLE'],
  ['WITH items AS (SELECT 1 AS n) SELECT * FROM items', 'n INTEGER'],
  ['WITH RECURSIVE items(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM items WHERE n < 3) TABLE items', 'n INTEGER'],
  ["VALUES ROW(ARRAY[MAP(ARRAY['k'], ARRAY[1e0])])", '_col0 ARRAY(MAP(VARCHAR(1), DOUBLE))'],
  ['SELECT written, about FROM notes', 'written TIMESTAMP(6)', 'about JSON'],
  ['SELECT CAST(item AS bigint) / 0 AS n FROM items', 'n BIGINT'],
]

/** Statements that fail before they run. */
const WRONG = [
  "SELECT item,\n  '😀' AS\n  smile, totals FROM fold_totals",
  'SELECT item\nFROM items,\n  strangers',
  'SELECT *\nFROM\n  held',
  'SELECT approx_set(amounts) AS sketch FROM items',
]

/** A cluster that does everything for the first time takes long. */
const PATIENT = { connectionWaitMs: 30_000, queryTimeoutMs: 10_000 }

describe('columns, totals and dry runs on Trino', () => {
  let trino: Cluster
  let site: Site
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
    site = await startSite(trino, {}, { limits: PATIENT })
    await site.seal(ON_TRINO)
  })
  after(() => site?.close())

  const dryRun = async (sql: string, more = {}) => {
    const { result, message } = await site.query(sql, { dryRun: true, ...more })
    assert.deepEqual(result?.items, [], message)
    return result as { columns: { name: string; type: string }[]; relations: { name: string; built: boolean }[] }
  }
  const named = (columns: readonly { name: string; type: string }[]) =>
    columns.map(({ name, type }) => `${name} ${type}`)

  it('build nothing, and tell what is built', async () => {
    const sql = 'SELECT item, total FROM fold_totals WHERE total > (SELECT min(amount) FROM amounts)'
    const relations = (built: boolean) => [
      { name: 'fold_totals', built },
      { name: 'amounts', built },
    ]
    const before = await dryRun(sql)
    assert.deepEqual(before.relations, relations(false))
    assert.deepEqual(named(before.columns), ['item VARCHAR', 'total DOUBLE'])
    assert.deepEqual(
      site.events.filter(({ type }) => type === 'build'),
      [],
    )
    assert.ok((await site.query(sql)).result)
    assert.deepEqual(await dryRun(sql), { ...before, relations: relations(true) })
    const half = await dryRun(sql, { entityId: ENTITIES.half })
    assert.deepEqual(
      half.relations.map(({ built }) => built),
      [false, true],
      'the table is the same for all',
    )
  }).timeout(60_000)

  it('tell what another service has built', async () => {
    const other = await startSite(trino, {}, { beside: site })
    try {
      const read = (at: Site) => at.query('SELECT * FROM entities', { dryRun: true })
      assert.deepEqual((await read(other)).result?.relations, [{ name: 'entities', built: false }])
      await site.query('SELECT * FROM entities')
      assert.deepEqual((await read(other)).result?.relations, [{ name: 'entities', built: true }])
    } finally {
      await other.close()
    }
  }).timeout(60_000)

  for (const [sql, ...columns] of COLUMNS)
    it(`have the columns of ${sql}`, async () => {
      const dry = await dryRun(sql)
      assert.deepEqual(named(dry.columns), columns)
      if (sql.includes('/ 0')) return
      const { result, message } = await site.query(sql, { include: ['columns'] })
      assert.deepEqual(result?.columns, dry.columns, message)
      const [first] = result?.items ?? []
      if (first)
        assert.deepEqual(
          Object.keys(first),
          dry.columns.map(({ name }) => name),
        )
    }).timeout(60_000)

  for (const sql of WRONG)
    it(`fail as the statement does: ${JSON.stringify(sql)}`, async () => {
      const [dry, run] = [await site.query(sql, { dryRun: true }), await site.query(sql)]
      assert.equal(dry.class, 'INVALID_QUERY', dry.message)
      const { reference: _, ...data } = run.data ?? {}
      assert.deepEqual([dry.message, dry.data], [run.message, data])
    }).timeout(60_000)

  it('count rows of statements whose columns have one name or none', async () => {
    for (const sql of [
      'SELECT 1 AS a, 2 AS a, n FROM UNNEST(sequence(1, 700)) AS t(n) ORDER BY n DESC',
      'SELECT 1, n + 1, n FROM UNNEST(sequence(1, 700)) AS t(n) -- all',
      'TABLE amounts',
    ]) {
      const { result, message } = await site.query(sql, { include: ['total'], page: { limit: 2 } })
      assert.deepEqual([result?.items?.length, result?.total], [2, sql.startsWith('TABLE') ? 5 : 700], message)
    }
  }).timeout(60_000)

  it('leave a total out that takes too long to count', async () => {
    const slow =
      'SELECT a.n FROM UNNEST(sequence(1, 10000)) AS a(n), UNNEST(sequence(1, 10000)) AS b(m), ' +
      'UNNEST(sequence(1, 10000)) AS c(o) WHERE sin(a.n) + cos(m) > tan(o) - 7'
    const { result, message, ...rest } = await site.query(slow, { include: ['total'], page: { limit: 2 } })
    assert.equal(result?.items?.length, 2, message)
    assert.equal(result.total, undefined)
    assert.match(JSON.stringify([rest, result]), /could not be counted/)
  }).timeout(60_000)

  it('know no relations beyond those of a limited key', async () => {
    const limited = { keyId: 'k-few', ownerId: 'o-north', organizations: ['north'], only: { relations: ['items'] } }
    const few = await startSite(
      trino,
      {},
      { beside: site, limits: PATIENT, keys: { authenticate: async () => limited } },
    )
    try {
      await site.query('SELECT * FROM amounts', { dryRun: true })
      for (const more of [{}, { dryRun: true }]) {
        assert.deepEqual((await few.query('SELECT * FROM items', more)).class, undefined)
        const [beyond, unknown] = await Promise.all(
          ['amounts', 'strange'].map(name => few.query(`SELECT * FROM ${name}`, more)),
        )
        assert.equal(beyond?.class, 'INVALID_QUERY', beyond?.message)
        assert.equal(beyond.message?.replace('amounts', 'strange'), unknown?.message)
      }
    } finally {
      await few.close()
    }
  }).timeout(120_000)

  it('take no parameters', async () => {
    const sent = await site.query('SELECT 1 AS n', { parameters: { country: 'KEN' } })
    assert.deepEqual([sent.class, sent.data?.path], ['INVALID_PARAMS', 'parameters'])
    assert.match(sent.message ?? '', /Trino/)
    assert.deepEqual((await site.query('SELECT 1 AS n', { parameters: {} })).result?.items, [{ n: 1 }])
    for (const [sql, name] of [
      ['SELECT 1\nWHERE 2 = $country', /\$country is a parameter/],
      ['SELECT 1\nWHERE 2 = ?', /\? is a parameter/],
    ] as const) {
      const { class: of, message = '', data } = await site.query(sql)
      assert.deepEqual([of, data?.line, data?.column], ['INVALID_QUERY', 2, 11], message)
      assert.match(message, name)
      const given = await site.query(sql, { parameters: { country: 'KEN' } })
      assert.deepEqual([given.class, given.data], ['INVALID_PARAMS', { path: 'parameters' }])
    }
  })
})

/** Columns whose types a table of Iceberg has not. */
const KINDS =
  `SELECT item AS "MixedCase", 'abc' AS word, CAST(1 AS smallint) AS small, DATE '2026-11-20' AS day, ` +
  `TIMESTAMP '2026-11-20 01:02:03.456' AS moment, ARRAY[TIME '01:02:03'] AS times FROM amounts -- all`

describe('relations that are declared on Trino', () => {
  const { hierarchy, relations } = catalogue
  const fold = (name: string, reads: string[], sql: string) => defineFold({ name, about: `${name}.`, reads, sql })
  const folds = [
    fold('kinds', ['amounts'], KINDS),
    fold('documents', ['notes'], 'SELECT note AS "Note", about FROM notes'),
    fold('counted', [], 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT * FROM t'),
    fold('wrong', ['amounts'], 'SELECT item AS n FROM amounts'),
  ]
  let site: Site
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    const options = {
      catalogue: defineCatalogue({ hierarchy, relations: [...relations.values(), ...folds] }),
      limits: PATIENT,
    }
    const replaced = { wrong: 'SELECT frobnicate(item) AS n FROM amounts' }
    site = await startSite(await sharedCluster(this), { folds: replaced }, options)
    await site.seal(ON_TRINO, { ...PACKAGE, 'notes.csv': 'note,written,about\nfirst,2026-11-20,"[1]"\n' })
  })
  after(() => site?.close())

  for (const name of [...relations.keys(), 'kinds', 'documents', 'counted'].filter(each => each !== 'held'))
    it(`have the columns of the relation that is built: ${name}`, async () => {
      const { result, message } = await site.query(`SELECT * FROM ${name}`, { dryRun: true })
      assert.deepEqual(result?.relations, [{ name, built: false }], message)
      const described = await site.call('projects/describe', { projectId: ON_TRINO, relation: name })
      assert.deepEqual(result.columns, described.result?.columns, described.message)
    }).timeout(120_000)

  it('are refused when the fold is wrong, as it is when it is built', async () => {
    const sql = 'SELECT * FROM wrong'
    const [dry, run] = [await site.query(sql, { dryRun: true }), await site.query(sql)]
    assert.deepEqual([dry.class, dry.message], [run.class, run.message])
  }).timeout(120_000)
})
