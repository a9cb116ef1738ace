import { isDeepStrictEqual } from 'node:util'
import { type Connection, columnsOf } from '../../duckdb/child/duckdb.js'
import { describeFailure } from '../../duckdb/child/duckdb-failure.js'
import type { Column } from '../../model.js'
import { identifier } from '../../values/quote.js'
import type { SealTable } from '../job.js'
import { conditionsOf } from './checks.js'
import type { TableFile } from './given-file.js'
import { fromParts, type WriteTarget, type WrittenTable, writeParts } from './parts.js'
import { changedWhenStored, FLOATING, readingIn } from './readings.js'
import { refusingLong } from './row-size.js'

/**
 * Writes a table to Parquet while it is read, and checks what was written, where a column is read without the others.
 * Null when a value is wrong, or may be, or when Parquet has no type for it: then all is to be read as text, row by
 * row, to say what is wrong with which.
 */
export async function writeAsRead(
  connection: Connection,
  table: SealTable,
  given: TableFile,
  before: readonly string[],
  target: WriteTarget,
): Promise<WrittenTable | null> {
  try {
    const names = given.types ? Object.keys(given.types) : given.present
    const read = `SELECT ${names.map(name => readAs(name, table, given)).join(', ')} FROM ${given.from}`
    const select = `SELECT * FROM (${read})${refusingLong(given)}`
    // Sorted, groups of rows in the files have the same size whatever the source, so that the same rows are the same bytes.
    const key = table.isOrdered ? '' : table.unique.map(identifier).join(', ')
    const order = key === '' ? '' : ` ORDER BY ${key}`
    const parts = await writeParts(connection, select + order, table.name, target)
    if (given.rows !== null && given.rows !== parts.rows) return null
    const columns = await columnsOf(connection, `SELECT * FROM ${fromParts(parts.paths)}`)
    if (!isDeepStrictEqual(columns, (await typesWanted(connection, given)) ?? columns)) return null
    if ((await countSound(connection, table, fromParts(parts.paths))) !== parts.rows) return null
    if (before.length === 0) return { ...parts, columns }
    const all = fromParts([...before, ...parts.paths])
    return (await hasUniqueKeys(connection, table.unique, all)) ? { ...parts, columns } : null
  } catch (cause) {
    if (describeFailure(cause).kind !== 'query') throw cause
    return null
  }
}

/** The SQL with which a column is read: a value that would be changed by its type, or when it is stored, fails. */
export function readAs(name: string, table: SealTable, given: TableFile): string {
  const [value, type] = [identifier(name), given.types?.[name]]
  if (type === undefined) return value
  const { strict, value: read } = readingIn(name, type, table, given)
  const changed = changedWhenStored(read(true), type)?.wrong
  return changed
    ? `CASE WHEN ${changed} THEN error('it may be changed') ELSE ${strict} END AS ${value}`
    : `${strict} AS ${value}`
}

/** The columns as they must be; null when the engine has found their types. */
async function typesWanted(connection: Connection, { types, own }: TableFile): Promise<Column[] | null> {
  if (!types) return own && [...own].map(([name, type]) => ({ name, type }))
  const select = Object.entries(types).map(([name, type]) => `CAST(NULL AS ${type}) AS ${identifier(name)}`)
  return columnsOf(connection, `SELECT ${select.join(', ')}`)
}

/**
 * Counts the rows of a table in which no value is missing, out of its range, not in its list, or not a number, and no two
 * rows have the same key; null when one does.
 */
export async function countSound(
  connection: Connection,
  table: SealTable,
  from: string,
): Promise<number | null> {
  const { rows, wrong, ascends } = await ascending(connection, table.unique, from, wrongRow(table))
  if (wrong > 0) return null
  return ascends || !(await hasTwice(connection, table.unique, from)) ? rows : null
}

/** SQL that is true for a row with a value that must not be. */
function wrongRow(table: SealTable): string {
  const floating = Object.entries(table.columns ?? {}).filter(([, type]) => FLOATING.test(type))
  const conditions = [
    ...conditionsOf(table).map(({ wrong }) => `(${wrong})`),
    ...floating.map(([name]) => `NOT isfinite(${identifier(name)})`),
  ]
  return conditions.join(' OR ') || 'false'
}

/** Whether no two rows have the same key. */
async function hasUniqueKeys(connection: Connection, key: readonly string[], from: string): Promise<boolean> {
  const { ascends } = await ascending(connection, key, from, 'false')
  return ascends || !(await hasTwice(connection, key, from))
}

/** Whether the key of each row is greater than that of the row before; counts the rows that are wrong. */
async function ascending(connection: Connection, key: readonly string[], from: string, wrong: string) {
  const names = key.map(identifier)
  const isGreater = `ROW(${names.join(', ')}) > ROW(${names.map(name => `lag(${name}) OVER ()`).join(', ')})`
  const isNot = [...names.map(name => `${name} IS NULL`), `(${isGreater}) IS NOT TRUE`].join(' OR ')
  // Without the columns themselves, since one of them may have any name.
  const each = `SELECT ${wrong} AS wrong, ${key.length > 0 ? isNot : 'false'} AS is_not FROM ${from}`
  const counted = `SELECT count(*), count(*) FILTER (WHERE wrong), count(*) FILTER (WHERE is_not) FROM (${each})`
  const [row = []] = (await connection.runAndReadAll(counted)).getRows()
  const [rows = 0, wrongs = 0, others = 0] = row.map(Number)
  return { rows, wrong: wrongs, ascends: key.length === 0 || rows === 0 || others === 1 } // the first row has none before it
}

/** Whether two rows have the same key. */
async function hasTwice(connection: Connection, key: readonly string[], from: string): Promise<boolean> {
  const names = key.map(identifier).join(', ')
  const twice = `SELECT 1 FROM ${from} GROUP BY ${names} HAVING count(*) > 1 LIMIT 1`
  return (await connection.runAndReadAll(twice)).getRows().length > 0
}
