import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SnapshotManifest, tableFiles } from 'foldgate/sealing'

/** Where a folder of snapshots has the manifest of one. */
export function manifestPath(snapshots: string, projectId: string, snapshotId: string): string {
  return join(snapshots, 'snapshots', projectId, `${snapshotId.slice(0, 6)}.json`)
}

/** Where a folder of snapshots has the files of the tables of a project. */
export function tablesOf(snapshots: string, projectId: string): string {
  return join(snapshots, 'tables', projectId)
}

/** Where a folder of snapshots has the files of a table of one. */
export async function filesOfTable(
  snapshots: string,
  projectId: string,
  snapshotId: string,
  name: string,
): Promise<string[]> {
  const text = await readFile(manifestPath(snapshots, projectId, snapshotId), 'utf8')
  const table = (JSON.parse(text) as SnapshotManifest).tables.find(each => each.name === name)
  if (!table) throw new Error(`the snapshot ${snapshotId} has no table ${name}`)
  return tableFiles(table).map(({ file }) => join(tablesOf(snapshots, projectId), file))
}

/** The relations that an engine has in the folder of a project, built or as they were sealed: their files by alias. */
export async function cachedRelations(folder: string): Promise<Map<string, string[]>> {
  const files = new Map<string, string[]>()
  for (const name of (await readdir(folder)).sort()) {
    const alias = /^(\w+)(?:-\d+\.parquet|\.duckdb)$/.exec(name)?.[1]
    if (alias) files.set(alias, [...(files.get(alias) ?? []), join(folder, name)])
  }
  return files
}
