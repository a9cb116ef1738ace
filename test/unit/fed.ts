import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance, type Json } from '@duckdb/node-api'
import type { TableSource } from 'foldgate/sealing'
import { type FedTable, type FeedOptions, feedSources } from '#lib/sources/feed.js'
import { fileLiteral, identifier, literal } from '#lib/values/quote.js'

/** Runs `work` with a folder of its own. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-sources-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Feeds one source as the table `orders`. */
export async function feedOne(
  source: TableSource,
  folder: string,
  { columns = null, ...options }: Partial<FeedOptions> & { columns?: Record<string, string> | null } = {},
): Promise<FedTable> {
  const [fed] = await feedSources(new Map([['orders', { source, columns }]]), { folder, ...options })
  return fed as FedTable
}

/** What the source of `orders` delivers, as text. */
export async function textOf(source: TableSource, columns: Record<string, string> | null = null): Promise<string> {
  return inFolder(async folder => readFile((await feedOne(source, folder, { columns })).path, 'utf8'))
}

const DIALECT =
  "header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '', comment = '', skip = 0, strict_mode = false, " +
  'hive_partitioning = false, auto_detect = false'

/** The rows of a file, as the engine reads them: each value cast to the type of its column, and then to VARCHAR. */
export async function readBack(
  { path, format, types }: Pick<FedTable, 'path' | 'format' | 'types'>,
  columns: Readonly<Record<string, string>> = types ?? {},
  shown: (name: string) => string = name => `CAST(${name} AS VARCHAR)`,
): Promise<Json[][]> {
  const names = Object.keys(columns)
  const cast = names.map(name => shown(`CAST(${identifier(name)} AS ${columns[name]})`)).join(', ')
  const read = names.map(name => `${literal(name)}: 'VARCHAR'`).join(', ')
  const nulls = format === 'csv-with-empty-text' ? ', allow_quoted_nulls = false' : ''
  const from =
    format === 'parquet'
      ? `read_parquet(${fileLiteral(path)})`
      : `read_csv(${fileLiteral(path)}, ${DIALECT}${nulls}, columns = {${read}})`
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    return (await connection.runAndReadAll(`SELECT ${cast} FROM ${from}`)).getRowsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Feeds a source and reads it back. */
export async function through(source: TableSource, columns: Record<string, string> | null = null): Promise<Json[][]> {
  return inFolder(async folder => {
    const fed = await feedOne(source, folder, { columns })
    return readBack(fed, columns ?? fed.types ?? {})
  })
}

/** Writes a file with this name into a folder; returns its path. */
export async function fileWith(folder: string, content: string, ending = 'csv'): Promise<string> {
  const path = join(folder, `${randomUUID()}.${ending}`)
  await writeFile(path, content)
  return path
}
