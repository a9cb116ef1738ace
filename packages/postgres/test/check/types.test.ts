import assert from 'node:assert/strict'
import { fromPostgres } from 'foldgate-postgres'
import { ask } from '../../../../test/server/stores.js'
import { givenPool, inDuckDb, inPostgres, readAll, rowsOf } from './reading.js'
import { CASES, PARTS } from './type-cases.js'

describe('a value of PostgreSQL', function () {
  this.timeout(60_000)
  const given = givenPool()
  before(async () => {
    await ask(`CREATE TYPE foldgate_mood AS ENUM ('fine', 'it''s "so", so')`)
    await ask('CREATE DOMAIN foldgate_price AS numeric(9,2)')
    await ask('CREATE DOMAIN foldgate_tags AS text[]')
  })
  after(async () => {
    await ask('DROP DOMAIN foldgate_tags')
    await ask('DROP DOMAIN foldgate_price')
    await ask('DROP TYPE foldgate_mood')
  })

  for (const [type, told, writing, ...values] of CASES)
    it(`of ${type} is the same as ${told}: ${values.join(' ').slice(0, 60)}`, async () => {
      const rows = [...values, 'NULL'].map((value, at) => `(${at}, (${value})::${type})`)
      const statement = `SELECT k, v::${type} FROM (VALUES ${rows}) AS given (k, v)`
      const read = await rowsOf(given.pool, statement)
      assert.deepEqual(read.types, { k: 'INTEGER', v: told })
      assert.deepEqual(
        await inDuckDb(read, `SELECT ${writing.duckdb} FROM rows ORDER BY k`),
        await inPostgres(given.pool, `SELECT (${writing.postgres})::text FROM (${statement}) AS rows ORDER BY k`),
      )
    })

  it('of float4 and float8 keeps every bit', async () => {
    const statement = `SELECT i AS k, (sign(random() - 0.5) * random() * 10 ^ (random() * 600 - 300)::int)::float8 AS d,
        ((random() - 0.5) * 10 ^ (random() * 70 - 35)::int)::float4 AS f FROM generate_series(1, 3000) AS i
      UNION ALL SELECT -k, x::float8, x::float4
        FROM unnest('{NaN,Infinity,-Infinity,-0,1e-45,3.4028235e38}'::text[]) WITH ORDINALITY AS given (x, k)
      UNION ALL SELECT -100, 5e-324, 0.1 UNION ALL SELECT -101, 1.7976931348623157e308, 16777216`
    await ask(`CREATE TABLE foldgate_floats AS ${statement}`)
    try {
      const read = await rowsOf(given.pool, 'TABLE foldgate_floats')
      assert.deepEqual(read.types, { k: 'BIGINT', d: 'DOUBLE', f: 'FLOAT' })
      const numbers = (rows: (string | null)[][]) =>
        rows.map(row => {
          const [k, d, f] = row.map(text => Number(text?.replace(/^(-?)inf$/, '$1Infinity')))
          return [k, d, Math.fround(f ?? 0)]
        })
      assert.deepEqual(
        numbers(await inDuckDb(read, 'SELECT * FROM rows ORDER BY k')),
        numbers(await inPostgres(given.pool, 'SELECT k, d, f FROM foldgate_floats ORDER BY k')),
      )
    } finally {
      await ask('DROP TABLE foldgate_floats')
    }
  })

  it('of interval keeps its months, days and microseconds, whatever their signs', async () => {
    const random = (most: number) => `((random() - 0.5) * ${most})::int`
    await ask(`CREATE TABLE foldgate_intervals AS SELECT i AS k, make_interval(months => ${random(100)},
      days => ${random(100)}, secs => (${random(10 ** 9)}) / 10 ^ (i % 7)) AS v FROM generate_series(1, 3000) AS i`)
    try {
      const read = await rowsOf(given.pool, 'TABLE foldgate_intervals')
      assert.deepEqual(
        await inDuckDb(read, `SELECT ${PARTS.duckdb} FROM rows ORDER BY k`),
        await inPostgres(given.pool, `SELECT ${PARTS.postgres} FROM foldgate_intervals ORDER BY k`),
      )
    } finally {
      await ask('DROP TABLE foldgate_intervals')
    }
  })

  for (const value of [
    ...["'NaN'::numeric(5,2)", "'0044-03-15 01:02:03 BC'::timestamp", "'0044-03-15 01:02:03 BC'::timestamptz"],
    ...["'294276-12-31'::timestamp", "'{{1,2},{3,4}}'::int[]", "'[0:1]={1,2}'::int[]", "'{{a},{b}}'::text[]"],
    ...["'[2:3]={a,b}'::text[]", "''::varbit"],
  ])
    it(`that DuckDB has not is never taken for another one: ${value}`, async () => {
      const read = await rowsOf(given.pool, `SELECT ${value} AS v`)
      await assert.rejects(inDuckDb(read, 'SELECT * FROM rows'), /Conversion Error/)
    })

  it('that is NULL in a table of one column is a row', async () => {
    const read = await rowsOf(given.pool, "SELECT v FROM (VALUES (NULL), ('a'), (''), (NULL)) AS given (v)")
    assert.deepEqual(await inDuckDb(read, 'SELECT * FROM rows'), [[null], ['a'], [''], [null]])
  })

  it('has the text of PostgreSQL in a column that the catalogue declares as VARCHAR', async () => {
    const source = fromPostgres(
      given.pool,
      "SELECT point(1, 2) AS p, true AS b, 1.50::numeric AS n, '{a,b}'::text[] AS l, int4range(1, 5) AS r",
    )
    const read = await readAll(source, {
      columns: { p: 'VARCHAR', b: 'text', n: 'DECIMAL(9,4)', l: 'VARCHAR', r: 'VARCHAR' },
    })
    assert.deepEqual(await inDuckDb(read, 'SELECT * FROM rows'), [['(1,2)', 'true', '1.5000', '{a,b}', '[1,5)']])
  })

  it('in a column whose name has quotes, commas and line ends is found by that name', async () => {
    const name = 'a "b", c\n$$ é'
    const read = await rowsOf(given.pool, `SELECT 1 AS "${name.replaceAll('"', '""')}", 2 AS "order"`)
    assert.deepEqual(read.types, { [name]: 'INTEGER', order: 'INTEGER' })
    assert.deepEqual(await inDuckDb(read, `SELECT * FROM rows`), [['1', '2']])
  })
})
