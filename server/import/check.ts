import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { directorySnapshots, SealError } from 'foldgate'
import { catalogue } from '../catalogue/index.js'
import { withSealer } from '../sealing.js'
import { filesOf } from './files.js'
import { checkProjects, readPackage } from './package.js'
import { ofTable, type PackageProblem } from './problems.js'
import { PROJECT_COLUMN } from './tables.js'

/** What a check found. */
export interface CheckSummary {
  /** Names of the projects whose tables were checked; null for the tables of a single project. */
  projects: string[] | null
  problems: PackageProblem[]
  warnings: PackageProblem[]
  /** Files that are ignored. */
  leftOut: string[]
}

/**
 * Checks a folder as sealing and importing do, without a store, and writes only temporary files below `scratch`. A folder with
 * organizations.csv or projects.csv is a package to import; any other has the tables of one project.
 */
export async function checkFolderToSeal(
  folder: string,
  options: { scratch: string; signal?: AbortSignal },
): Promise<CheckSummary> {
  const { signal } = options
  const files = await filesOf(folder)
  const scratch = await mkdtemp(join(options.scratch, 'check-'))
  try {
    return await withSealer({ scratch }, directorySnapshots(join(scratch, 'snapshots')), async startSealer => {
      if (files.includes('organizations.csv') || files.includes('projects.csv')) {
        const given = await readPackage(folder, catalogue)
        const computed = given.projects.filter(({ state }) => state === 'computed')
        const found = await checkProjects(startSealer, given, computed, signal)
        return { projects: computed.map(({ name }) => name), ...found, leftOut: given.leftOut }
      }
      const sealer = await startSealer()
      signal?.throwIfAborted()
      const request = { source: folder, partition: { column: PROJECT_COLUMN }, ...(signal ? { signal } : {}) }
      try {
        const { warnings, leftOut } = await sealer.check(request)
        return { projects: null, problems: [], warnings: warnings.map(ofTable), leftOut }
      } catch (error) {
        if (!(error instanceof SealError)) throw error
        return { projects: null, problems: error.problems.map(ofTable), warnings: [], leftOut: [] }
      }
    })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
