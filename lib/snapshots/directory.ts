import { folderObjects } from '../objects/folder.js'
import { tablesFolder } from './manifests.js'
import { objectSnapshots } from './objects.js'
import type { SnapshotStore } from './store.js'

/**
 * Sealed snapshots in a folder: manifests below `snapshots/<project>/`, and the files of tables and entity ids below
 * `tables/<project>/`, where each is as often as it differs. Processes read them there.
 */
export interface DirectorySnapshots extends SnapshotStore {}

/**
 * Reads and publishes sealed snapshots below `folder`, which is created when missing. Any number of processes, also on
 * several machines, may share it, and sees what another one changes within 20 ms. The file system must have hard links.
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
  const objects = folderObjects(folder)
  const root = objects.folder as string
  return objectSnapshots(objects, {
    local: { lease: async projectId => ({ folder: tablesFolder(root, projectId), release: async () => {} }) },
  })
}
