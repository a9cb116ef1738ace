import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Connection, columnsOf } from '../../duckdb/child/duckdb.js'
import { statisticsOfFiles } from '../../duckdb/child/statistics.js'
import { BEFORE, storedNames } from '../../files/given-names.js'
import type { Column } from '../../model.js'
import { type TableStatistics, withAdded } from '../../snapshots/statistics.js'
import { fileLiteral, identifier, literal } from '../../values/quote.js'
import type { SealedTable, SealTable, TableBefore } from '../job.js'
import type { Finding } from './checks.js'
import { numberIn } from './select.js'

/** Where the tables of a job are written, and the size at which a file ends and the next one begins. */
export interface WriteTarget {
  folder: string
  /** The folder of what the process is given. */
  given: string
  fileBytes: number
}

/** The Parquet files of a table, in the order of its rows. */
export interface ParquetParts {
  paths: readonly string[]
  rows: number
}

/**
 * Number of writes of this process. The engine keeps the metadata of files that it has read by their paths, and folders of
 * tenants are used again, so no path is written twice: a table would be told by what the file of another tenant holds.
 */
let writes = 0

/**
 * Writes rows to Parquet files in a folder of their own, in the place of those that were written of the table before. The
 * sealer has one thread: with several, the rows of several files would be out of order.
 */
export async function writeParts(
  connection: Connection,
  select: string,
  name: string,
  { folder, fileBytes }: WriteTarget,
): Promise<ParquetParts> {
  const before = (await readdir(folder)).filter(file => file.startsWith(`${name}.parts.`))
  await Promise.all(before.map(file => rm(join(folder, file), { recursive: true })))
  const target = join(folder, `${name}.parts.${++writes}`)
  const copied = await connection.runAndReadAll(
    `COPY (${select}) TO ${literal(target)}
     (FORMAT parquet, COMPRESSION zstd, FILE_SIZE_BYTES ${fileBytes}, RETURN_STATS)`,
  )
  const counts = new Map(copied.getRows().map(([path, rows]) => [basename(String(path)), Number(rows)]))
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const written = [...counts.keys()].map((_, at) => `data_${at}.parquet`)
  // The last file has no rows if the one before it had reached its size with the last row of the table.
  const kept = written.filter((file, at) => at === 0 || counts.get(file) !== 0)
  return { paths: kept.map(file => join(target, file)), rows }
}

/** Writes rows to one Parquet file. */
async function writePart(
  connection: Connection,
  select: string,
  name: string,
  { folder }: WriteTarget,
): Promise<ParquetParts> {
  const path = join(folder, `${name}.part.${++writes}`)
  const copy = `COPY (${select}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`
  return { paths: [path], rows: await numberIn(connection, copy) }
}

/** What the engine selects from, to read the rows of files in their order. */
export function fromParts(paths: readonly string[]): string {
  return `read_parquet([${paths.map(fileLiteral).join(', ')}], hive_partitioning = false)`
}

/** Files of a table that are smaller than half the size of a file, before they are merged. */
const MOST_SMALL = 8

/** A table that was written. */
export interface WrittenTable extends ParquetParts {
  columns: Column[]
}

/** What is wrong with a table, and how it was read all the same. */
export interface StagedTable {
  findings: Finding[]
  /** Whether there is a relation of its name; values that could not be read are NULL. */
  isRead: boolean
  /** The files that it was written to; null when it is a table of the staging database, or was not read. */
  written: WrittenTable | null
  /** The files of the table that were written already. */
  stored?: SealedTable
  /** The columns of a table whose rows fit into one file, since they are one group of rows at most. */
  small?: { columns: Column[] }
  /** Names of columns whose types were guessed. */
  guessed?: readonly string[]
}

/** Name of the table of the staging database that holds the rows of a table, without those to which they are added. */
export function stagedName({ name, before }: SealTable): string {
  return before ? `${name} new` : name
}

/** Writes a table of the staging database, if it is not written yet, and gives its files their names. */
export async function storeTable(
  connection: Connection,
  table: SealTable,
  { written, small, guessed = [] }: StagedTable,
  target: WriteTarget,
): Promise<SealedTable> {
  const stored = await nameFiles(
    connection,
    table,
    written ?? (await writeStaged(connection, table, target, small)),
    target,
  )
  return guessed.length > 0 ? { ...stored, guessed: [...guessed] } : stored
}

async function writeStaged(
  connection: Connection,
  table: SealTable,
  target: WriteTarget,
  small: StagedTable['small'],
): Promise<WrittenTable> {
  const staged = identifier(stagedName(table))
  const select = `SELECT * FROM ${staged} ORDER BY rowid`
  if (small) return { ...(await writePart(connection, select, table.name, target)), columns: small.columns }
  const parts = await writeParts(connection, select, table.name, target)
  return { ...parts, columns: await columnsOf(connection, staged) }
}

/**
 * Gives the files of a table their names. When rows are added to a table, its files stay where they are, unless there are
 * many small ones.
 */
async function nameFiles(
  connection: Connection,
  { name, before, units }: SealTable,
  written: WrittenTable,
  target: WriteTarget,
): Promise<SealedTable> {
  const added = before && written.rows === 0 ? [] : written.paths
  const { kept, merged } = before ? await divided(before, added, target) : { kept: [], merged: [] }
  const given = merged.map(({ file }) => join(target.given, BEFORE, file))
  const merge = `SELECT * FROM ${fromParts([...given, ...added])}`
  const paths =
    given.length === 0 ? added : (await writeParts(connection, merge, `${name}.merged`, target)).paths
  const statistics = await statisticsWith(connection, { before, units }, { ...written, paths: added }, target)
  for (const [at, file] of storedNames(name, paths.length).entries())
    await rename(paths[at] as string, join(target.folder, file))
  return {
    rows: written.rows + (before?.rows ?? 0),
    columns: written.columns,
    statistics,
    kept: kept.length,
    files: paths.length,
  }
}

/** What the values of a table are with the rows that were written. */
async function statisticsWith(
  connection: Connection,
  { before, units }: Pick<SealTable, 'before' | 'units'>,
  { paths, rows, columns }: WrittenTable,
  { given }: WriteTarget,
): Promise<TableStatistics> {
  const earlier = before?.statistics
  if (before && !earlier) {
    const all = [...before.files.map(({ file }) => join(given, BEFORE, file)), ...paths]
    return statisticsOfFiles(connection, { paths: all, rows: before.rows + rows }, columns, units)
  }
  if (earlier && paths.length === 0) return earlier
  const written = await statisticsOfFiles(connection, { paths, rows }, columns, units)
  return earlier ? withAdded(earlier, written, columns) : written
}

/** The files that stay as they are, and the small ones at the end that are merged with the new rows. */
async function divided({ files }: TableBefore, added: readonly string[], { fileBytes }: WriteTarget) {
  const isSmall = (bytes: number) => bytes < fileBytes / 2
  const firstSmall = files.findLastIndex(({ bytes }) => !isSmall(bytes)) + 1
  const sizes = await Promise.all(added.map(async path => (await stat(path)).size))
  const small = files.length - firstSmall + sizes.filter(isSmall).length
  const end = small > MOST_SMALL ? firstSmall : files.length
  return { kept: files.slice(0, end), merged: files.slice(end) }
}
