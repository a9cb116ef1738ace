import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Connection, columnsOf } from '../../duckdb/child/duckdb.js'
import { BEFORE, storedNames } from '../../files/given-names.js'
import { identifier } from '../../values/quote.js'
import type { SealedTable, SealTable, TableBefore } from '../job.js'
import { fromParts, type Target, writePart, writeParts } from './parts.js'
import { type SmallTable, stagedName } from './staging.js'
import type { WrittenTable } from './written.js'

/** Files of a table that are smaller than half the size of a file, before they are merged. */
const MOST_SMALL = 8

/** Writes a table of the staging database. */
export async function writeStaged(
  connection: Connection,
  table: SealTable,
  target: Target,
  small?: SmallTable,
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
export async function storeTable(
  connection: Connection,
  { name, before }: SealTable,
  written: WrittenTable,
  target: Target,
): Promise<SealedTable> {
  const added = before && written.rows === 0 ? [] : written.paths
  const { kept, merged } = before ? await divided(before, added, target) : { kept: [], merged: [] }
  const given = merged.map(({ file }) => join(target.given, BEFORE, file))
  const merge = `SELECT * FROM ${fromParts([...given, ...added])}`
  const paths =
    given.length === 0 ? added : (await writeParts(connection, merge, `${name}.merged`, target)).paths
  for (const [at, file] of storedNames(name, paths.length).entries())
    await rename(paths[at] as string, join(target.folder, file))
  return {
    rows: written.rows + (before?.rows ?? 0),
    columns: written.columns,
    kept: kept.length,
    files: paths.length,
  }
}

/** The files that stay as they are, and the small ones at the end that are merged with the new rows. */
async function divided({ files }: TableBefore, added: readonly string[], { fileBytes }: Target) {
  const isSmall = (bytes: number) => bytes < fileBytes / 2
  const firstSmall = files.findLastIndex(({ bytes }) => !isSmall(bytes)) + 1
  const sizes = await Promise.all(added.map(async path => (await stat(path)).size))
  const small = files.length - firstSmall + sizes.filter(isSmall).length
  const end = small > MOST_SMALL ? firstSmall : files.length
  return { kept: files.slice(0, end), merged: files.slice(end) }
}
