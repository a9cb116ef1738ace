import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import {
  fromFile,
  openSealer,
  SealError,
  type SealProblem,
  type SnapshotManifest,
  type TableSource,
  tableFiles,
} from 'foldgate/sealing'
import type { TableColumnDefinition } from '#lib/catalogue/definitions.js'
import { knowSound } from '#lib/duckdb/check/sound-catalogue.js'
import { tablesOf } from '../stored.js'

/** What became of a table: what it holds, as text, or what is wrong with it. */
export interface Outcome {
  manifest: SnapshotManifest | null
  rows: (string | null)[][]
  problems: readonly SealProblem[]
}

/** Seals one table `t` with these columns, or with those of its source, from a source or the file at a path. */
export async function sealOne(
  folder: string,
  columns: Readonly<Record<string, TableColumnDefinition>> | undefined,
  source: TableSource | string,
): Promise<Outcome> {
  const catalogue = defineCatalogue({ relations: [defineTable({ name: 't', ...(columns ? { columns } : {}) })] })
  knowSound(catalogue) // it has no SQL, and to check it takes half of the time
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  try {
    const projectId = randomUUID()
    const { manifest } = await sealer.seal({
      projectId,
      tables: { t: typeof source === 'string' ? fromFile(source) : source },
    })
    const place = tablesOf(join(folder, 'snapshots'), projectId)
    const paths = manifest.tables.flatMap(tableFiles).map(({ file }) => join(place, file))
    return { manifest, rows: await textsOf(paths), problems: [] }
  } catch (cause) {
    if (cause instanceof SealError) return { manifest: null, rows: [], problems: cause.problems }
    throw cause
  } finally {
    await sealer.close()
  }
}

/** All values of Parquet files as text, as they are: the binding drops byte order marks of values that are no bytes. */
export async function textsOf(paths: readonly string[]): Promise<(string | null)[][]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  try {
    const connection = await instance.connect()
    await connection.run("SET TimeZone = 'UTC'")
    const list = paths.map(path => `'${path}'`).join(', ')
    const select = `SELECT encode(CAST(COLUMNS(*) AS VARCHAR)) FROM read_parquet([${list}])`
    const rows = (await connection.runAndReadAll(select)).getRows() as ({ bytes: Uint8Array } | null)[][]
    return rows.map(row => row.map(value => value && Buffer.from(value.bytes).toString()))
  } finally {
    instance.closeSync()
  }
}
