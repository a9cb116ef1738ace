import {
  type InspectRequest,
  openSealer,
  type Sealer,
  SealerError,
  type SnapshotStore,
} from 'foldgate/sealing'
import { Refusal } from '../input/refusal.js'
import type { DataFolder } from './data-folder.js'

/** Returns the sealer, which the first call starts. */
export type StartSealer = () => Promise<Sealer>

/**
 * Runs `work` with a sealer of this data folder, for its catalogue, and closes the sealer afterwards,
 * even when `work` throws. Throws a Refusal that lists the mistakes in the catalogue, if it has any.
 */
export async function withSealer<Result>(
  { catalogue, scratch, sandbox }: Pick<DataFolder, 'catalogue' | 'scratch' | 'sandbox'>,
  snapshots: SnapshotStore,
  work: (sealer: StartSealer) => Promise<Result>,
): Promise<Result> {
  let sealer: Promise<Sealer> | undefined
  try {
    return await work(() => {
      sealer ??= openSealer({ catalogue, snapshots, folder: scratch, sandbox })
      return sealer
    })
  } catch (cause) {
    const isOfCatalogue = cause instanceof SealerError && cause.reason === 'catalogue'
    throw isOfCatalogue ? new Refusal(cause.message, { cause }) : cause
  } finally {
    await (await sealer?.catch(() => undefined))?.close()
  }
}

/**
 * Reads the footers of the Parquet files of snapshots that come from elsewhere, in the process of a sealer. Returns what
 * is wrong with those of each folder, one sentence each.
 */
export async function inspectFiles(
  data: DataFolder,
  given: readonly Pick<InspectRequest, 'folder' | 'files'>[],
  signal: AbortSignal,
): Promise<string[][]> {
  if (given.length === 0) return []
  return withSealer(data, data.shared.snapshots, async startSealer => {
    const sealer = await startSealer()
    return Promise.all(given.map(each => sealer.inspect({ ...each, signal })))
  })
}
