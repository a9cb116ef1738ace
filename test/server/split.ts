import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { SnapshotManifest } from 'foldgate/sealing'

/** Rewrites a sealed snapshot so that the first row of a table is in one file, and its other rows are in another. */
export async function splitTable(folder: string, name: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as SnapshotManifest
  const table = manifest.tables.find(each => each.name === name)
  if (!table || !('file' in table)) throw new Error(`no table ${name} in one file`)
  const { file: whole, sha256: _, ...rest } = table
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const files: { file: string; sha256: string }[] = []
  for (const rows of ['file_row_number = 0', 'file_row_number > 0']) {
    const file = `${name}-000${files.length + 1}.parquet`
    const path = join(folder, file)
    await connection.run(
      `COPY (SELECT * EXCLUDE (file_row_number) FROM read_parquet('${join(folder, whole)}', file_row_number = true)
             WHERE ${rows}) TO '${path}' (FORMAT parquet)`,
    )
    files.push({
      file,
      sha256: createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    })
  }
  instance.closeSync()
  await rm(join(folder, whole))
  const tables = manifest.tables.map(each => (each === table ? { ...rest, files } : each))
  await writeFile(
    join(folder, 'manifest.json'),
    `${JSON.stringify({ ...manifest, formatVersion: 2, tables }, null, 2)}\n`,
  )
}
