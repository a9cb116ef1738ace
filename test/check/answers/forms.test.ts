import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Connection } from '#lib/duckdb/child/duckdb.js'
import { attach, createInstance, lockDown } from '#lib/duckdb/child/instance.js'
import { rulesOff, setRules } from '#lib/duckdb/child/optimizer.js'
import { scratchFolder } from '../../server/command.js'

/** More than one group of rows. */
const ROWS = 130_000
const EVERY = 13
const HOUR = "TIMESTAMP '1990-01-01' + to_hours((i * 7919) % 90000)"
const FLOATS = `CASE i % 20 WHEN 0 THEN 'nan' WHEN 1 THEN 'inf' WHEN 2 THEN '-inf' WHEN 3 THEN '-0' ELSE (i % 1000 / 7.0)::VARCHAR END`

/** An expression of the row `i` for each type that Parquet stores, with few values or many, and for how they are spread. */
const VALUES: Readonly<Record<string, string>> = {
  boolean: 'CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END',
  tinyint: 'CAST(i % 50 - 25 AS TINYINT)',
  smallint: 'CAST((i * 7) % 3000 - 1500 AS SMALLINT)',
  integer: 'CAST((i * 7919) % 100000 AS INTEGER)',
  bigint: '(i * 7919) % 100000 * 10000000000',
  hugeint: 'CAST((i * 7919) % 1000 AS HUGEINT) * 170141183460469231731687303715',
  utinyint: 'CAST(i % 256 AS UTINYINT)',
  usmallint: 'CAST((i * 3) % 65536 AS USMALLINT)',
  uinteger: 'CAST((i * 7919) % 4294967296 AS UINTEGER)',
  ubigint: 'CAST(i % 100 AS UBIGINT) * 184467440737095516',
  float: `CAST(${FLOATS} AS FLOAT)`,
  double: `CAST(${FLOATS} AS DOUBLE)`,
  decimal4: 'CAST(i % 1000 / 10.0 - 50 AS DECIMAL(4,1))',
  decimal9: 'CAST((i * 31) % 100000 / 100.0 AS DECIMAL(9,2))',
  decimal18: 'CAST((i * 31) % 100000 / 100.0 AS DECIMAL(18,4))',
  decimal38: 'CAST((i * 31) % 1000 AS DECIMAL(38,10)) * 1000000000000',
  text: "'v' || (i * 7919) % 500",
  long_text: "repeat('x', (i % 40)::INT) || md5((i % 700)::VARCHAR)",
  other_text: 'chr((200 + i % 3000)::INT) || (i % 9)',
  empty_text: "CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN 'a' WHEN 2 THEN 'A' END",
  bit: 'CAST((i % 300)::INTEGER AS BIT)',
  uuid: 'CAST(md5((i % 600)::VARCHAR) AS UUID)',
  date: "DATE '0001-01-01' + CAST((i * 997) % 1500000 AS INT)",
  time: "TIME '00:00:00' + to_microseconds((i * 7919) % 86400000000)",
  time_tz: "CAST('12:' || lpad((i % 60)::VARCHAR, 2, '0') || ':00+0' || (i % 9) AS TIMETZ)",
  timestamp: HOUR,
  timestamp_s: `CAST(${HOUR} AS TIMESTAMP_S)`,
  timestamp_ms: `CAST(${HOUR} AS TIMESTAMP_MS)`,
  timestamp_ns: `CAST(${HOUR} AS TIMESTAMP_NS)`,
  timestamp_tz: `CAST(${HOUR} AS TIMESTAMPTZ)`,
  interval: 'to_days((i % 40)::INT) + to_months((i % 3)::INT) + to_microseconds(i % 7)',
  list: '[i % 5, NULL, i % 7]',
  struct: "{'a': i % 5, 'b': 't' || i % 3}",
  map: "MAP {'k' || i % 3: i % 5}",
  nested: "[{'a': [i % 4], 'b': CASE WHEN i % 5 = 0 THEN NULL ELSE 'q' || i % 3 END}]",
  json: `CAST('{"a":' || i % 6 || '}' AS JSON)`,
  sorted: 'i',
  in_runs: 'CASE WHEN i % 7 = 0 THEN NULL ELSE i // 1000 END',
  all_null: 'CAST(NULL AS INTEGER)',
}

