import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type DirectorySnapshots, defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { openSealer, type Sealer, type SnapshotManifest, tableFiles } from 'foldgate/sealing'
import { scratchFolder } from '../server/command.js'
import { tablesOf } from '../stored.js'

/** What a shop sells, without a tree. `notes` may be left out, and its types are found. */
export const selling = defineCatalogue({
  relations: [
    defineTable({
      name: 'orders',
      columns: { id: 'BIGINT', note: 'VARCHAR', total: 'DECIMAL(10,2)' },
      unique: ['id'],
      required: ['id'],
      ranges: { total: { least: 0 } },
    }),
    defineTable({
      name: 'lines',
      columns: { id: 'BIGINT', order_id: 'BIGINT', product: 'BIGINT' },
      unique: ['order_id', 'id'],
      references: { order_id: 'orders.id', product: 'products.id' },
    }),
    defineTable({ name: 'products', columns: { id: 'BIGINT', name: 'VARCHAR' }, unique: ['id'] }),
    defineTable({ name: 'notes', optional: true }),
  ],
})

/** A sealer of the shop before the tests of a suite, and where it seals. */
export function sellingSealer() {
  const scratch = scratchFolder()
  const given = {
    scratch,
    snapshots: undefined as unknown as DirectorySnapshots,
    sealer: undefined as unknown as Sealer,
  }
  before(async () => {
    given.snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    const folder = join(scratch.path, 'scratch')
    given.sealer = await openSealer({ catalogue: selling, snapshots: given.snapshots, folder })
  })
  after(() => given.sealer?.close())
  return given
}

export type Selling = ReturnType<typeof sellingSealer>

/** The files of a table in a snapshot. */
export async function filesOf({ scratch }: Selling, manifest: SnapshotManifest, table: string) {
  const stored = manifest.tables.find(({ name }) => name === table)
  const files = (stored ? tableFiles(stored) : []).map(async ({ file, sha256 }) => {
    const path = join(tablesOf(join(scratch.path, 'snapshots'), manifest.projectId), file)
    return { file, sha256, path }
  })
  return Promise.all(files)
}

/** The rows of a table in a snapshot, in their order; numbers and dates as text. */
export async function rowsOf(selling: Selling, manifest: SnapshotManifest, table: string): Promise<unknown[][]> {
  const paths = (await filesOf(selling, manifest, table)).map(({ path }) => `'${path}'`)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  try {
    const connection = await instance.connect()
    const columns = 'SELECT CAST(COLUMNS(*) AS VARCHAR)'
    return (await connection.runAndReadAll(`${columns} FROM read_parquet([${paths.join(', ')}])`)).getRows()
  } finally {
    instance.closeSync()
  }
}

/** What a sealing has left behind: files that were made from sources, and files that were sealed. */
export async function leftBy({ scratch }: Selling): Promise<string[]> {
  const own = await readdir(join(scratch.path, 'scratch'), { recursive: true })
  return own.filter(name => /source|tenant|shared|sealed/.test(name))
}
