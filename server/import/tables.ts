import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Catalogue } from 'foldgate'
import { digestOfFile } from 'foldgate/internal'
import type { SealRequest } from 'foldgate/sealing'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'

/** Column that says which project a row belongs to. */
export const PROJECT_COLUMN = 'project_key'

/** Names of the registers of a package without their ending. */
export const REGISTERS: readonly string[] = ['organizations', 'projects']

/** Throws a Refusal when a table of the catalogue would be mistaken for a register, or a column for the key. */
export function refuseWithoutPackages(catalogue: Catalogue): void {
  const why = unfitForPackages(catalogue)
  if (why === null) return
  throw new Refusal(`${why}: seal the tables of each project with "foldgate seal PROJECT FOLDER"`)
}

/** Why tables of the catalogue cannot be in a package; null when they can. */
export function unfitForPackages({ relations }: Catalogue): string | null {
  for (const relation of relations.values()) {
    if (relation.kind !== 'table') continue
    if (REGISTERS.includes(relation.name))
      return `A package has a register in ${relation.name}.csv, and the catalogue has a table ${quoted(relation.name)}`
    if (PROJECT_COLUMN in (relation.columns ?? {}))
      return (
        `In a package, ${PROJECT_COLUMN} says which project a row belongs to, and the table ${quoted(relation.name)} ` +
        'of the catalogue has a column of this name'
      )
  }
  return null
}

/**
 * What tells the sealer to leave out the column that says which project a row belongs to, in a folder with
 * the tables of one project.
 */
export function ofOneProject(catalogue: Catalogue): Pick<SealRequest, 'partition'> {
  return unfitForPackages(catalogue) === null ? { partition: { column: PROJECT_COLUMN } } : {}
}

/** Returns those of `files` that are tables of the catalogue, sorted by name. */
export function tablesAmong(files: readonly string[], catalogue: Catalogue): string[] {
  const names = [...catalogue.relations.values()].flatMap(({ kind, name }) => (kind === 'table' ? name : []))
  const known = new Set(names.flatMap(name => [`${name}.csv`, `${name}.parquet`]))
  return files.filter(file => known.has(file)).sort()
}

/** SHA-256 over the names and contents of files: it changes when any of them changes. */
export async function digestFiles(
  folder: string,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<string> {
  const whole = createHash('sha256')
  for (const file of files) whole.update(`${file} ${await digestOfFile(join(folder, file), signal)}\n`)
  return whole.digest('hex')
}
