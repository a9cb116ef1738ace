import { type Catalogue, type DirectorySnapshots, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, SealError, SealerError, snapshotFiles, tableFiles } from 'foldgate/sealing'

/** What a job of the host does with new data. */
export interface Refresh {
  catalogue: Catalogue
  folder: string
  projectId: string
  /** Folder with one CSV or Parquet file per table. */
  source: string
  /** Tells the host what is wrong with its data. */
  report(place: string, message: string): void
}

/**
 * Seals new data of a project, and removes all but its newest three snapshots. Returns whether the tables were sealed.
 */
export async function refresh({ catalogue, folder, projectId, source, report }: Refresh): Promise<boolean> {
  const snapshots = directorySnapshots(`${folder}/snapshots`)
  const sealer = await openSealer({ catalogue, snapshots, folder: `${folder}/scratch` })
  try {
    const { manifest } = await sealer.seal({ projectId, tables: fromFolder(source) })
    for (const { table, message } of manifest.warnings ?? []) report(table, message)
    await snapshots.prune(projectId, 3)
    return true
  } catch (error) {
    if (error instanceof SealError)
      for (const { table, column, message } of error.problems) report(`${table}.${column ?? '*'}`, message)
    else if (error instanceof SealerError && error.reason === 'disk') report('disk', error.message)
    else throw error
    return false
  } finally {
    await sealer.close()
  }
}

/** Seals one folder with the rows of several projects, of which `project` tells whose a row is; returns what is wrong. */
export async function sealEach(
  { catalogue, folder, source }: Omit<Refresh, 'projectId' | 'report'>,
  projects: ReadonlyMap<string, string>,
): Promise<string[]> {
  const snapshots = directorySnapshots(`${folder}/snapshots`)
  const sealer = await openSealer({ catalogue, snapshots, folder: `${folder}/scratch` })
  try {
    const { failed, strays } = await sealer.sealMany({ tables: fromFolder(source), by: 'project', projects })
    return [
      ...failed.map(({ key, error }) => `${key}: ${error.message}`),
      ...strays.map(({ table, key, firstRow }) => `${table}, row ${firstRow}: there is no project ${key}`),
    ]
  } finally {
    await sealer.close()
  }
}

/** Compares every file of the snapshots of a project with its digest; returns what is wrong. */
export async function verifyAll(snapshots: DirectorySnapshots, projectId: string): Promise<string[]> {
  const wrong: string[] = []
  for (const { snapshotId } of await snapshots.manifests(projectId)) {
    const problems = await snapshots.verify(projectId, snapshotId)
    wrong.push(...problems.map(problem => `${snapshotId}: ${problem}`))
  }
  return wrong
}

/** The files of the newest snapshot, for a backup, and those of them that hold a table. */
export async function filesToKeep(snapshots: DirectorySnapshots, projectId: string, table: string) {
  const [newest] = await snapshots.manifests(projectId)
  if (newest === undefined) return null
  const stored = newest.tables.find(({ name }) => name === table)
  return { all: snapshotFiles(newest), ofTable: stored ? tableFiles(stored) : [] }
}
