import { isDeepStrictEqual } from 'node:util'
import { RecentMap } from '../../flow/recent.js'
import { DISTINCT_UNNEST, unnestedColumns } from '../../guard/engine-faults.js'
import type { Column } from '../../model.js'
import type { BoundParameter } from '../../values/parameters.js'
import { type ColumnType, type ResultColumn, uniqueNames } from '../../values/types.js'
import type { JobFailure, JobStatement } from '../jobs.js'
import { bindingsOf } from './bind.js'
import {
  type Connection,
  columnsTold,
  type MaterializedResult,
  type Prepared,
  type Result,
} from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { treeOf } from './optimizer.js'
import { columnType } from './types.js'

/** Results with more columns are refused: binding and naming them is too expensive. */
const MAX_COLUMNS = 4096
/** Most SQL of ours around a statement that a connection keeps prepared. */
const MOST_PREPARED = 4

/** SQL around statements with values, as each connection has it prepared. */
const preparedOn = new WeakMap<Connection, RecentMap<string, Prepared>>()

/** Binds the caller's statement alone, so that errors point into it, and returns its columns. */
export async function resultColumns(
  connection: Connection,
  statement: JobStatement,
): Promise<ResultColumn[]> {
  const columns = await boundColumns(connection, statement)
  await checkColumns(connection, statement, columns)
  return columns
}

/**
 * Refuses DISTINCT over structs that are unnested, of which each makes several columns, and columns that were not
 * declared.
 */
async function checkColumns(
  connection: Connection,
  statement: JobStatement,
  columns: readonly ResultColumn[],
): Promise<void> {
  const { sql } = statement
  if (/\bdistinct\b/i.test(sql) && /\bunnest\b/i.test(sql)) {
    const wanted = unnestedColumns((await treeOf(connection, sql)).statements)
    if (wanted !== null && wanted !== columns.length)
      throw new KnownFailure({ kind: 'query', text: `${DISTINCT_UNNEST.message} ${DISTINCT_UNNEST.hint}` })
  }
  await checkDeclared(connection, statement, columns)
}

async function boundColumns(connection: Connection, statement: JobStatement): Promise<ResultColumn[]> {
  if (statement.values?.length) return columnsWithValues(connection, statement)
  const { sql } = statement
  const prepared = await connection.prepare(sql).catch(async cause => {
    throw await placed(connection, sql, describeFailure(cause))
  })
  try {
    return columnsOf(prepared)
  } finally {
    prepared.destroySync()
  }
}

/**
 * Runs a statement, with SQL of ours after it, and returns the columns and the rows of its result, which is planned
 * once. The statement is bound alone only where that fails to bind, so that the error points into it, and where the
 * engine may have renamed columns.
 */
export async function columnsAndRows(
  connection: Connection,
  statement: JobStatement,
  after: string,
): Promise<{ columns: ResultColumn[]; result: MaterializedResult }> {
  const parts = { before: 'SELECT * FROM', statement, after }
  const running = (sql: string) => checkedRows(connection, sql, statement)
  const found = await runAround(parts, running).catch(cause => {
    if (describeFailure(cause).atBinding) return null
    throw cause
  })
  if (found && !hasRenamed(found.columns)) {
    await checkColumns(connection, statement, found.columns)
    return found
  }
  const alone = await resultColumns(connection, statement) // fails with the place in the statement
  const { columns, result } = found ?? (await runAround(parts, running))
  if (alone.length !== columns.length) throw new Error('a result has other columns than the engine has told')
  return { columns: columns.map(({ type }, index) => ({ name: alone[index]?.name as string, type })), result }
}

/** What makes many columns of few words, or several statements of one text. */
const WIDE = /[;*]|\b(columns|unnest|pivot\w*|unpivot|by\s+name)\b/i
const COUNT_OF_ALL = /\bcount\(\*\)/gi

/** Whether a text is one statement, which names each column of its result. */
export function isNarrow(sql: string): boolean {
  return (
    sql.length < MAX_COLUMNS && /^\s*select\b/i.test(sql) && !WIDE.test(sql.replace(COUNT_OF_ALL, 'count()'))
  )
}

/**
 * Runs SQL around a statement, if it is the only one of its text. Where the text does not show that its columns are few,
 * they are known before it runs, and refused then if no result can hold them.
 */
async function checkedRows(connection: Connection, sql: string, statement: JobStatement) {
  const { values } = statement
  if (values?.length || isNarrow(statement.sql)) {
    const result = await run(connection, statement)(sql)
    return { columns: columnsOf(result), result }
  }
  const prepared = await connection.prepare(sql) // refuses several statements
  try {
    return { columns: columnsOf(prepared), result: await prepared.run() }
  } finally {
    prepared.destroySync()
  }
}

