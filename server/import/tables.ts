import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Catalogue, TableDefinition } from 'foldgate'
import { quoted } from '../store/names.js'
import { csvRecords } from './csv.js'
import { type PackageProblem, whyUnreadable } from './problems.js'

/** Column that says which project a row belongs to. */
export const PROJECT_COLUMN = 'project_key'

/** How much of a file is read to find the header. */
const HEADER_BYTES = 64 * 1024

/**
 * Returns those of `files` that are tables of the catalogue, sorted by name. Adds a problem for a table that is missing
 * or present twice, and for a CSV file whose columns differ from the catalogue. Rows are checked when they are sealed.
 */
export async function checkTables(
  folder: string,
  files: readonly string[],
  catalogue: Catalogue,
  problems: PackageProblem[],
): Promise<string[]> {
  const tables: string[] = []
  for (const table of catalogue.relations.values()) {
    if (table.kind !== 'table') continue
    const [csv, parquet] = [`${table.name}.csv`, `${table.name}.parquet`]
    const found = files.filter(file => file === csv || file === parquet)
    if (found.length === 0 && !table.optional) problems.push({ file: csv, message: 'the file is missing' })
    if (found.length === 2) problems.push({ file: csv, message: `${parquet} is there too: keep one of them` })
    if (found.includes(csv)) problems.push(...(await checkHeader(folder, table, catalogue.hierarchy.table)))
    tables.push(...found)
  }
  return tables.sort()
}

/** SHA-256 over the names and contents of files: it changes when any of them changes. */
export async function digestFiles(folder: string, files: readonly string[]): Promise<string> {
  const whole = createHash('sha256')
  for (const file of files) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, file)), hash)
    whole.update(`${file} ${hash.digest('hex')}\n`)
  }
  return whole.digest('hex')
}

async function checkHeader(folder: string, table: TableDefinition, keyed: string): Promise<PackageProblem[]> {
  const file = `${table.name}.csv`
  try {
    const [header = []] = csvRecords(await readStart(join(folder, file)), 1)
    const known = table.columns && [...Object.keys(table.columns), PROJECT_COLUMN]
    const needed = [...Object.keys(table.columns ?? {}), ...(table.name === keyed ? [PROJECT_COLUMN] : [])]
    const missing = needed.filter(column => !header.includes(column))
    const unknown = known ? header.filter(column => !known.includes(column)) : []
    return [
      ...missing.map(column => ({ file, row: 0, column, message: 'the column is missing' })),
      ...unknown.map(column => ({ file, row: 0, column: quoted(column), message: 'the table has no such column' })),
    ]
  } catch (error) {
    return [{ file, ...whyUnreadable(error) }]
  }
}

async function readStart(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEADER_BYTES) })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
