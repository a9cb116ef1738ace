import { uniqueNames } from '../../engine/unique-names.js'
import { RecentMap } from '../../flow/recent.js'
import type { Column } from '../../model.js'
import type { ResultColumn } from '../../values/types.js'
import type { JobFailure, Statement } from '../jobs.js'
import { bindingsOf } from './bind.js'
import { columnsTold } from './columns.js'
import type { Connection, MaterializedResult, Prepared, Result } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { columnType } from './types.js'

/** Results with more columns are refused: binding and naming them is too expensive. */
const MAX_COLUMNS = 4096
/** Most SQL of ours around a statement that a connection keeps prepared. */
const MOST_PREPARED = 4

/** The columns of a result, and what the result itself tells of them. */
interface KnownColumns {
  columns: ResultColumn[]
  shape: string
}

/** What a connection has prepared, and the columns of the last result of the statement with values that it runs. */
const kept = new WeakMap<Connection, { sql: RecentMap<string, Prepared>; known?: KnownColumns }>()

function keptBy(connection: Connection) {
  const known = kept.get(connection) ?? { sql: new RecentMap(MOST_PREPARED) }
  kept.set(connection, known)
  return known
}

/** Binds the caller's statement alone, so that errors point into it, and returns its columns. */
export async function resultColumns(connection: Connection, statement: Statement): Promise<ResultColumn[]> {
  if (statement.values.length > 0) return columnsWithValues(connection, statement)
  const { sql } = statement
  const prepared = await connection.prepare(sql).catch(async cause => {
    throw await placed(connection, sql, describeFailure(cause))
  })
  try {
    const count = checkedCount(prepared.columnCount)
    const indexes = Array.from({ length: count }, (_, index) => index)
    const names = uniqueNames(indexes.map(index => prepared.columnName(index)))
    return indexes.map(index => ({
      name: names[index] as string,
      type: columnType(prepared.columnType(index)),
    }))
  } finally {
    prepared.destroySync()
  }
}

/**
 * Runs a statement, with SQL of ours after it, and returns the columns and the rows of its result. The columns of a
 * statement with values are those of the last result on the connection, if it had the same: their names, number and
 * types can depend on values (`struct_extract(s, $field)`), not only on the types of these.
 */
export async function columnsAndRows(
  connection: Connection,
  statement: Statement,
  after: string,
): Promise<{ columns: ResultColumn[]; result: MaterializedResult }> {
  const parts = { before: 'SELECT * FROM', statement, after }
  const running = run(connection, statement)
  if (statement.values.length === 0) {
    const columns = await resultColumns(connection, statement)
    return { columns, result: await runAround({ ...parts, columns }, running) }
  }
  const { known } = keptBy(connection)
  if (known) {
    const result = await runAround(parts, running).catch(cause => {
      // Binding depends on values, too, and the statement alone tells where it fails.
      if (describeFailure(cause).atBinding) return null
      throw cause
    })
    if (result && shapeOf(result) === known.shape) return { columns: known.columns, result }
  }
  const columns = await resultColumns(connection, statement)
  const result = await runAround(parts, running)
  const types = (each: readonly unknown[]) => JSON.stringify(each)
  if (types(result.columnTypes().map(type => columnType(type))) !== types(columns.map(({ type }) => type)))
    throw new Error('a result has other columns than the engine has told')
  keptBy(connection).known = { columns, shape: shapeOf(result) }
  return { columns, result }
}

/** Names and types of the columns of a result, which its vectors have. */
function shapeOf(result: MaterializedResult): string {
  return JSON.stringify([result.columnNames(), result.columnTypes().map(type => columnType(type))])
}

/**
 * The columns of a statement whose parameters have these types. A prepared statement does not tell them: the
 * engine binds it without values first, and again with them when it runs.
 */
async function columnsWithValues(connection: Connection, statement: Statement): Promise<ResultColumn[]> {
  const described = await describeStatement(connection, statement)
  const parts = { before: 'SELECT * FROM', statement, columns: described, after: 'LIMIT 0' }
  const types = (await runAround(parts, run(connection, statement))).columnTypes()
  return described.map(({ name }, index) => {
    const type = types[index]
    if (!type) throw new Error('a result has fewer columns than the engine has told')
    return { name, type: columnType(type) }
  })
}

