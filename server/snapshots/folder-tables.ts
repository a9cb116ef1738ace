import { readdir } from 'node:fs/promises'
import type { Catalogue } from 'foldgate'
import type { SealManyRequest, SealRequest } from 'foldgate/sealing'
import type { Store } from '../database/store.js'
import { installed } from '../input/installed.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import type { DataFolder } from './data-folder.js'
import type { PackageProblem } from './problems.js'
import type { StartSealer } from './with-sealer.js'

/** Column that says which project a row belongs to. */
export const PROJECT_COLUMN = 'project_key'

/** Names of the registers of a package without their ending. */
export const REGISTERS: readonly string[] = ['organizations', 'projects']

/** What a check found. */
export interface CheckSummary {
  /** Names of the projects whose tables were checked; null for the tables of a single project. */
  projects: string[] | null
  problems: PackageProblem[]
  warnings: PackageProblem[]
  /** Files that are ignored. */
  leftOut: string[]
}

/** What `foldgate-transfer` does with packages, which have the tables of several projects. */
export interface Packages {
  checkPackage(
    startSealer: StartSealer,
    folder: string,
    options: { catalogue: Catalogue; signal: AbortSignal | undefined },
  ): Promise<CheckSummary>
  /** Reports before and after each project: `outcome` is absent before. */
  importPackage(
    store: Store,
    options: { data: DataFolder; signal: AbortSignal },
    folder: string,
    onProgress: (progress: { index: number; total: number; project: string; outcome?: string }) => void,
  ): Promise<unknown>
}

/** Throws a Refusal when `foldgate-transfer` is not installed. */
export async function requirePackages(): Promise<Packages> {
  const what = 'A folder with the tables of several projects'
  const { packages } = await installed<{ packages: Packages }>(what, 'foldgate-transfer')
  return packages
}

/** Lists the names of the files in a folder, sorted. Throws a Refusal when the folder cannot be read. */
export async function filesOf(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.flatMap(entry => (entry.isDirectory() ? [] : entry.name)).sort()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    const why =
      code === 'ENOENT' ? 'is not there' : code === 'ENOTDIR' ? 'is not a folder' : `cannot be read (${code})`
    throw new Refusal(`The folder ${quoted(folder)} ${why}: name the folder that holds the tables`, { cause })
  }
}

/** Whether files are those of a package. A catalogue may have tables with the names of the registers. */
export function isPackage(files: readonly string[], catalogue: Catalogue): boolean {
  return unfitForPackages(catalogue) === null && REGISTERS.some(name => files.includes(`${name}.csv`))
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
export function ofOneProject(catalogue: Catalogue): Pick<SealRequest, 'by'> {
  return unfitForPackages(catalogue) === null ? { by: PROJECT_COLUMN } : {}
}

/** What tells the sealer which rows of a package belong to which of these projects. */
export function ofProjects(
  tables: SealManyRequest['tables'],
  projects: SealManyRequest['projects'],
  signal: AbortSignal | undefined,
): SealManyRequest {
  return { tables, by: PROJECT_COLUMN, shared: 'where-missing', projects, ...(signal ? { signal } : {}) }
}
