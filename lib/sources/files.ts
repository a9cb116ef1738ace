import { createReadStream, type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isPlain, kindOf } from './cells.js'
import type { TableSource } from './source.js'
import { SourceFailed } from './stored-chunks.js'

const FORMATS = ['parquet', 'csv'] as const
/** What marks a file and a folder, whichever copy of this package has made them. */
const FILE: unique symbol = Symbol.for('foldgate.fromFile')
const FOLDER: unique symbol = Symbol.for('foldgate.fromFolder')

/** The rows of a file, which sealing reads where it is, without a copy. */
export interface FileSource extends TableSource {
  /** Its absolute path. */
  readonly [FILE]: { path: string; format: (typeof FORMATS)[number] }
}

/** The tables of a folder, each in a file of its name, and tables from elsewhere. */
export interface TableFolder {
  /** Its path. */
  readonly [FOLDER]: string
  readonly others: Readonly<Record<string, TableSource>>
}

/**
 * A `.csv` or `.parquet` file, whose rows keep their order. Sealing reads the file where it is: it has to stay there, as a
 * regular file, until the sealing has ended.
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
  const format = FORMATS.find(each => `${path}`.endsWith(`.${each}`))
  if (!format)
    throw new TypeError(`a file of rows ends with .csv or .parquet, not as ${JSON.stringify(path)}`)
  const file = { path: resolve(path), format }
  const read = async () => ({ format, chunks: createReadStream(file.path) })
  const source: FileSource = { isOrdered: true, [FILE]: file, read }
  return source
}

/** The path and the format of a source that {@link fromFile} has made; null for another one. */
export function fileIn(source: TableSource): FileSource[typeof FILE] | null {
  return FILE in source ? (source as FileSource)[FILE] : null
}

/**
 * A folder with one `<table>.parquet` or `<table>.csv` per table of the catalogue. The folder is read when the tables are
 * sealed. Other files in it are not read; their names are in `leftOut` of the result.
 *
 * @param path - Path of the folder.
 * @param others - Sources of tables that are not in the folder, by the names of the tables. Default: none.
 * @returns The `tables` of `seal`, `sealMany` and `check`.
 * @throws TypeError when the path is no string, or the sources are no object.
 *
 * @example
 * ```ts
 * const tables = fromFolder('package', { trips: fromRows([{ trip_id: 1, km: 12 }]) })
 * const { leftOut } = await sealer.seal({ projectId, tables })
 * ```
 */
export function fromFolder(path: string, others: Readonly<Record<string, TableSource>> = {}): TableFolder {
  if (typeof path !== 'string') throw new TypeError('fromFolder() takes the path of a folder')
  if (!areSources(others))
    throw new TypeError(
      `the second argument of fromFolder() is ${kindOf(others)}: give sources by the names of their tables`,
    )
  return { [FOLDER]: path, others }
}

/** Whether a value is an object with a source for each of its keys, as far as can be seen before they are read. */
export function areSources(value: unknown): value is Readonly<Record<string, TableSource>> {
  return typeof value === 'object' && value !== null && isPlain(value) && !(FOLDER in value)
}

/** Whether {@link fromFolder} has made a value. */
export function isFolder(value: unknown): value is TableFolder {
  return typeof value === 'object' && value !== null && FOLDER in value
}

/** Where the rows of tables come from: sources by the names of the tables, or a folder. */
export type TableSources = Readonly<Record<string, TableSource>> | TableFolder

/** The sources that were found for the tables of a catalogue. */
export interface FoundTables {
  /** Sources by the names of their tables. */
  sources: ReadonlyMap<string, TableSource>
  /** The tables that lack a source, or have several. */
  problems: { table: string; message: string }[]
  /** Names of files that belong to no table, sorted. */
  leftOut: string[]
}

/** Finds the sources of the tables of a catalogue, of which the optional ones may lack one. */
export async function findSources(
  tables: TableSources,
  definitions: readonly { name: string; optional: boolean }[],
): Promise<FoundTables> {
  const folder = isFolder(tables) ? tables[FOLDER] : null
  const entries = folder === null ? [] : await entriesOf(folder)
  const names = entries.map(({ name }) => name)
  const isTable = (name: string) =>
    definitions.some(table => FORMATS.some(format => name === `${table.name}.${format}`))
  // A folder with the name of a table's file is a problem of the table, as other irregular files are.
  const files = new Set(names.filter((name, at) => isTable(name) || !entries[at]?.isDirectory()))
  const sources = new Map(Object.entries(isFolder(tables) ? tables.others : tables))
  const problems: FoundTables['problems'] = []
  for (const { name: table, optional } of definitions) {
    const say = (message: string) => problems.push({ table, message })
    const [file, second] = FORMATS.map(format => `${table}.${format}`).filter(each => files.delete(each))
    if (second) say(`there is both ${file} and ${second}: keep one`)
    else if (file && sources.has(table)) say(`there is a source of it, and ${file} too: keep one`)
    else if (folder !== null && file) sources.set(table, fromFile(join(folder, file)))
    else if (!sources.has(table) && !optional)
      say(folder !== null ? `${table}.parquet or ${table}.csv is missing` : 'there is no source of it')
  }
  for (const { table } of problems) sources.delete(table)
  return { sources, problems, leftOut: [...files].sort() }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`
    const message = `the folder ${JSON.stringify(folder)} ${why}: name the folder that holds the tables`
    throw new SourceFailed(null, new Error(message, { cause }))
  }
}