/** The columns of a statement, with their types as the engine writes them. */
export async function describeStatement(connection: Connection, statement: Statement): Promise<Column[]> {
  const described = await runWithin({ before: 'DESCRIBE (\n', statement, after: '\n)' }, sql =>
    run(connection, statement)(sql).then(columnsTold),
  ).catch(cause => {
    const { offset, ...failure } = describeFailure(cause)
    throw new KnownFailure(offset === undefined || offset < 0 ? failure : { ...failure, offset })
  })
  checkedCount(described.length)
  const names = uniqueNames(described.map(({ name }) => name))
  return described.map(({ type }, index) => ({ name: names[index] as string, type }))
}

function checkedCount(count: number): number {
  if (count <= MAX_COLUMNS) return count
  const text = `The result has ${count} columns; at most ${MAX_COLUMNS} are possible.`
  throw new KnownFailure({ kind: 'query', text })
}

/** DuckDB also reports offsets within its macros. These do not move with the statement, and are dropped. */
async function placed(connection: Connection, sql: string, failure: JobFailure): Promise<KnownFailure> {
  const { offset, ...rest } = failure
  if (offset === undefined) return new KnownFailure(rest)
  const moved = await connection.prepare(` ${sql}`).then(
    prepared => void prepared.destroySync(),
    cause => describeFailure(cause).offset,
  )
  return new KnownFailure(moved === offset + 1 ? failure : rest)
}

/** Runs SQL of ours around a statement, with its values. */
export function run(
  connection: Connection,
  { values }: Statement,
): (sql: string) => Promise<MaterializedResult> {
  return async sql => (values.length > 0 ? (await bound(connection, sql, values)).run() : connection.run(sql))
}

/** Streams the rows of SQL of ours around a statement, with its values. */
export function stream(connection: Connection, { values }: Statement): (sql: string) => Promise<Result> {
  return async sql =>
    values.length > 0 ? (await bound(connection, sql, values)).stream() : connection.stream(sql)
}

/** A prepared statement with these values, which is planned only once for values of the same types. */
async function bound(connection: Connection, sql: string, values: Statement['values']): Promise<Prepared> {
  const known = keptBy(connection).sql
  const prepared = known.get(sql) ?? (await connection.prepare(sql))
  known.set(sql, prepared)
  prepared.bind(...bindingsOf(values))
  return prepared
}

/** Longer than any macro, so that an offset within a macro lies outside the statement. */
const MARGIN = 2048

/** Runs SQL of ours around a statement. Offsets in errors become those in the statement, or negative ones. */
async function runWithin<Value>(
  { before, statement, after }: { before: string; statement: Statement; after: string },
  run: (sql: string) => Promise<Value>,
): Promise<Value> {
  const start = before.padStart(MARGIN)
  try {
    return await run(`${start}${statement.sql}${after}`)
  } catch (cause) {
    const { offset, ...failure } = describeFailure(cause)
    if (offset === undefined) throw new KnownFailure(failure)
    const moved = offset - Buffer.byteLength(start)
    throw new KnownFailure({ ...failure, offset: moved <= Buffer.byteLength(statement.sql) ? moved : -1 })
  }
}

/**
 * Runs SQL of ours with the caller's statement as a derived table whose columns are named c0, c1 …, or as they are
 * without `columns`. The statement has bound alone before.
 */
export async function runAround<Value>(
  parts: { before: string; statement: Statement; columns?: readonly unknown[]; after: string },
  run: (sql: string) => Promise<Value>,
): Promise<Value> {
  const { statement, columns } = parts
  const names = columns ? `(${columns.map((_, index) => `c${index}`).join(', ')})` : ''
  const around = { before: `${parts.before} (\n`, statement, after: `\n) AS q${names} ${parts.after}` }
  try {
    return await runWithin(around, run)
  } catch (cause) {
    const { offset, ...failure } = describeFailure(cause)
    if (offset !== undefined && offset >= 0) throw cause
    // A binding error outside of what has bound is a fault of our SQL.
    if (failure.atBinding && offset !== undefined)
      throw new KnownFailure({ ...failure, kind: 'fault', text: 'The engine failed.' })
    throw new KnownFailure(failure)
  }
}
