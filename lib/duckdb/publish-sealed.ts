import { join } from 'node:path'
import { oldestFormatOf } from '../snapshots/holders.js'
import { type SnapshotManifest, tableFiles } from '../snapshots/manifest.js'
import type { PublishOptions, SnapshotStore } from '../snapshots/store.js'
import { moved } from './home.js'
import type { SealedPackage } from './seal-job.js'
import type { SealRequest } from './seal-request.js'

/** What of a request is stored in the manifest. */
export type Described = Pick<SealRequest, 'projectId' | 'assessmentId' | 'sourceDigest' | 'signal'>

/**
 * Moves the files of a package, which a process has made, to a draft. `put` may put one there that is not to be moved;
 * it returns whether it did.
 */
export async function moveSealed(
  { tables, entities }: Pick<SealedPackage, 'tables' | 'entities'>,
  draft: string,
  take: (file: string) => Promise<string>,
  put: (file: string, draft: string) => Promise<boolean>,
): Promise<void> {
  for (const { file } of [...tables.flatMap(tableFiles), ...(entities ? [entities] : [])])
    if (!(await put(file, draft))) await moved(await take(file), join(draft, file))
}

/** Publishes a draft with what was sealed. */
export function publishSealed(
  snapshots: SnapshotStore,
  draft: string,
  { kept: _, ...sealed }: SealedPackage,
  { projectId, assessmentId, sourceDigest, signal }: Described,
  options: PublishOptions = {},
): Promise<SnapshotManifest> {
  const contents = {
    formatVersion: oldestFormatOf({ ...sealed, assessmentId }),
    projectId,
    ...(assessmentId === undefined ? {} : { assessmentId }),
    sealedAt: new Date().toISOString(),
    ...(sourceDigest === undefined ? {} : { sourceDigest }),
    ...sealed,
  }
  return snapshots.publish(draft, contents, signal, options)
}
