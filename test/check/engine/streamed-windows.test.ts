import assert from 'node:assert/strict'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineFold, defineTable } from 'foldgate'
import { checkCatalogue } from 'foldgate/sealing'
import { GuardProbe } from '../../unit/guard-probe.js'

/** Plans over which a window without an order streams. Each has one column, `id`. */
const SHAPES: Record<string, string> = {
  scan: 'SELECT id FROM t WHERE g > 3',
  exists: 'SELECT id FROM t WHERE EXISTS (SELECT 1 FROM acc WHERE acc.id = t.g) AND id > 3',
  'not exists': 'SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM acc WHERE acc.id = t.g AND acc.v > 50)',
  'exists or': 'SELECT id FROM t WHERE EXISTS (SELECT 1 FROM acc WHERE acc.id = t.g AND acc.v > 50) OR id < 100',
  in: 'SELECT id FROM t WHERE g IN (SELECT id FROM acc WHERE v > 20)',
  'not in': 'SELECT id FROM t WHERE g NOT IN (SELECT id FROM acc WHERE v > 50)',
  any: 'SELECT id FROM t WHERE id > ANY (SELECT v FROM acc WHERE acc.id = t.g)',
  'scalar subquery': 'SELECT id FROM t WHERE id > (SELECT avg(u.id) FROM u WHERE u.g = t.g % 7)',
  'selected subquery': 'SELECT id + (SELECT max(v) FROM acc WHERE acc.id = t.g) AS id FROM t',
  join: 'SELECT t.id FROM t JOIN u ON t.id = u.id',
  joins: 'SELECT t.id FROM t JOIN acc ON t.g = acc.id JOIN u ON u.id = t.id LEFT JOIN acc b ON b.id = u.g',
  'join and exists': 'SELECT t.id FROM t JOIN acc ON t.g = acc.id WHERE EXISTS (SELECT 1 FROM u WHERE u.g = t.g % 7)',
  'left join': 'SELECT t.id FROM t LEFT JOIN u ON t.id = u.id',
  'right join': 'SELECT u.id FROM t RIGHT JOIN u ON t.id = u.id',
  'full join': 'SELECT coalesce(t.id, u.id + 100000) AS id FROM t FULL JOIN u ON t.id = u.id + 1',
  'semi join': 'SELECT id FROM t SEMI JOIN u ON t.id = u.id',
  'anti join': 'SELECT id FROM t ANTI JOIN u ON t.id = u.id',
  'cross join': 'SELECT t.id * 100 + acc.id AS id FROM t, acc',
  'join by order': 'SELECT t.id * 100 + acc.id AS id FROM t JOIN acc ON t.g < acc.id AND t.id > acc.v',
  'join by difference': 'SELECT t.id * 100 + acc.id AS id FROM t JOIN acc ON t.g <> acc.id',
  'asof join': 'SELECT t.id FROM t ASOF JOIN u ON t.id >= u.id',
  'positional join': 'SELECT coalesce(t.id, u.id + 200000) AS id FROM t POSITIONAL JOIN u',
  'union all': 'SELECT id FROM t WHERE id < 3000 UNION ALL SELECT id + 10000 FROM u UNION ALL SELECT -1',
  'union all of joins':
    'SELECT t.id FROM t JOIN acc ON g = acc.id UNION ALL SELECT u.id + 20000 FROM u JOIN acc ON g = acc.id',
  union: 'SELECT id FROM t UNION SELECT id FROM u',
  except: 'SELECT id FROM t EXCEPT SELECT id FROM u',
  lateral: 'SELECT t.id * 100 + k AS id FROM t, LATERAL (SELECT acc.id AS k FROM acc WHERE acc.id < t.g) l',
  'lateral limit': 'SELECT t.id FROM t, LATERAL (SELECT v FROM acc WHERE acc.id = t.g LIMIT 1) l',
  unnest: 'SELECT id * 100 + k AS id FROM t, unnest(range(g)) x(k)',
  recursive: 'WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r WHERE id < 5000) SELECT id FROM r',
  group: 'SELECT id FROM u GROUP BY id',
  sort: 'SELECT id FROM t ORDER BY g, id',
  limit: 'SELECT id FROM t ORDER BY id LIMIT 5000 OFFSET 100',
  window: 'SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY g ORDER BY id) > 5',
  'streamed window': 'SELECT id FROM t QUALIFY row_number() OVER () > 5',
  cte: 'WITH a AS MATERIALIZED (SELECT id FROM t WHERE g > 2) SELECT a.id FROM a JOIN a b ON a.id = b.id',
  empty: 'SELECT id FROM t WHERE id < 0',
}

