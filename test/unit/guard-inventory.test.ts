import assert from 'node:assert/strict'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { MACRO_COPIES } from '#lib/duckdb/child/guard/bounds.js'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import {
  ENGINE_VERSION,
  FUNCTIONS,
  LONG_TYPES,
  refusalReason,
  TABLE_FUNCTIONS,
  TYPES,
  tableRefusalReason,
  VOLATILE_COLUMNS,
  VOLATILE_FUNCTIONS,
} from '#lib/guard/inventory.js'

/** A function of the engine, as one of its kinds. */
interface EngineFunction {
  name: string
  kind: 'expression' | 'table' | 'pragma'
  stability: string | null
}

const KINDS: Readonly<Record<string, EngineFunction['kind']>> = {
  scalar: 'expression',
  aggregate: 'expression',
  macro: 'expression',
  table: 'table',
  table_macro: 'table',
  pragma: 'pragma',
}

/** Types that no result can contain, or that reveal something about the engine. */
const REFUSED_TYPES = new Set(['bignum', 'varint', 'variant', 'geometry', 'type', 'time_ns'])

/** What queries may call, and what a host may add. */
const REVIEWED: ReadonlySet<string> = new Set([...FUNCTIONS, ...EXTRA_FUNCTIONS])

describe('inventory of the engine', () => {
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  let functions: EngineFunction[]

  before(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '1', autoload_known_extensions: 'false' })
    connection = await instance.connect()
    const rows = await read('SELECT DISTINCT lower(function_name), function_type, stability FROM duckdb_functions()')
    functions = rows.map(([name, type, stability]) => {
      const kind = KINDS[String(type)]
      assert.ok(kind, `a new kind of function: ${type}`)
      return { name: String(name), kind, stability: stability === null ? null : String(stability) }
    })
  })
  after(() => instance.closeSync())

  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows()
  const namesOf = (kind: EngineFunction['kind']) =>
    new Set(functions.filter(one => one.kind === kind).map(({ name }) => name))

  it('was reviewed for this version of the engine', async () => {
    const [row = []] = await read('SELECT version()')
    assert.equal(row[0], ENGINE_VERSION, 'review the functions of the new engine, then move ENGINE_VERSION')
  })

  it('lists every function as allowed, or as refused with a reason', () => {
    const unknown = functions.filter(({ name, kind }) => {
      if (kind === 'table') return !TABLE_FUNCTIONS.has(name) && !tableRefusalReason(name)
      return !(kind === 'expression' && REVIEWED.has(name)) && !refusalReason(name)
    })
    assert.deepEqual(unknown, [])
  })

  it('lists no function as both allowed and refused', () => {
    assert.deepEqual([...REVIEWED].filter(refusalReason), [])
    assert.deepEqual([...TABLE_FUNCTIONS].filter(tableRefusalReason), [])
  })

  it('allows only functions that the engine has', () => {
    // The parser treats unnest in SELECT as a function; the engine lists it as a table function.
    const expressions = namesOf('expression').add('unnest')
    const tables = namesOf('table')
    assert.deepEqual(
      [...REVIEWED].filter(name => !expressions.has(name)),
      [],
    )
    assert.deepEqual(
      [...TABLE_FUNCTIONS].filter(name => !tables.has(name)),
      [],
    )
  })

  it('gives reasons that fit at the end of a sentence', () => {
    const reasons = functions.map(({ name, kind }) =>
      kind === 'table' ? tableRefusalReason(name) : refusalReason(name),
    )
    for (const reason of new Set(reasons)) if (reason) assert.match(reason, /^[a-z].*[^.\s]$/)
  })

  it('marks as volatile every allowed function that the engine does not call consistent', () => {
    const changing = functions.filter(one => one.stability !== null && one.stability !== 'CONSISTENT')
    assert.ok(changing.length > 10)
    const missed = changing.filter(({ name }) => REVIEWED.has(name) && !VOLATILE_FUNCTIONS.has(name))
    assert.deepEqual(missed, [])
    for (const name of VOLATILE_COLUMNS) assert.ok(/^current_|^local/.test(name), name)
  })

  it('knows how often each macro copies its arguments', async () => {
    const rows = await read(`SELECT function_name, parameters, macro_definition FROM duckdb_functions()
      WHERE function_type = 'macro' AND schema_name = 'main'`)
    const macros = new Map(rows.map(([name, parameters, body]) => [String(name), { parameters, body: String(body) }]))
    const copies = (name: string): number => {
      const { parameters, body } = macros.get(name) ?? { parameters: null, body: '' }
      const inner = [...macros.keys()].filter(other => other !== name && body.includes(`${other}(`)).map(copies)
      const names = (parameters as { items: string[] } | null)?.items ?? []
      const counts = names.map(one => [...body.matchAll(new RegExp(`(?<![\\w'])"?${one}"?(?![\\w'(])`, 'g'))].length)
      return Math.max(1, ...counts) * Math.max(1, ...inner)
    }
    const copying = [...macros.keys()].filter(name => REVIEWED.has(name) && copies(name) > 1)
    assert.ok(copying.length > 5)
    const missed = copying.filter(name => (MACRO_COPIES.get(name) ?? 1) < copies(name))
    assert.deepEqual(missed, [])
  })

  it('lists every type as allowed or refused', async () => {
    const types = await read('SELECT DISTINCT lower(type_name) FROM duckdb_types()')
    const unknown = types.map(([name]) => String(name)).filter(name => !TYPES.has(name) && !LONG_TYPES.has(name))
    assert.deepEqual(
      unknown.filter(name => !REFUSED_TYPES.has(name)),
      [],
    )
    assert.deepEqual(
      [...TYPES].filter(name => REFUSED_TYPES.has(name)),
      [],
    )
  })

  it('allows only types that the engine has', async () => {
    const parts: Readonly<Record<string, string>> = {
      array: 'INT[2]',
      list: 'INT[]',
      null: '"NULL"',
      enum: "ENUM('a')",
      struct: 'STRUCT(a INT)',
      row: 'ROW(a INT)',
      map: 'MAP(INT, INT)',
      union: 'UNION(a INT)',
    }
    const failures: string[] = []
    for (const name of [...TYPES, ...LONG_TYPES]) {
      const type = parts[name] ?? name
      await read(`SELECT NULL::${type}`).catch((cause: Error) =>
        failures.push(`${type}: ${cause.message.split('\n')[0]}`),
      )
    }
    assert.deepEqual(failures, [])
  })
})
