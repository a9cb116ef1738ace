import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Connection } from '../../duckdb/child/duckdb.js'
import { fileLiteral, literal } from '../../values/quote.js'

/** Where the tables of a job are written, and the size at which a file ends and the next one begins. */
export interface Target {
  folder: string
  /** The folder of what the process is given. */
  given: string
  fileBytes: number
}

/** The Parquet files of a table, in the order of its rows. */
export interface Parts {
  /** Names of the files. */
  paths: readonly string[]
  rows: number
}

/**
 * Writes rows to Parquet files in a folder of their own, which is replaced. The sealer has one thread: with several,
 * the rows of several files would be out of order.
 */
export async function writeParts(
  connection: Connection,
  select: string,
  name: string,
  { folder, fileBytes }: Target,
): Promise<Parts> {
  const target = join(folder, `${name}.parts`)
  await rm(target, { recursive: true, force: true })
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
export async function writePart(
  connection: Connection,
  select: string,
  name: string,
  { folder }: Target,
): Promise<Parts> {
  const path = join(folder, `${name}.part`)
  const copied = await connection.runAndReadAll(
    `COPY (${select}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`,
  )
  return { paths: [path], rows: Number(copied.getRows()[0]?.[0]) }
}

/** What the engine selects from, to read the rows of files in their order. */
export function fromParts(paths: readonly string[]): string {
  return `read_parquet([${paths.map(fileLiteral).join(', ')}], hive_partitioning = false)`
}
