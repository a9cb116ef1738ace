import assert from 'node:assert/strict'
import { givenPool, rowsOf } from './reading.js'

/** Statements that cannot be sealed, and what is said of them. */
const REFUSED: readonly [statement: string, message: RegExp][] = [
  ['SELECT 1', /^column 1 has no name: give it one with AS$/],
  ['SELECT 1 AS a, 2 AS a', /^two columns have the name "a": name one otherwise with AS$/],
  ['SELECT 1 AS a, 2 AS "A"', /^two columns have the name "A"/],
  ['SELECT', /^the statement has no columns$/],
  ['SELECT 1.5 AS n', /^the column "n" is of the type numeric, .* as in "n"::numeric\(18,2\) .* "n"::float8 /],
  ['SELECT 1.5::numeric(39,1) AS n', /^the column "n" is of the type numeric, /],
  ['SELECT ARRAY[1.5] AS n', /^the column "n" is of the type numeric\[\], .*"n"::numeric\(18,2\)\[\]/],
  ['SELECT point(1, 2) AS p', /^the column "p" is of the type point, which has no counterpart: write "p"::text$/],
  ['SELECT \'10.0.0.1\'::inet AS "i p"', /^the column "i p" is of the type inet, .* write "i p"::text$/],
  ['SELECT int4range(1, 2) AS r', /int4range.*"r"::text$/],
  ["SELECT '1'::money AS m", /money.*"m"::text$/],
  ["SELECT 'a'::tsvector AS t", /tsvector.*"t"::text$/],
  ["SELECT '1 2'::int2vector AS v", /int2vector.*"v"::text$/],
  ['SELECT ROW(1, 2) AS r', /record.*to_jsonb\("r"\)$/],
  ['SELECT c FROM pg_class AS c', /pg_class.*to_jsonb\("c"\)$/],
  ["SELECT '{}'::jsonb[] AS j", /jsonb\[\].*to_jsonb\("j"\)$/],
  ['SELECT point(1, 2) AS p, 3, 1.5 AS n', /^column 2 has no name.*\n.*"p".*\n.*"n"/],
  // One statement, whole.
  ['', /^PostgreSQL refuses the statement.*syntax error at end of input \(42601\)/],
  ['SELECT 1 AS a; SELECT 2 AS b', /^PostgreSQL refuses the statement: cannot insert multiple commands/],
  [
    'SELECT 1 AS a) AS x, (SELECT 2 AS b',
    /^PostgreSQL refuses the statement at line 1, column 14: syntax error at or near "\)"/,
  ],
  ['SELECT 1 AS a) TO STDOUT --', /^PostgreSQL refuses the statement at line 1, column 14: /],
  ['SELECT 1 AS a /*', /unterminated \/\* comment/],
  ['COPY pg_class TO STDOUT', /^PostgreSQL refuses the statement at line 1, column 1: /],
  ['DELETE FROM pg_class RETURNING oid', /^PostgreSQL refuses the statement/],
  ['WITH gone AS (DELETE FROM pg_class RETURNING oid) TABLE gone', /^PostgreSQL refuses the statement/],
  ['SELECT 1 AS a INTO made', /^PostgreSQL refuses the statement/],
  ['SELECT $1::int AS a', /^PostgreSQL refuses the statement at line 1, column 8: there is no parameter \$1 \(42P02\)/],
  [
    "SELECT 'é😀' AS a,\n  missing FROM pg_class",
    /^PostgreSQL refuses the statement at line 2, column 3: column "missing" does not exist \(42703\)/,
  ],
  ['SELECT 1 / 0 AS a', /^PostgreSQL refuses the statement: division by zero \(22012\)/],
]

/** Statements that are one, with what may be around it. */
const ACCEPTED = [
  'SELECT 1 AS a;',
  'SELECT 1 AS a ; \n;',
  'SELECT 1 AS a -- the end',
  'SELECT 1 AS a -- the end;',
  '-- the beginning\n(SELECT 1 AS a)',
  'SELECT 1 AS a /* ) */',
  'VALUES (1) ORDER BY 1 LIMIT 1',
  'WITH one AS (SELECT 1 AS a) TABLE one',
  "SELECT length(';') AS a",
]

describe('a statement of PostgreSQL', () => {
  const given = givenPool({ max: 1 })

  for (const [statement, message] of REFUSED)
    it(`is refused: ${statement || 'an empty one'}`, async () => {
      await assert.rejects(rowsOf(given.pool, statement), ({ message: told }: Error) => {
        assert.match(told, message)
        return true
      })
      assert.equal(given.pool.idleCount, given.pool.totalCount)
      assert.equal((await rowsOf(given.pool, 'SELECT 1 AS a')).csv.toString(), 'a\n1\n')
    })

  for (const statement of ACCEPTED)
    it(`is read: ${JSON.stringify(statement)}`, async () => {
      const { csv } = await rowsOf(given.pool, statement)
      assert.match(csv.toString(), /^(a|column1)\n1\n$/)
    })

  it('keeps the order that it asks for', async () => {
    const { csv } = await rowsOf(given.pool, 'SELECT i FROM generate_series(1, 20000) AS i ORDER BY md5(i::text)')
    const expected = (await given.pool.query('SELECT i FROM generate_series(1, 20000) AS i ORDER BY md5(i::text)')).rows
    assert.deepEqual(
      csv.toString().trim().split('\n').slice(1),
      expected.map(({ i }) => `${i}`),
    )
  })

  it('is read alike, whatever settings its connections come with', async () => {
    const select =
      "SELECT '2026-11-26 01:02:03+02'::timestamptz AS t, '1 day -1 s'::interval AS i, 0.1::float8 + 0.2 AS f, '\\xff'::bytea AS b, date '2026-11-26' AS d, ARRAY['\\\\'] AS l"
    const expected = (await rowsOf(given.pool, select)).csv.toString()
    const client = await given.pool.connect()
    await client.query("SET datestyle = 'German'; SET intervalstyle = 'iso_8601'; SET timezone = 'Asia/Tokyo'")
    await client.query("SET extra_float_digits = -5; SET bytea_output = 'escape'")
    client.release()
    assert.equal((await rowsOf(given.pool, select)).csv.toString(), expected)
    const kept = await given.pool.query('SHOW timezone')
    assert.deepEqual(kept.rows, [{ TimeZone: 'Asia/Tokyo' }])
  })
})
