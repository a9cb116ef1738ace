import { type Connection, columnsOf } from '../../duckdb/child/duckdb.js'
import { headerOf, shapeOf } from '../../files/csv.js'
import { MOST_LINE_BYTES } from '../../files/csv-scanner.js'
import { chunksOf, type RegularFile } from '../../files/regular.js'
import { refusedColumn } from '../../snapshots/codecs.js'
import { fileLiteral, literal } from '../../values/quote.js'
import type { SealTable } from '../job.js'
import { clip, type Finding } from './checks.js'
import { guessTypes } from './guessed-types.js'
import { refusedSchema } from './parquet-schema.js'

const DIALECT =
  "header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '', comment = '', skip = 0, hive_partitioning = false, " +
  // A line of the longest kind, and half of the memory that the engine would take.
  `max_line_size = ${MOST_LINE_BYTES}, buffer_size = 16777216`

/** The file of a table, as the engine reads it. */
export interface TableFile {
  file: RegularFile
  path: string
  /** Names of its columns, in their order. */
  present: readonly string[]
  /** Types of the columns that it is stored with, by their names; null when they are those of a Parquet file. */
  types: Readonly<Record<string, string>> | null
  /** Types of its columns as they are in a Parquet file; null for CSV, where all is text. */
  own: ReadonlyMap<string, string> | null
  /** What the engine selects from. */
  from: string
  /** Names of columns whose types were guessed from their values, and are none of text. */
  guessed: readonly string[]
  /** Rows that it must have; null when they were not counted. */
  rows: number | null
  /** Whether they are numbered in a column of the name `#`. */
  isNumbered?: boolean
}

/** A file without the column that separates projects, which is not stored. */
export function withoutColumn(given: TableFile, column: string | undefined): TableFile {
  const isStored = (name: string) => name !== column
  const types = given.types && Object.entries(given.types).filter(([name]) => isStored(name))
  const [present, guessed] = [given.present.filter(isStored), given.guessed.filter(isStored)]
  return { ...given, present, guessed, types: types && Object.fromEntries(types) }
}

/** What is wrong with a file, instead of what is in it. */
export type UnreadableFile = { unreadable: Finding }

/** How the file of a table is looked at. */
interface Look {
  /** Whether mistakes are looked for in a file that a program has written. */
  isSearched?: boolean
  /** A column whose values are not to be taken for numbers or dates: it is text. */
  asText?: string | undefined
}

/**
 * Looks at the file of a table. All of a CSV file is read, to check what the engine would guess at, unless a program
 * has written it for the engine, and tells its types: then it reads the file strictly, and only when it refuses to are
 * the mistakes looked for, with `isSearched`.
 */
export async function lookAt(
  connection: Connection,
  table: SealTable,
  { file, path }: { file: RegularFile; path: string },
  { isSearched = false, asText }: Look = {},
): Promise<TableFile | UnreadableFile> {
  if (table.format === 'parquet') return parquetFile(connection, table, { file, path })
  const isTold = table.columns !== null || table.sourceTypes !== null
  const isScanned = table.format === 'csv' || isSearched || !isTold
  const shape = isScanned ? await shapeOf(chunksOf(file)) : null
  const present = shape?.header ?? (await headerOf(chunksOf(file)))
  const columns = present.map(name => `${literal(name)}: 'VARCHAR'`).join(', ')
  // Strictly, the engine would refuse line ends that differ; whatever else it refuses, the scan has refused before.
  const dialect = `${DIALECT}, strict_mode = ${!isScanned}, allow_quoted_nulls = ${table.format === 'csv'}`
  const from = `read_csv(${fileLiteral(path)}, ${dialect}, auto_detect = false, columns = {${columns}})`
  const read = { file, path, present, own: null, from, rows: shape?.rows ?? null, guessed: [] }
  if (table.columns) return { ...read, types: table.columns }
  const { sourceTypes } = table
  if (sourceTypes)
    return { ...read, types: Object.fromEntries(present.map(name => [name, sourceTypes[name] ?? 'VARCHAR'])) }
  const isGuessed = (name: string) => name !== asText
  const guessed = await guessTypes(connection, from, present.filter(isGuessed))
  const types = Object.fromEntries(present.map(name => [name, guessed[name] ?? 'VARCHAR']))
  return { ...read, types, guessed: present.filter(name => types[name] !== 'VARCHAR') }
}

async function parquetFile(
  connection: Connection,
  table: SealTable,
  { file, path }: { file: RegularFile; path: string },
): Promise<TableFile | UnreadableFile> {
  const refused = await refusedColumn(connection, path)
  if (refused) {
    const message = `${table.name}.parquet ${refused.problem}`
    return { unreadable: { table: table.name, column: clip(refused.column), message } }
  }
  const wrong = await refusedSchema(connection, path)
  if (wrong)
    return {
      unreadable: { table: table.name, column: clip(wrong.column), message: clip(wrong.problem, 400) },
    }
  const from = `read_parquet(${fileLiteral(path)}, hive_partitioning = false)`
  const columns = await columnsOf(connection, `SELECT * FROM ${from}`)
  const own = new Map(columns.map(({ name, type }) => [name, type]))
  return { file, path, present: [...own.keys()], types: table.columns, own, from, rows: null, guessed: [] }
}

const NOT_STORED =
  'the catalogue has this column, which would not be stored: name another one that tells whose the rows are'

/** What is wrong with the columns of a file, without the column `by`, which separates projects. */
export function checkColumns(table: SealTable, { present }: TableFile, by?: string): Finding[] {
  const known = table.columns && Object.keys(table.columns)
  const missing = (known ?? table.named).filter(name => !present.includes(name))
  const unknown = known ? present.filter(name => !known.includes(name)) : []
  return [
    ...missing.map(column => ({
      table: table.name,
      column,
      message: column === by ? NOT_STORED : 'the column is missing',
    })),
    ...unknown.map(column => ({
      table: table.name,
      column: clip(column),
      message: 'the table has no such column',
    })),
    // Rows are numbered under this name.
    ...(known === null && present.includes('#')
      ? [{ table: table.name, column: '#', message: 'a column cannot have this name: give it another' }]
      : []),
  ]
}
