import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { SourceRows, TableSource } from './source.js'

const FORMATS = ['parquet', 'csv'] as const

/** The rows of a file. Sealing reads the file where it is, without a copy. */
export class FileSource implements TableSource {
  readonly isOrdered = true
  /** Absolute. */
  readonly path: string
  readonly format: 'csv' | 'parquet'

  constructor(path: string) {
    const format = FORMATS.find(each => `${path}`.endsWith(`.${each}`))
    if (!format)
      throw new TypeError(`a file of rows ends with .csv or .parquet, not as ${JSON.stringify(path)}`)
    this.path = resolve(path)
    this.format = format
  }

  async read(): Promise<SourceRows> {
    return { format: this.format, chunks: createReadStream(this.path) }
  }
}

/** The tables of a folder, each in a file of its name, and tables from elsewhere. */
export class TableFolder {
  readonly path: string
  readonly others: Readonly<Record<string, TableSource>>

  constructor(path: string, others: Readonly<Record<string, TableSource>>) {
    if (typeof path !== 'string') throw new TypeError('fromFolder() takes the path of a folder')
    this.path = path
    this.others = others
  }
}

/**
 * A `.csv` or `.parquet` file. It stays where it is, its rows keep their order, and it has to be there, as a regular
 * file, until the sealing has ended.
 *
 * @param path - Path of the file, which ends with `.csv` or `.parquet`.
 * @returns A source for `tables` of `seal`.
 * @throws TypeError when the path ends otherwise.
 *
 * @example
 * ```ts
 * await sealer.seal({ projectId, tables: { orders: fromFile('export/orders.parquet') } })
 * ```
 */
export function fromFile(path: string): TableSource {
  return new FileSource(path)
}

/**
 * A folder with one `<table>.parquet` or `<table>.csv` per table of the catalogue. The folder is read when the tables are
 * sealed; files that belong to no table are left out, and their names are told.
 *
 * @param path - Path of the folder.
 * @param others - Sources of tables that are not in the folder, by the names of the tables. Default: none.
 * @returns The `tables` of `seal`, `sealMany` and `check`.
 * @throws TypeError when the path is no string.
 *
 * @example
 * ```ts
 * const tables = fromFolder('package', { trips: fromRows([{ trip_id: 1, km: 12 }]) })
 * const { leftOut } = await sealer.seal({ projectId, tables })
 * ```
 */
export function fromFolder(path: string, others: Readonly<Record<string, TableSource>> = {}): TableFolder {
  return new TableFolder(path, others)
}

/** Where the rows of tables come from: sources by the names of the tables, or a folder. */
export type TableSources = Readonly<Record<string, TableSource>> | TableFolder

/** What there is of the tables of a catalogue. */
export interface FoundTables {
  /** Sources by the names of their tables. */
  sources: ReadonlyMap<string, TableSource>
  /** Tables without a source, or with several. */
  problems: { table: string; message: string }[]
  /** Names of files that belong to no table, sorted. */
  leftOut: string[]
}

/** Finds the sources of the tables of a catalogue, of which the optional ones may lack one. */
export async function findSources(
  tables: TableSources,
  definitions: readonly { name: string; optional: boolean }[],
): Promise<FoundTables> {
  const folder = tables instanceof TableFolder ? tables : null
  const entries = folder ? await readdir(folder.path, { withFileTypes: true }) : []
  const names = entries.map(({ name }) => name)
  const isTable = (name: string) =>
    definitions.some(table => FORMATS.some(format => name === `${table.name}.${format}`))
  // A folder in the place of a table is told as that.
  const files = new Set(names.filter((name, at) => isTable(name) || !entries[at]?.isDirectory()))
  const sources = new Map(Object.entries(folder ? folder.others : tables))
  const problems: FoundTables['problems'] = []
  for (const { name: table, optional } of definitions) {
    const say = (message: string) => problems.push({ table, message })
    const [file, second] = FORMATS.map(format => `${table}.${format}`).filter(each => files.delete(each))
    if (second) say(`there is both ${file} and ${second}: keep one`)
    else if (file && sources.has(table)) say(`there is a source of it, and ${file} too: keep one`)
    else if (folder && file) sources.set(table, new FileSource(join(folder.path, file)))
    else if (!sources.has(table) && !optional)
      say(folder ? `${table}.parquet or ${table}.csv is missing` : 'there is no source of it')
  }
  for (const { table } of problems) sources.delete(table)
  return { sources, problems, leftOut: [...files].sort() }
}