/** Conditions on a column, with three of its values. */
function conditions(column: string, [a, b, c]: readonly [string, string, string]): string[] {
  const operators = ['=', '<>', '<', '<=', '>', '>=', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM']
  return [
    ...[a, b].flatMap(value => operators.map(operator => `${column} ${operator} ${value}`)),
    `${column} IN (${a}, ${b}, ${c})`,
    `${column} NOT IN (${a}, ${b})`,
    `${column} BETWEEN ${a} AND ${b}`,
    `${column} > ${a} AND ${column} < ${b}`,
    `${column} IS NULL`,
    `${column} IS NOT NULL`,
    `${column} = ${a} OR ${column} IS NULL`,
    `${column} = ${a} OR ${column} = ${b} OR ${column} > ${c}`,
    `NOT (${column} = ${a})`,
    `id > 100000 AND ${column} = ${a}`,
    `coalesce(${column}, ${a}) = ${a}`,
    `${column} = (SELECT ${column} FROM t WHERE id = 77)`,
    `${column} >= (SELECT min(${column}) FROM t WHERE id > 1000)`,
    `${column} IN (SELECT ${column} FROM t WHERE id IN (5, 9, 11, 70000))`,
    `${column}::VARCHAR LIKE '%1%'`,
    `prefix(${column}::VARCHAR, 'v1')`,
  ]
}

/** Statements that read a column, with one of its values. */
function statements(column: string, values: readonly [string, string, string]): string[] {
  return [
    ...conditions(column, values).map(where => `SELECT count(*), sum(id), min(id), max(id) FROM t WHERE ${where}`),
    `SELECT min(${column}), max(${column}), count(${column}), count(DISTINCT ${column}) FROM t`,
    `SELECT ${column}, count(*), sum(id) FROM t GROUP BY 1 ORDER BY 1 NULLS FIRST LIMIT 500`,
    `SELECT id, ${column} FROM t ORDER BY ${column} DESC, id LIMIT 20`,
    `SELECT id, ${column} FROM t ORDER BY ${column} ASC NULLS FIRST, id DESC LIMIT 20 OFFSET 7`,
    `SELECT id, ${column} FROM t WHERE id > 121000 ORDER BY ${column} NULLS LAST, id LIMIT 10`,
    `SELECT count(*), sum(a.id) FROM t a JOIN (SELECT DISTINCT ${column} AS x FROM t WHERE id < 40) b ON a.${column} = b.x`,
    `SELECT count(*) FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.id < 30 AND b.${column} = a.${column})`,
    `SELECT hash(list(${column} ORDER BY id)) FROM t`,
    `SELECT id, ${column} FROM t LIMIT 5 OFFSET 122878`,
    `SELECT id FROM t WHERE ${column} = ${values[0]} LIMIT 30`,
    `SELECT id, lag(${column}) OVER (ORDER BY id) FROM t WHERE id BETWEEN 122870 AND 122890 ORDER BY id`,
    `SELECT max(${column}) FILTER (WHERE id % 2 = 0), arg_min(${column}, id) FROM t WHERE id > 123456`,
  ]
}

describe('a stored table, as it is sealed and as it is built', () => {
  const scratch = scratchFolder()
  let connection: Connection
  before(async () => {
    const columns = Object.entries(VALUES).map(
      ([name, value]) => `CASE WHEN i % ${EVERY} = 5 AND '${name}' <> 'sorted' THEN NULL ELSE ${value} END AS ${name}`,
    )
    const settings = { threads: 1, memoryLimitBytes: 2 * 1024 ** 3, spillBytes: 1024 ** 3 }
    const folders = { own: scratch.path, given: scratch.path }
    connection = await (await createInstance({ ...settings, ...folders })).connect()
    await lockDown(connection, { ...settings, ...folders }, [scratch.path])
    const path = join(scratch.path, 'sealed.parquet')
    await connection.run(`COPY (SELECT i AS id, ${columns.join(', ')} FROM range(${ROWS}) t(i)) TO '${path}'
      (FORMAT parquet, COMPRESSION zstd)`)
    await attach(
      connection,
      { relation: 't', alias: 'sealed', form: 'sealed', files: ['sealed.parquet'] },
      scratch.path,
    )
    await connection.run(`ATTACH '${join(scratch.path, 'built.duckdb')}' AS made`)
    await connection.run('CREATE TABLE made.main.t AS FROM sealed.main.t')
    await connection.run('DETACH made')
    await attach(connection, { relation: 't', alias: 'built', form: 'built', files: ['built.duckdb'] }, scratch.path)
  })

  const rows = async (form: string, sql: string) => {
    await setRules(connection, await rulesOff(connection, sql))
    await connection.run(`SET search_path = '${form}.main'`)
    return connection.runAndReadAll(sql).then(
      read => read.getRowsJson(),
      cause => String(cause).split('LINE')[0],
    )
  }
  const valuesOf = async (column: string): Promise<[string, string, string]> => {
    const some = `SELECT DISTINCT ${column} AS v FROM t WHERE ${column} IS NOT NULL ORDER BY hash(v::VARCHAR) LIMIT 3`
    const found = (await rows('built', `SELECT typeof(v), CAST(v AS VARCHAR) FROM (${some})`)) as string[][]
    const [a = 'NULL', b = 'NULL', c = 'NULL'] = found.map(
      ([type, text = '']) => `CAST('${text.replaceAll("'", "''")}' AS ${type})`,
    )
    return [a, b, c]
  }

  for (const column of Object.keys(VALUES))
    it(`has the same rows in statements over its column ${column}`, async () => {
      let withRows = 0
      for (const sql of statements(column, await valuesOf(column))) {
        const sealed = await rows('sealed', sql)
        assert.deepEqual(sealed, await rows('built', sql), sql)
        if (Array.isArray(sealed) && sealed.length > 0) withRows += 1
      }
      assert.ok(withRows > 20, `${withRows} statements have rows`)
    })
})
