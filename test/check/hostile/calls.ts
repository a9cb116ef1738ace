import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import { FUNCTIONS } from '#lib/guard/inventory.js'
import { EDGES, SAME, TEMPLATES } from './edges.js'

/** A call of a function: an expression over columns, each of which takes every one of its edge values. */
export interface EdgeCall {
  expression: string
  /** The values of each column of the expression, as SQL. */
  columns: ReadonlyMap<string, readonly string[]>
  /** Whether it is an aggregate, which takes all rows at once. */
  isAggregate: boolean
}

/** A way to call a function of the inventory. */
export interface Overload {
  name: string
  types: string[]
  isAggregate: boolean
}

/** Types that replace ANY, in turn. */
const KINDS = ['VARCHAR', 'BLOB', 'JSON', 'VARCHAR[]', 'INTEGER']
/** Arguments next to the one that is tested. */
const PLAIN: Readonly<Record<string, string>> = { VARCHAR: "'é'", BIGINT: '2', INTEGER: '2' }
/** Rows per call, at most. */
const MOST_ROWS = 3_000

let found: Promise<EdgeCall[]> | undefined

/** Calls of every function of the inventory with edge values, for each type of argument that it takes. */
export function edgeCalls(): Promise<EdgeCall[]> {
  found ??= findEdgeCalls()
  return found
}

async function findEdgeCalls(): Promise<EdgeCall[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const calls = [...(await overloads(connection)).flatMap(callsOf), ...TEMPLATES.flatMap(templated)]
  const distinct = new Map(calls.map(call => [edgeQuery([call]), call]))
  const bound: EdgeCall[] = []
  for (const [sql, call] of distinct) if (await binds(connection, sql)) bound.push(call)
  instance.closeSync()
  return bound
}

/** Calls from one string to a string, with plain values as other arguments; `$` marks the string. */
export async function textFunctions(): Promise<string[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const found = new Set(TEMPLATES.filter(template => !template.startsWith('strftime')))
  for (const { name, types, isAggregate } of await overloads(connection)) {
    const plain = types.map(type => PLAIN[SAME[type] ?? type] ?? EDGES[SAME[type] ?? type]?.[0] ?? "'é'")
    for (const [at, type] of types.entries())
      if (!isAggregate && types.length < 4 && /^(VARCHAR|ANY|T|BLOB)$/.test(type))
        found.add(`${name}(${plain.map((value, index) => (index === at ? '$' : value)).join(', ')})`)
  }
  const given: string[] = []
  for (const call of found) {
    const text = `TRY(${call.replaceAll('$', 'a')})`
    if (await binds(connection, `SELECT regexp_escape(${text}) FROM (SELECT 'é' AS a)`)) given.push(call)
  }
  instance.closeSync()
  return given
}

/** One statement of calls over the same values; it returns the bytes of all results of each call, as hex. */
export function edgeQuery(calls: readonly EdgeCall[]): string {
  const given = calls.map(({ expression, isAggregate }, index) => {
    const value = isAggregate ? expression : `TRY(${expression})`
    return `hex(encode(CAST(${value} AS VARCHAR))) AS r${index}`
  })
  const columns = [...(calls[0]?.columns ?? [])]
  const from = columns.map(([name, values]) => `(SELECT unnest([${values.join(', ')}]) AS ${name})`)
  const lists = calls.map((_, index) => `list(DISTINCT r${index}) AS r${index}`)
  return `SELECT ${lists.join(', ')} FROM (SELECT ${given.join(', ')} FROM ${from.join(', ') || '(SELECT 1)'})`
}

function callsOf({ name, types, isAggregate }: Overload): EdgeCall[] {
  const isAny = (type: string) => type === 'ANY' || type === 'T'
  return (types.some(isAny) ? KINDS : ['']).flatMap(kind => {
    const read = types.map(type => (isAny(type) ? kind : (SAME[type] ?? type)))
    if (read.some(type => type !== 'LAMBDA' && !EDGES[type])) return []
    const most = read.length < 2 ? MOST_ROWS : Math.max(2, Math.floor(MOST_ROWS ** (1 / read.length)))
    const columns = new Map<string, readonly string[]>()
    const written = read.map((type, at) => {
      if (type === 'LAMBDA') return 'lambda x: x'
      columns.set(`a${at}`, (EDGES[type] ?? []).slice(0, most))
      return `a${at}`
    })
    return { expression: `${name}(${written.join(', ')})`, columns, isAggregate }
  })
}

function templated(template: string): EdgeCall[] {
  return ['VARCHAR', 'BLOB', 'JSON'].map(type => ({
    expression: template.replaceAll('$', 'a0'),
    columns: new Map([['a0', EDGES[type] ?? []]]),
    isAggregate: false,
  }))
}

/** Every way to call every function of the inventory. */
export async function overloads(connection: DuckDBConnection): Promise<Overload[]> {
  const result = await connection.runAndReadAll(`SELECT DISTINCT function_name, function_type, parameter_types, varargs
    FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro') ORDER BY ALL`)
  return result.getRowsJson().flatMap(row => {
    const [name, kind, listed, varargs] = row as [string, string, (string | null)[], string | null]
    if (!(FUNCTIONS.has(name) || EXTRA_FUNCTIONS.has(name)) || !/^[a-z]/.test(name)) return []
    const types = listed.map(type => type ?? 'ANY')
    const all = varargs
      ? [
          [...types, varargs],
          [...types, varargs, varargs],
        ]
      : [types]
    return all.map(each => ({ name, types: each, isAggregate: kind === 'aggregate' }))
  })
}

async function binds(connection: DuckDBConnection, sql: string): Promise<boolean> {
  try {
    ;(await connection.prepare(sql)).destroySync()
    return true
  } catch {
    return false
  }
}
