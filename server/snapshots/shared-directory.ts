import { randomUUID } from 'node:crypto'
import { access, constants, opendir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directoryExports, directorySnapshots } from 'foldgate'
import { folderObjects } from 'foldgate/internal'
import { watchDisk } from './disk-usage.js'
import type { Shared } from './shared.js'

/**
 * Names the store whose snapshots a folder has. It is in that folder, so a
 * backup of the snapshots contains it.
 */
const MARKER = '.store'

/**
 * Snapshots and exports in folders; `makeFolders` makes them, and throws a Refusal when that is impossible.
 */
export function sharedDirectory(
  name: string,
  folders: { snapshots: string; exports: string },
  makeFolders: () => Promise<void>,
): Shared {
  const snapshots = directorySnapshots(folders.snapshots)
  return {
    what: 'shared folder',
    name,
    markerName: join('snapshots', MARKER),
    snapshots,
    objects: folderObjects(folders.snapshots),
    openExports: retentionMs => directoryExports(folders.exports, { retentionMs }),
    prepare: makeFolders,
    async readMarker() {
      try {
        return (await readFile(join(folders.snapshots, MARKER), 'utf8')).trim()
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException
        if (code === 'ENOENT' || code === 'ENOTDIR') return null
        throw cause
      }
    },
    async writeMarker(id) {
      const draft = join(folders.snapshots, `${MARKER}-${randomUUID()}`)
      await writeFile(draft, `${id}\n`, { mode: 0o600, flush: true })
      await rename(draft, join(folders.snapshots, MARKER))
    },
    check: () => checkFolder(folders.snapshots),
    async probe() {
      for (const folder of [folders.snapshots, folders.exports]) {
        await checkFolder(folder)
        const probe = join(folder, `${MARKER}-${randomUUID()}`)
        try {
          await writeFile(probe, 'probe', { flush: true })
        } finally {
          await rm(probe, { force: true })
        }
      }
    },
    sweep: () => snapshots.sweep(),
    watch: () => watchDisk(folders),
    close() {},
  }
}

/** Rejects when a folder cannot be listed, or when its permissions do not allow writing. */
async function checkFolder(path: string): Promise<void> {
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  const folder = await opendir(path)
  try {
    await folder.read()
  } finally {
    await folder.close()
  }
}
