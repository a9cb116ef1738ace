import { isDeepStrictEqual } from 'node:util'
import type { Column } from '../../../model.js'
import { identifier } from '../../../values/quote.js'
import type { SealTable } from '../../seal-job.js'
import { columnsOf } from '../columns.js'
import type { Connection } from '../duckdb.js'
import { describeFailure } from '../duckdb-failure.js'
import { conditionsOf, FLOATING, INTEGER } from './checks.js'
import type { GivenFile } from './given-file.js'
import { fromParts, type Parts, type Target, writeParts } from './parts.js'

/** A table that was written as it was read. */
export interface Written extends Parts {
  columns: Column[]
}

/**
 * Writes a table to Parquet while it is read, and checks what was written, where a column is read without the others.
 * Null when a value is wrong, or may be, or when Parquet has no type for it: then all is to be read as text, row by
 * row, to say what is wrong with which.
 */
export async function writeAsRead(
  connection: Connection,
  table: SealTable,
  given: GivenFile,
  before: readonly string[],
  target: Target,
): Promise<Written | null> {
  try {
    const names = given.types ? Object.keys(given.types) : given.present
    const select = `SELECT ${names.map(name => readAs(name, table, given)).join(', ')} FROM ${given.from}`
    const parts = await writeParts(connection, select, table.name, target)
    if (given.rows !== null && given.rows !== parts.rows) return null
    const columns = await columnsOf(connection, `SELECT * FROM ${fromParts(parts.paths)}`)
    if (!isDeepStrictEqual(columns, (await typesWanted(connection, given)) ?? columns)) return null
    if (!(await hasRightValues(connection, table, fromParts(parts.paths)))) return null
    const written = await inOrder(connection, table, { ...parts, columns }, target)
    if (!written || before.length === 0 || table.unique.length === 0) return written
    const isUnique = await hasUniqueKeys(connection, table.unique, fromParts([...before, ...written.paths]))
    return isUnique ? written : null
  } catch (cause) {
    if (describeFailure(cause).kind !== 'query') throw cause
    return null
  }
}

/** The SQL with which a column is read: a value that would be changed by its type fails. */
export function readAs(name: string, table: SealTable, { types, own }: GivenFile): string {
  const [value, type] = [identifier(name), types?.[name]]
  if (type === undefined) return value
  const cast = `CAST(${value} AS ${type})`
  const from = own ? own.get(name) : table.told?.[name] === undefined ? 'VARCHAR' : table.told[name]
  if (!INTEGER.test(type) || from === undefined || INTEGER.test(from)) return `${cast} AS ${value}`
  // A cast to an integer rounds.
  const mayRound =
    own && from !== 'VARCHAR'
      ? `CAST(${value} AS DOUBLE) <> floor(CAST(${value} AS DOUBLE))`
      : ['.', 'e', 'E'].map(sign => `contains(${value}, '${sign}')`).join(' OR ')
  return `CASE WHEN ${mayRound} THEN error('it may be rounded') ELSE ${cast} END AS ${value}`
}

/** The columns as they must be; null when the engine has found their types. */
async function typesWanted(connection: Connection, { types, own }: GivenFile): Promise<Column[] | null> {
  if (!types) return own && [...own].map(([name, type]) => ({ name, type }))
  const select = Object.entries(types).map(([name, type]) => `CAST(NULL AS ${type}) AS ${identifier(name)}`)
  return columnsOf(connection, `SELECT ${select.join(', ')}`)
}

/** Whether no value is missing, out of its range, not in its list, or not a number. */
export async function hasRightValues(
  connection: Connection,
  table: SealTable,
  from: string,
): Promise<boolean> {
  const floating = Object.entries(table.columns ?? {}).filter(([, type]) => FLOATING.test(type))
  const conditions = [
    ...conditionsOf(table).map(({ wrong }) => wrong),
    ...floating.map(([name]) => `NOT isfinite(${identifier(name)})`),
  ]
  if (conditions.length === 0) return true
  const counts = conditions.map(wrong => `count(*) FILTER (WHERE ${wrong})`).join(' + ')
  return Number((await connection.runAndReadAll(`SELECT ${counts} FROM ${from}`)).getRows()[0]?.[0]) === 0
}

/**
 * Sorts the rows by the unique key, unless their order says something; null when two rows have the same. Rows that
 * ascend are not sorted, and need no other check.
 */
async function inOrder(
  connection: Connection,
  table: SealTable,
  written: Written,
  target: Target,
): Promise<Written | null> {
  const { unique, isOrdered } = table
  const from = fromParts(written.paths)
  if (unique.length === 0 || (await ascends(connection, unique, from))) return written
  if (isOrdered) return (await hasTwice(connection, unique, from)) ? null : written
  const key = unique.map(identifier).join(', ')
  const sorted = `SELECT * FROM ${from} ORDER BY ${key}`
  const parts = await writeParts(connection, sorted, `${table.name}.sorted`, target)
  const isUnique = await hasUniqueKeys(connection, unique, fromParts(parts.paths))
  return isUnique ? { ...parts, columns: written.columns } : null
}

/** Whether no two rows have the same key. */
export async function hasUniqueKeys(
  connection: Connection,
  key: readonly string[],
  from: string,
): Promise<boolean> {
  if (key.length === 0) return true
  return (await ascends(connection, key, from)) || !(await hasTwice(connection, key, from))
}

/** Whether the key of each row is greater than that of the row before; false when a key is NULL. */
async function ascends(connection: Connection, key: readonly string[], from: string): Promise<boolean> {
  const names = key.map(identifier)
  const lagged = names.map((name, at) => `lag(${name}) OVER () AS "before ${at}"`)
  const isGreater = `ROW(${names.join(', ')}) > ROW(${names.map((_, at) => `"before ${at}"`).join(', ')})`
  const hasNull = names.map(name => `${name} IS NULL`).join(' OR ')
  // The first row has none before it.
  const counts = `count(*) FILTER (WHERE ${hasNull} OR (${isGreater}) IS NOT TRUE), count(*)`
  const [row] = (
    await connection.runAndReadAll(
      `SELECT ${counts} FROM (SELECT ${names.join(', ')}, ${lagged.join(', ')} FROM ${from})`,
    )
  ).getRows()
  const [others, rows] = (row ?? []).map(Number)
  return rows === 0 || others === 1
}

/** Whether two rows have the same key. */
async function hasTwice(connection: Connection, key: readonly string[], from: string): Promise<boolean> {
  const names = key.map(identifier).join(', ')
  const twice = `SELECT 1 FROM ${from} GROUP BY ${names} HAVING count(*) > 1 LIMIT 1`
  return (await connection.runAndReadAll(twice)).getRows().length > 0
}
