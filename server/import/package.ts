import { join } from 'node:path'
import type { Catalogue } from 'foldgate'
import { filesOf } from './files.js'
import { type PackageProblem, packageRefusal } from './problems.js'
import { type PackageOrganization, type PackageProject, readOrganizations, readProjects } from './registers.js'
import { checkTables } from './tables.js'

/** A valid package. */
export interface Package {
  folder: string
  organizations: PackageOrganization[]
  /** The oldest first. */
  projects: PackageProject[]
  /** File names of the tables. */
  tables: string[]
  /** File names that are neither a table nor a register. */
  leftOut: string[]
}

/** Reads and checks a package. Throws one Refusal that lists all its problems by file, row and column. */
export async function readPackage(folder: string, catalogue: Catalogue): Promise<Package> {
  const files = await filesOf(folder)
  const problems: PackageProblem[] = []
  const organizations = await readOrganizations(join(folder, 'organizations.csv'), problems)
  // With problems in organizations.csv the list may be incomplete: do not check projects against it.
  const known = problems.length === 0 ? new Set(organizations.map(organization => organization.key)) : null
  const projects = await readProjects(join(folder, 'projects.csv'), known, problems)
  const tables = await checkTables(folder, files, catalogue, problems)
  if (problems.length > 0) throw packageRefusal(problems)
  const read = new Set(['organizations.csv', 'projects.csv', ...tables])
  return {
    folder,
    organizations,
    projects: projects.toSorted((a, b) => a.createdAt - b.createdAt),
    tables,
    leftOut: files.filter(file => !read.has(file)),
  }
}
