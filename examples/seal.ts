import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { fromFolder, openSealer } from 'foldgate/sealing'
import { catalogue } from './catalogue.js'

/** Seals the tables in `source`, one CSV or Parquet file each, as the newest snapshot of a project. */
export async function sealTables(folder: string, projectId: string, source: string) {
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  try {
    return await sealer.seal({ projectId, tables: fromFolder(source) })
  } finally {
    await sealer.close()
  }
}
