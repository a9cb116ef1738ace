import { join } from 'node:path'
import type { Catalogue } from 'foldgate'
import { linesOf, readInChunks } from 'foldgate/internal'
import { fromFolder, type ManySealed, SealError, type SealProblem } from 'foldgate/sealing'
import {
  type CheckSummary,
  filesOf,
  ofProjects,
  ofTable,
  type PackageProblem,
  PROJECT_COLUMN,
  quoted,
  REGISTERS,
  type StartSealer,
  withoutRows,
} from 'foldgate-server/parts'
import {
  type PackageOrganization,
  type PackageProject,
  readOrganizations,
  readProjects,
} from './registers.js'
import { refuseIrregular, refuseWithoutPackages, tablesAmong } from './tables.js'

/** What could be read of the registers of a package. */
export interface Package {
  folder: string
  organizations: PackageOrganization[]
  /** The oldest first. */
  projects: PackageProject[]
  /** File names of the tables. */
  tables: string[]
  /** File names that are neither a table nor a register. */
  leftOut: string[]
  /** What is wrong with the registers. */
  problems: PackageProblem[]
}

const REGISTER_FILES = REGISTERS.map(name => `${name}.csv`)

/**
 * Reads the registers of a package, and lists its other files. Throws a Refusal when the folder cannot be
 * read, and when the catalogue has names that packages need for themselves.
 */
export async function readPackage(folder: string, catalogue: Catalogue): Promise<Package> {
  refuseWithoutPackages(catalogue)
  const files = await filesOf(folder)
  const tables = tablesAmong(files, catalogue)
  await refuseIrregular(folder, [...REGISTER_FILES.filter(name => files.includes(name)), ...tables])
  const problems: PackageProblem[] = []
  const organizations = await readOrganizations(join(folder, 'organizations.csv'), problems)
  // With problems in organizations.csv the list may be incomplete: do not check projects against it.
  const known = problems.length === 0 ? new Set(organizations.map(organization => organization.key)) : null
  const projects = await readProjects(join(folder, 'projects.csv'), known, problems)
  const read = new Set([...REGISTER_FILES, ...tables])
  return {
    folder,
    organizations,
    projects: projects.toSorted((a, b) => a.createdAt - b.createdAt),
    tables,
    leftOut: files.filter(file => !read.has(file)),
    problems,
  }
}

/** Checks the registers and the tables of a package, as its import does. */
export async function checkPackage(
  startSealer: StartSealer,
  folder: string,
  { catalogue, signal }: { catalogue: Catalogue; signal: AbortSignal | undefined },
): Promise<CheckSummary> {
  const given = await readPackage(folder, catalogue)
  const computed = given.projects.filter(({ state }) => state === 'computed')
  const found = await checkProjects(startSealer, given, computed, signal)
  return { projects: computed.map(({ name }) => name), ...found, leftOut: given.leftOut }
}

/** Checks the tables of projects of a package. A problem that all projects share is listed once. */
export async function checkProjects(
  startSealer: StartSealer,
  given: Package,
  projects: readonly PackageProject[],
  signal: AbortSignal | undefined,
): Promise<{ problems: PackageProblem[]; warnings: PackageProblem[] }> {
  if (projects.length === 0) return { problems: [...given.problems], warnings: [] }
  const sealer = await startSealer()
  const names = new Map(projects.map(({ key, name }) => [key, name]))
  const ids = new Map(projects.map(({ key }) => [key, key])) // the ids in projects.csv may be wrong
  const found = await sealer.checkMany(ofProjects(fromFolder(given.folder), ids, signal))
  const of = (key: string, problems: readonly SealProblem[]): ProjectProblem[] =>
    problems.map(problem => ({ problem, project: names.get(key) ?? key }))
  const problems = found.failed.flatMap(({ key, error }) => {
    if (error instanceof SealError) return of(key, error.problems)
    throw error
  })
  // The rows of a project may be in a table that cannot be read.
  if (found.problems.length === 0)
    problems.push(...found.empty.flatMap(({ key }) => of(key, [withoutRows(key)])))
  const warnings = found.checked.flatMap(({ key, warnings }) => of(key, warnings))
  return {
    problems: [
      ...given.problems,
      ...found.problems.map(ofTable),
      ...(await problemsOfStrays(given, found.strays)),
      ...gather(problems, projects.length),
    ],
    warnings: gather(warnings, projects.length),
  }
}

/** Names the first row of each table that is of no project. */
async function problemsOfStrays(
  { folder, projects, tables, problems }: Package,
  strays: ManySealed['strays'],
): Promise<PackageProblem[]> {
  // With problems in projects.csv, rows of an unknown project may be rows of a real one.
  const known = problems.length === 0 ? new Set(projects.map(({ key }) => key)) : null
  const found = new Map<string, ManySealed['strays']>()
  for (const stray of strays)
    if (known && !known.has(stray.key ?? ''))
      found.set(stray.table, [...(found.get(stray.table) ?? []), stray])
  const told = [...found].map(async ([place, [...group]]): Promise<PackageProblem> => {
    const [first] = group.sort((a, b) => a.firstRow - b.firstRow)
    const { firstRow = 0, key = null } = first ?? {}
    const file = `${place}.csv`
    const lines = tables.includes(file)
      ? await linesOf(readInChunks(join(folder, file)), new Set([firstRow]))
      : null
    const what = key === null ? 'the value is missing' : `${quoted(key)} is the key of no project`
    const others = group.reduce((sum, { rows }) => sum + rows, 0) - 1
    const more = others > 0 ? ` (and ${others} more ${others > 1 ? 'rows' : 'row'})` : ''
    const where = lines ? `line ${lines.get(firstRow)}` : `row ${firstRow}`
    return { place, column: PROJECT_COLUMN, message: `${where}: ${what}${more}` }
  })
  return Promise.all(told)
}

interface ProjectProblem {
  problem: SealProblem
  project: string
}

/** Names the project of each problem, except where all projects have the same. */
function gather(found: readonly ProjectProblem[], projects: number): PackageProblem[] {
  const alike = new Map<string, ProjectProblem[]>()
  for (const each of found) {
    const { table, column, message } = each.problem
    const key = JSON.stringify([table, column, message])
    alike.set(key, [...(alike.get(key) ?? []), each])
  }
  return [...alike.values()].flatMap(group => {
    const [first] = group
    if (first && group.length === projects) return [ofTable(first.problem)]
    return group.map(({ problem, project }) => ({ ...ofTable(problem), project }))
  })
}