const NUMBERED = 'count(DISTINCT w) = count(*) AND coalesce(min(w), 1) = 1 AND coalesce(max(w), 0) = count(*)'
const lacking = (rows: number) => `count(*) FILTER (w IS NULL) = least(${rows}, count(*))`
const SHIFTED = `${lacking(1)} AND count(DISTINCT w) >= count(DISTINCT id) - 1`
/** Windows without an order, or with one that says nothing, and what holds for their values in whatever order rows come. */
const WINDOWS: Record<string, string> = {
  'row_number() OVER ()': NUMBERED,
  'rank() OVER ()': 'bool_and(w = 1) IS NOT FALSE',
  'dense_rank() OVER ()': 'bool_and(w = 1) IS NOT FALSE',
  'percent_rank() OVER ()': 'bool_and(w = 0) IS NOT FALSE',
  'first_value(id) OVER ()': 'count(DISTINCT w) = least(1, count(*)) AND count(w) = count(*)',
  'count(*) OVER (ROWS UNBOUNDED PRECEDING)': NUMBERED,
  'sum(1) OVER (ROWS UNBOUNDED PRECEDING)': NUMBERED,
  'max(id) OVER (ROWS UNBOUNDED PRECEDING)': 'max(w) IS NOT DISTINCT FROM max(id)',
  'count(*) FILTER (id % 2 = 0) OVER (ROWS UNBOUNDED PRECEDING)': 'coalesce(max(w), 0) = count(*) FILTER (id % 2 = 0)',
  'sum(id) OVER ()': 'count(DISTINCT w) <= 1 AND max(w) IS NOT DISTINCT FROM sum(id)',
  'lag(id) OVER ()': SHIFTED,
  'lag(id, 2047) OVER ()': lacking(2047),
  'lag(id, 3000) OVER ()': lacking(3000),
  'lag(id, 0) OVER ()': 'bool_and(w = id) IS NOT FALSE',
  'lead(id, 0) OVER ()': 'bool_and(w = id) IS NOT FALSE',
  'lead(id, -1) OVER ()': SHIFTED,
  'lead(id) OVER (ORDER BY id)': SHIFTED,
  'lead(id) OVER (ORDER BY 1)': SHIFTED,
  'lead(id) OVER (PARTITION BY 1)': SHIFTED,
  'lead(id) OVER ()': SHIFTED,
  'lead(id, 3) OVER (ROWS UNBOUNDED PRECEDING)': lacking(3),
  'lag(id, -1, NULL) OVER ()': SHIFTED,
}

describe('windows without an order, over plans of every kind', () => {
  const guard = new GuardProbe()
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  /** The rows of each shape, as the engine answers them without its optimizer. */
  const right = new Map<string, unknown[]>()
  before(async () => {
    await guard.open()
    instance = await DuckDBInstance.create(':memory:', { threads: '2' })
    connection = await instance.connect()
    await connection.run('CREATE TABLE t AS SELECT i AS id, i % 13 AS g FROM range(7000) r(i)')
    await connection.run('CREATE TABLE u AS SELECT i * 2 AS id, i % 7 AS g FROM range(5000) r(i)')
    await connection.run('CREATE TABLE acc AS SELECT i AS id, i * 10 AS v FROM range(13) r(i)')
    await connection.run('PRAGMA disable_optimizer')
    for (const [name, shape] of Object.entries(SHAPES))
      right.set(name, await first(`SELECT ${ROWS}, true FROM (${shape})`))
    await connection.run('PRAGMA enable_optimizer')
  })
  after(async () => {
    instance.closeSync()
    await guard.close()
  })

  const first = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()[0] ?? []
  const ROWS = 'count(*), sum(hash(id)), count(DISTINCT id)'
  /** The shapes over which a window answers with other rows, or other values, than it should. */
  async function wrong(window: string): Promise<string[]> {
    const found: string[] = []
    for (const [name, shape] of Object.entries(SHAPES)) {
      await connection.run(`CREATE OR REPLACE TABLE windowed AS SELECT id, ${window} AS w FROM (${shape})`)
      const told = await first(`SELECT ${ROWS}, ${WINDOWS[window]} FROM windowed`)
      if (JSON.stringify(told) !== JSON.stringify(right.get(name))) found.push(`${name}: ${told}`)
    }
    return found
  }

  for (const window of Object.keys(WINDOWS))
    it(`has ${window} right, or the guard refuses it`, async () => {
      const verdict = await guard.verdict(`SELECT ${window} AS w FROM (SELECT 1 AS id)`)
      const found = await wrong(window)
      if ('rule' in verdict) assert.ok(found.length > 0, 'it is right over all plans, so the guard need not refuse it')
      else assert.deepEqual(found, [])
    })

  it('are told of folds, which no guard checks', async () => {
    const windows = [...Object.keys(WINDOWS), 'lag(id, 1 - 2) OVER w']
    const orders = defineTable({ name: 'orders', columns: { id: 'BIGINT' } })
    const folds = windows.map((window, at) => {
      const sql = `WITH o AS (SELECT ${window} AS w FROM orders WINDOW w AS (ROWS 1 PRECEDING)) FROM o`
      return defineFold({ name: `fold_${at}`, about: 'A fold of the tests.', reads: ['orders'], sql })
    })
    const refused: boolean[] = []
    for (const window of windows)
      refused.push('rule' in (await guard.verdict(`SELECT ${window.replace('OVER w', 'OVER ()')}`)))
    const problems = await checkCatalogue(defineCatalogue({ relations: [orders, ...folds] }))
    assert.deepEqual(
      problems.map(({ place }) => place),
      folds.flatMap(({ name }, at) => (refused[at] ? `fold "${name}"` : [])),
    )
    for (const { message } of problems)
      assert.match(message, /^the engine would answer its SQL wrongly\. Without an order, .* \(ORDER BY …\)\.$/)
  })
})
