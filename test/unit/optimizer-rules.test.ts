import assert from 'node:assert/strict'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { rulesOff } from '#lib/duckdb/child/optimizer.js'
import { TYPES } from '#lib/guard/inventory.js'

const INTEGERS = new Set(
  ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'].flatMap(name => [
    name,
    `U${name}`,
    name.replace('UINTEGER', 'INTEGER'),
  ]),
)
/** What some types need to be complete. */
const COMPLETE: Readonly<Record<string, string>> = {
  ...{ array: 'INT[2]', list: 'INT[]', enum: "ENUM('a')", struct: 'STRUCT(a VARCHAR)', row: 'ROW(a VARCHAR)' },
  ...{ map: 'MAP(VARCHAR, VARCHAR)', union: 'UNION(a VARCHAR)', null: '"NULL"' },
}

const ALWAYS = ['common_subplan', 'window_self_join', 'join_elimination']

describe('the rules of the optimizer that are off', () => {
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  before(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    connection = await instance.connect()
  })
  after(() => instance.closeSync())

  const offFor = async (sql: string) => {
    const off = (await rulesOff(connection, sql)).split(',')
    assert.deepEqual(off.slice(0, ALWAYS.length), ALWAYS)
    return off.slice(ALWAYS.length)
  }

  it('are rules that the engine has', async () => {
    const sql = 'SELECT TRY_CAST(k AS INTEGER) > 1 FROM t WHERE EXISTS (SELECT 1)'
    const off = [...ALWAYS, ...(await offFor(sql))]
    assert.equal(off.length, 6)
    const found = (await connection.runAndReadAll('SELECT name FROM duckdb_optimizers()')).getRows().flat()
    assert.deepEqual(
      off.filter(name => !found.includes(name)),
      [],
    )
  })

  it('include top_n for a cast to each type that is an integer, and not for the others', async () => {
    const integers: string[] = []
    for (const name of TYPES) {
      const told = await connection.runAndReadAll(`SELECT typeof(NULL::${COMPLETE[name] ?? name})`)
      if (INTEGERS.has(String(told.getRows()[0]?.[0]))) integers.push(name)
    }
    assert.ok(integers.length > 20)
    for (const name of TYPES)
      for (const sql of [
        `SELECT k::${name} FROM t`,
        `SELECT TRY_CAST(k AS "${name}") FROM t`,
        `SELECT CAST(k AS\n${name.toUpperCase()})`,
      ])
        assert.equal((await offFor(sql)).includes('top_n'), integers.includes(name), sql)
  })

  it('do not include top_n for names that only begin or end as a type does', async () => {
    const sql = 'SELECT point_of_view, print, longitude, "internal", signed_at FROM t ORDER BY print DESC'
    assert.deepEqual(await offFor(sql), [])
  })

  it('include deliminator where there is EXISTS', async () => {
    assert.deepEqual(await offFor('SELECT 1 FROM t WHERE not exists(SELECT 1 FROM u WHERE u.a <> t.a)'), [
      'deliminator',
    ])
    assert.deepEqual(await offFor("SELECT json_exists(j, '$.a') FROM t WHERE a IN (SELECT b FROM u)"), [])
  })

  /** Statements that compare what a cast makes, and statements that do not. */
  const COMPARED: Readonly<Record<string, boolean>> = {
    'SELECT x FROM t WHERE TRY_CAST(x AS DECIMAL(5,2)) > 5': true,
    'SELECT x FROM t WHERE 5 < x::VARCHAR': true,
    'SELECT TRY_CAST(x AS DECIMAL(5,2)) + 1 <> 3 AS differs FROM t': true,
    'SELECT x::DECIMAL(5,2) AS y FROM t WHERE y BETWEEN 1 AND 5': true,
    'SELECT x::DECIMAL(5,2) AS "Y z" FROM t QUALIFY "y Z" IS DISTINCT FROM 1': true,
    'SELECT CASE x::DECIMAL(5,2) WHEN 1 THEN 2 END FROM t': true,
    'SELECT nullif(TRY_CAST(x AS DECIMAL(5,2)), 5) FROM t': true,
    'SELECT TRY_CAST(x AS DECIMAL(5,2)) IN (5, 7) FROM t': true,
    'SELECT x::DECIMAL(5,2) AS y FROM t WHERE y NOT IN (5, 7)': true,
    'SELECT count(*) FILTER (TRY_CAST(x AS DECIMAL(5,2)) = 5) FROM t': true,
    'SELECT a FROM (SELECT 1 AS a UNION ALL SELECT 2 FROM t WHERE CAST(x AS VARCHAR) > $v)': true,
    "SELECT t FROM t WHERE date_trunc('month', t) <> TIMESTAMP '2024-01-15 10:00:00'": true,
    "SELECT t.datetrunc('month') AS m FROM t WHERE m = $v": true,
    'SELECT x FROM t WHERE NOT (a = b OR (a IS NULL AND b IS /* so */ NULL))': true,
    'SELECT a = b or (a isnull AND b ISNULL) FROM t': true,
    'SELECT x FROM t WHERE a IS NULL OR b > 5 ORDER BY x NULLS LAST': false,
    "SELECT date_trunc('month', t) AS m, count(*) FROM t WHERE t > $v GROUP BY m": false,
    'SELECT x::VARCHAR AS y FROM t WHERE x > 5': false,
    'SELECT y FROM (SELECT x::VARCHAR AS y FROM t) WHERE y > 5': false,
    "SELECT x FROM t WHERE d >= DATE '2026-01-01' AND d < CAST('2026-02-01' AS TIMESTAMP)": false,
    'SELECT sum(x)::DECIMAL(18,2) FROM t JOIN u ON (t.a = u.a AND t.b = 1) OR (t.a = u.a AND u.b = 2)': false,
    "SELECT 'cast' FROM t WHERE x > 5": false,
  }
  for (const [sql, isCompared] of Object.entries(COMPARED))
    it(`${isCompared ? 'include' : 'do not include'} expression_rewriter for ${sql}`, async () => {
      assert.deepEqual(await offFor(sql), isCompared ? ['expression_rewriter'] : [])
    })

  it('include expression_rewriter where a statement with a cast cannot be read', async () => {
    assert.deepEqual(await offFor('SELECT x::VARCHAR FROM t WHERE WHERE'), ['expression_rewriter'])
  })
})
