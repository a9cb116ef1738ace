import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '#lib/duckdb/child/duckdb.js'
import { createInstance, lockDown, mayLast } from '#lib/duckdb/child/instance.js'
import { identifier, literal } from '#lib/values/quote.js'

/** Everything that a function could change for later statements of its connection or its instance. */
const STATE = [
  'SELECT name, value FROM duckdb_settings() ORDER BY ALL',
  'SELECT database_name FROM duckdb_databases() ORDER BY ALL',
  "SELECT 'table ' || table_name FROM duckdb_tables() UNION ALL SELECT 'view ' || view_name FROM duckdb_views() ORDER BY ALL",
  'SELECT function_name, count(*) FROM duckdb_functions() GROUP BY ALL ORDER BY ALL',
  'SELECT name FROM duckdb_prepared_statements() UNION ALL SELECT name FROM duckdb_variables() ORDER BY ALL',
  'SELECT count(*) FROM duckdb_logs()',
]
/** Two lines, one of which is no number. */
const LINES = 'a,b\n1,2\nx,3\n'
const LITERALS: Readonly<Record<string, string>> = {
  VARCHAR: "'x'",
  BOOLEAN: 'true',
  INTEGER: '1',
  BIGINT: '1',
  UBIGINT: '1',
  DOUBLE: '0.5',
  'VARCHAR[]': "['x']",
}
/** A call that runs longer has been stopped: what it would leave, it has left at its beginning. */
const STOPPED_AFTER_MS = 200

describe('what a SELECT can leave for the next statement', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-lasting-'))
    await writeFile(join(folder, 'lines.csv'), LINES)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  async function open(): Promise<{ connection: Connection; close(): void }> {
    const settings = { threads: 1, memoryLimitBytes: 2 ** 29, spillBytes: 2 ** 20, own: folder, given: folder }
    const instance = await createInstance(settings)
    const connection = await instance.connect()
    await lockDown(connection, settings, [])
    return { connection, close: () => instance.closeSync() }
  }

  async function stateOf(connection: Connection): Promise<string> {
    const parts: unknown[] = []
    for (const sql of STATE) parts.push((await connection.runAndReadAll(sql)).getRowsJson())
    return JSON.stringify(parts)
  }

  /** Whether a call leaves the state as it was; not when it cannot be read any more. */
  async function leavesNothing(connection: Connection, call: string, before: string): Promise<boolean> {
    const stopping = setInterval(() => connection.interrupt(), STOPPED_AFTER_MS)
    try {
      await connection.run(call).catch(() => {})
    } finally {
      clearInterval(stopping)
    }
    return stateOf(connection).then(
      state => state === before,
      () => false,
    )
  }

  it('is told by the names of the functions of the engine that change settings or other state', async () => {
    let { connection, close } = await open()
    const file = literal(join(folder, 'lines.csv'))
    const functions = (
      await connection.runAndReadAll(
        `SELECT DISTINCT function_name, function_type LIKE '%table%' OR function_type = 'pragma', parameter_types,
         parameters FROM duckdb_functions() WHERE function_type <> 'aggregate' AND function_name ~ '^[a-z_]\\w*$'
         ORDER BY ALL`,
      )
    ).getRowsJson() as [string, boolean, string[], string[]][]
    assert.ok(functions.length > 500)
    const literalOf = (type: string | undefined) => LITERALS[type ?? ''] ?? 'NULL'
    const calls = new Set(
      functions.flatMap(([name, isTable, types, parameters]) => {
        const own = types.map(literalOf).join(', ')
        if (!isTable) return [`SELECT ${identifier(name)}(${own}) LIMIT 1`]
        // In the inventory of the engine, a named argument of a table function follows those by position.
        const named = parameters.flatMap((parameter, at) => {
          const given = `${identifier(parameter)} := ${literalOf(types[at])}`
          const first = parameters.indexOf('col0') >= 0 || /csv|json|parquet|text|blob/.test(name) ? `${file}, ` : ''
          return [given, `${first}${given}`]
        })
        return ['', "'x'", "''", 'true', '1', own, ...named].map(
          given => `SELECT * FROM ${identifier(name)}(${given}) LIMIT 1`,
        )
      }),
    )
    let before = await stateOf(connection)
    const leaving: string[] = []
    const leaves = async (call: string) => {
      if (await leavesNothing(connection, call, before)) return false
      close()
      ;({ connection, close } = await open())
      before = await stateOf(connection)
      return true
    }
    for (const call of calls) if (!mayLast(call) && (await leaves(call))) leaving.push(call)
    assert.deepEqual(leaving, [])

    const rejects = `read_csv(${file}, columns := {'a': 'INTEGER', 'b': 'INTEGER'}`
    for (const call of [
      'FROM enable_logging()',
      'FROM disable_peg_parser()',
      `SELECT count(*) FROM ${rejects}, store_rejects := true)`,
      `SELECT count(*) FROM ${rejects}, rejects_table := 'amounts', rejects_scan := 'entities')`,
    ]) {
      assert.ok(mayLast(call), call)
      assert.ok(await leaves(call), `${call} leaves nothing`)
    }
    close()
  }).timeout(300_000)

  it('cannot be written with escapes in a name', async () => {
    const { connection, close } = await open()
    await assert.rejects(connection.run('SELECT * FROM U&"enable\\005Flogging"()'))
    const plain = await stateOf(connection)
    await assert.rejects(connection.run('SELECT * FROM "enable\\u005flogging"()'))
    assert.equal(await stateOf(connection), plain)
    close()
  })

  it('is told however the name is written', () => {
    for (const sql of [
      'FROM ENABLE_LOGGING()',
      'FROM system.main."Enable_Logging"(storage := \'file\')',
      "FROM query('FROM enable_' || 'logging()')",
      'SELECT setseed(0.5)',
      'SELECT random()',
      'FROM risk_rows TABLESAMPLE 1%',
    ])
      assert.ok(mayLast(sql), sql)
    assert.ok(!mayLast('SELECT risk_code, count(*) AS n FROM risk_rows GROUP BY ALL ORDER BY n DESC'))
  })
})
