import { SealError, type SealRequest, type SnapshotManifest } from 'foldgate/sealing'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import type { DataFolder } from '../snapshots/data-folder.js'
import { withSealer } from '../snapshots/with-sealer.js'
import { filesOf } from './folder-files.js'
import { ofTable, packageRefusal } from './problems.js'
import { ofOneProject } from './tables.js'

/** The tables to seal: a folder with those of one project. */
type FolderToSeal = Pick<SealRequest, 'projectId' | 'assessmentId'> & { source: string; signal: AbortSignal }

/**
 * Seals the tables of a folder, which the caller then records in the store with `record`; that returns false
 * when the project was removed meanwhile. Throws a Refusal that lists all problems of the tables, and when
 * the folder or the project is not there; nothing is sealed then.
 */
export async function sealFolder(
  data: DataFolder,
  folder: FolderToSeal,
  record: (manifest: SnapshotManifest) => Promise<boolean>,
): Promise<{ manifest: SnapshotManifest; leftOut: string[] }> {
  const { source, signal } = folder
  await filesOf(source)
  const sealed = await withSealer(data, data.shared.snapshots, async startSealer => {
    const sealer = await startSealer()
    signal.throwIfAborted()
    return sealer.seal({ ...folder, ...ofOneProject(data.catalogue) })
  }).catch(cause => {
    if (!(cause instanceof SealError)) throw cause
    throw packageRefusal(
      `The tables of ${quoted(source)} cannot be sealed, and nothing was sealed:`,
      cause.problems.map(ofTable),
    )
  })
  if (!(await record(sealed.manifest)))
    throw new Refusal(
      `The project ${folder.projectId} was removed while its tables were sealed: nothing was kept`,
    )
  return sealed
}
