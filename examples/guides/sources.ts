import { directorySnapshots } from 'foldgate'
import { fromCsv, fromRows, openSealer } from 'foldgate/sealing'
import type { Refresh } from './sealing.js'

/** Seals the cars of an address and the trips of a generator as a new snapshot of a project. */
export async function sealSources(
  { catalogue, folder, projectId }: Pick<Refresh, 'catalogue' | 'folder' | 'projectId'>,
  carsUrl: string,
  trips: AsyncIterable<{ trip_id: number; car_id: number; km: number | null }>,
): Promise<void> {
  const snapshots = directorySnapshots(`${folder}/snapshots`)
  const sealer = await openSealer({ catalogue, snapshots, folder: `${folder}/scratch` })
  try {
    const { body } = await fetch(carsUrl)
    if (body === null) throw new Error(`${carsUrl} has no body`)
    await sealer.seal({ projectId, tables: { cars: fromCsv(body), trips: fromRows(trips) } })
  } finally {
    await sealer.close()
  }
}
