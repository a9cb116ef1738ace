import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ifMissing } from '../files/missing.js'
import { namingSpace } from '../files/no-space.js'
import { SnapshotFolder, snapshotsIn } from './folder.js'
import { withoutHolders } from './holders.js'
import { checkKeep, checkProjectId, checkSnapshotId, numberOf, olderThan, snapshotIdOf } from './ids.js'
import { Listings } from './listings.js'
import {
  checkPlace,
  DamagedSnapshot,
  readManifest,
  type SnapshotManifest,
  snapshotFiles,
} from './manifest.js'
import { checkNewest } from './outdated.js'
import type { PublishOptions, SnapshotStore, UnpublishedManifest } from './store.js'
import { verifySnapshot } from './verify.js'

/**
 * Sealed snapshots in a folder: `<project>/<snapshot>/` contains `manifest.json`, the entity ids and the
 * Parquet files of the tables, one each unless a table is large. `sweep` removes the drafts of ended
 * processes of this machine, and those that have not changed for an hour; it also runs before a new
 * draft, at most once a minute.
 * `publish` throws when other processes keep publishing to the project for a minute.
 */
export interface DirectorySnapshots extends SnapshotStore {}

/**
 * How long to wait for another publisher. Publishing takes milliseconds. The lock of a killed process is
 * ignored at once on the same machine, and after 15 minutes on another.
 */
const TURN_WITHIN_MS = 60_000

/**
 * Reads and publishes sealed snapshots below `folder`, which is created when missing. Any number of processes, also on
 * several machines, may share it.
 *
 * @param folder - Path of the folder; a relative one counts from the working directory.
 * @returns The store. Its methods throw a TypeError for a `projectId` that is not a UUID in lower case, and reject with
 * the error of the file system.
 *
 * @example
 * ```ts
 * const snapshots = directorySnapshots('data/snapshots')
 * const removed = await snapshots.prune(projectId, 3) // keeps the newest three
 * ```
 *
 * @example
 * ```ts
 * const [newest] = await directorySnapshots('data/snapshots').manifests(projectId)
 * console.log(newest ? `sealed at ${newest.sealedAt}` : 'never sealed')
 * ```
 */
export function directorySnapshots(folder: string): DirectorySnapshots {
  const home = new SnapshotFolder(folder)
  const listings = new Listings(snapshotsIn)
  /** Lists the ids in the folder as it is now, newest first. */
  const list = async (projectId: string) => listings.list(home.ofProject(projectId))

  async function manifests(projectId: string): Promise<SnapshotManifest[]> {
    const read = (await list(projectId)).map(async id => {
      try {
        const manifest = await readManifest(join(home.ofProject(projectId), id))
        if (manifest) checkPlace(manifest, projectId, id)
        return manifest
      } catch (cause) {
        if (!(cause instanceof DamagedSnapshot)) return ifMissing(null)(cause as Error) // removed since it was listed
        throw new DamagedSnapshot(`snapshot ${id} of the project ${projectId}: ${cause.message}`)
      }
    })
    return (await Promise.all(read)).filter(manifest => manifest !== null)
  }

  async function publish(
    draft: string,
    contents: UnpublishedManifest,
    signal: AbortSignal | undefined,
    { after }: PublishOptions = {},
  ): Promise<SnapshotManifest> {
    const { projectId } = contents
    checkProjectId(projectId)
    checkSnapshotId(contents.snapshotId)
    const files = snapshotFiles({ ...contents, snapshotId: '' })
    await home.settle(draft, { projectId, files }, await list(projectId), signal)
    // Snapshots are numbered and moved one at a time, so that the last one published is the newest.
    const release = await home.locks.takeWithin(TURN_WITHIN_MS, projectId, 'exclusive')
    if (!release)
      throw new Error('Another process has been publishing a snapshot of the project for a minute.')
    try {
      signal?.throwIfAborted()
      const [newest] = await list(projectId)
      checkNewest(newest, after)
      const snapshotId = contents.snapshotId ?? snapshotIdOf(numberOf(newest) + 1, randomUUID())
      const manifest = { ...withoutHolders(contents), snapshotId }
      await home.place(draft, manifest)
      return manifest
    } finally {
      await release()
    }
  }

  return {
    list,
    open: (projectId, snapshotId) => home.open(projectId, snapshotId),
    manifestOf: (projectId, snapshotId) => home.manifestOf(projectId, snapshotId),
    manifests,
    verify: (projectId, snapshotId) =>
      verifySnapshot(join(home.ofProject(projectId), snapshotId), { projectId, snapshotId }),
    async prune(projectId, keep) {
      checkKeep(keep)
      const removed: string[] = []
      const ids = await list(projectId)
      // Snapshots in a format of another version do not count: the newest that this version can read must
      // stay.
      const kept = new Set((await manifests(projectId)).slice(0, keep).map(manifest => manifest.snapshotId))
      for (const id of olderThan(ids, kept)) if (await home.remove(projectId, id)) removed.push(id)
      return removed
    },
    async remove(projectId) {
      const removed: string[] = []
      for (const id of await list(projectId)) if (await home.remove(projectId, id)) removed.push(id)
      await home.removeEmpty(projectId)
      return removed
    },
    sweep: () => home.drafts.sweep(),
    draft: () => namingSpace([home.root], () => home.drafts.create()),
    publish: (draft, contents, signal, options) =>
      namingSpace([home.root], () => publish(draft, contents, signal, options)),
  }
}
