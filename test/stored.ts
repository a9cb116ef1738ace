import { join } from 'node:path'

/** Where a folder of snapshots has the manifest of one. */
export function manifestPath(snapshots: string, projectId: string, snapshotId: string): string {
  return join(snapshots, 'snapshots', projectId, `${snapshotId.slice(0, 6)}.json`)
}

/** Where a folder of snapshots has the files of the tables of a project. */
export function tablesOf(snapshots: string, projectId: string): string {
  return join(snapshots, 'tables', projectId)
}
