import { join } from 'node:path'
import type { Catalogue } from 'foldgate'
import { fromFolder, SealError, type SealProblem } from 'foldgate/sealing'
import {
  type CheckSummary,
  filesOf,
  ofTable,
  type PackageProblem,
  PROJECT_COLUMN,
  REGISTERS,
  type StartSealer,
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

/**
 * The rows of a project. With problems in projects.csv, rows of an unknown project may be rows of a real one.
 */
export function partitionOf({ projects, problems }: Package, project: PackageProject) {
  const known = problems.length === 0 ? { known: projects.map(({ key }) => key) } : {}
  return { column: PROJECT_COLUMN, value: project.key, ...known }
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
  const found = { problems: [] as Found[], warnings: [] as Found[] }
  if (projects.length === 0) return { problems: [...given.problems], warnings: [] }
  const sealer = await startSealer()
  const check = async (project: PackageProject) => {
    const request = {
      tables: fromFolder(given.folder),
      partition: partitionOf(given, project),
      ...(signal ? { signal } : {}),
    }
    try {
      const { warnings } = await sealer.check(request)
      found.warnings.push(...warnings.map(problem => ({ problem, project: project.name })))
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      found.problems.push(...error.problems.map(problem => ({ problem, project: project.name })))
    }
  }
  // Concurrently: the sealer checks one at a time, and starts the process for the next one early.
  await Promise.all(projects.map(check))
  return {
    problems: [...given.problems, ...gather(found.problems, projects.length)],
    warnings: gather(found.warnings, projects.length),
  }
}

interface Found {
  problem: SealProblem
  project: string
}

/** Names the project of each problem, except where all projects have the same. */
function gather(found: readonly Found[], projects: number): PackageProblem[] {
  const alike = new Map<string, Found[]>()
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
