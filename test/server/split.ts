import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { SnapshotManifest } from 'foldgate/sealing'
import { manifestText, type StoredFile } from '#lib/snapshots/manifest.js'
import { manifestPath, tablesOf } from '../stored.js'

/** Rewrites a sealed snapshot so that the first row of a table is in one file, and its other rows are in another. */
export async function splitTable(
  snapshots: string,
  projectId: string,
  snapshotId: string,
  name: string,
): Promise<void> {
  const [place, folder] = [manifestPath(snapshots, projectId, snapshotId), tablesOf(snapshots, projectId)]
  const manifest = JSON.parse(await readFile(place, 'utf8')) as SnapshotManifest
  const table = manifest.tables.find(each => each.name === name)
  if (!table || !('file' in table)) throw new Error(`no table ${name} in one file`)
  const { file: whole, sha256: _, bytes: __, ...rest } = table
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const files: StoredFile[] = []
  for (const rows of ['file_row_number = 0', 'file_row_number > 0']) {
    const path = join(folder, 'part')
    await connection.run(
      `COPY (SELECT * EXCLUDE (file_row_number) FROM read_parquet('${join(folder, whole)}', file_row_number = true)
             WHERE ${rows}) TO '${path}' (FORMAT parquet)`,
    )
    const written = await readFile(path)
    const sha256 = createHash('sha256').update(written).digest('hex')
    const file = `${name}-${sha256}-00000000.parquet`
    await rename(path, join(folder, file))
    files.push({ file, sha256, bytes: written.length })
  }
  instance.closeSync()
  const tables = manifest.tables.map(each => (each === table ? { ...rest, files } : each))
  await writeFile(place, manifestText({ ...manifest, tables }))
}