function columnsOf(
  told: Pick<Prepared | MaterializedResult, 'columnCount' | 'columnName' | 'columnType'>,
): ResultColumn[] {
  const indexes = Array.from({ length: checkedCount(told.columnCount) }, (_, index) => index)
  const names = uniqueNames(indexes.map(index => told.columnName(index)))
  return indexes.map(index => ({ name: names[index] as string, type: columnType(told.columnType(index)) }))
}

/** Whether the engine may have renamed columns of a derived table, as it does with names that occur twice. */
function hasRenamed(columns: readonly ResultColumn[]): boolean {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()))
  return columns.some(({ name }) => {
    const [, first] = /^(.*)_\d+$/s.exec(name) ?? []
    return first !== undefined && names.has(first.toLowerCase())
  })
}

/**
 * The columns of a statement whose parameters have these types. A prepared statement does not tell them: the
 * engine binds it without values first, and again with them when it runs.
 */
async function columnsWithValues(connection: Connection, statement: JobStatement): Promise<ResultColumn[]> {
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
export async function describeStatement(connection: Connection, statement: JobStatement): Promise<Column[]> {
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
  { values }: JobStatement,
): (sql: string) => Promise<MaterializedResult> {
  return async sql => (values?.length ? (await bound(connection, sql, values)).run() : connection.run(sql))
}

/** Streams the rows of SQL of ours around a statement, with its values. */
export function stream(connection: Connection, { values }: JobStatement): (sql: string) => Promise<Result> {
  return async sql =>
    values?.length ? (await bound(connection, sql, values)).stream() : connection.stream(sql)
}

/** A prepared statement with these values, which is planned only once for values of the same types. */
async function bound(
  connection: Connection,
  sql: string,
  values: readonly BoundParameter[],
): Promise<Prepared> {
  let statements = preparedOn.get(connection)
  if (!statements) {
    statements = new RecentMap(MOST_PREPARED, { onDrop: dropped => dropped.destroySync() })
    preparedOn.set(connection, statements)
  }
  let prepared = statements.get(sql)
  if (!prepared) {
    prepared = await connection.prepare(sql)
    statements.set(sql, prepared)
  }
  prepared.bind(...bindingsOf(values))
  return prepared
}

/** Longer than any macro, so that an offset within a macro lies outside the statement. */
const MARGIN = 2048

/** Runs SQL of ours around a statement. Offsets in errors become those in the statement, or negative ones. */
async function runWithin<Value>(
  { before, statement, after }: { before: string; statement: JobStatement; after: string },
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
 * without `columns`. Where that does not bind although the statement alone does, our SQL is at fault.
 */
export async function runAround<Value>(
  parts: { before: string; statement: JobStatement; columns?: readonly unknown[]; after: string },
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

/** Declared types by how they are written, as the engine reads them. */
const declaredTypes = new RecentMap<string, ColumnType>(1_000)

/** Refuses a result with other columns than the catalogue declares for its statement. */
async function checkDeclared(
  connection: Connection,
  { columns: declared }: JobStatement,
  columns: readonly ResultColumn[],
): Promise<void> {
  if (!declared) return
  const expected = Object.entries(declared)
  if (expected.length !== columns.length)
    throw differing(`it yields ${columns.length} columns, and declares ${expected.length}`)
  for (const [at, [name, type]] of expected.entries()) {
    const found = columns[at]
    if (found?.name !== name)
      throw differing(`column ${at + 1} is "${found?.name}", and is declared as "${name}"`)
    if (!isDeepStrictEqual(found.type, await typeOf(connection, type)))
      throw differing(`column ${at + 1}, "${name}", is not of the declared type ${type}`)
  }
}

async function typeOf(connection: Connection, written: string): Promise<ColumnType> {
  const read = declaredTypes.get(written)
  if (read) return read
  const prepared = await connection.prepare(`SELECT CAST(NULL AS ${written})`).catch(cause => {
    throw differing(`the declared type ${written} is none: ${describeFailure(cause).text}`)
  })
  try {
    const type = columnType(prepared.columnType(0))
    declaredTypes.set(written, type)
    return type
  } finally {
    prepared.destroySync()
  }
}

function differing(how: string): KnownFailure {
  const text = 'The columns differ from those that the catalogue declares.'
  return new KnownFailure({ kind: 'query', text, atBinding: true, cause: `Its columns differ: ${how}` })
}
