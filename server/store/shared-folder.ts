import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataFolder, makeSharedFolders } from './data-folder.js'
import { quoted } from './names.js'
import { newestSnapshots } from './newest-snapshots.js'
import { Refusal } from './refusal.js'
import type { Store } from './store.js'

/** Names the store whose snapshots a folder has. It is in that folder, so a backup of the snapshots contains it. */
const MARKER = '.store'
const ACCEPT = 'run "foldgate snapshot accept"'

/**
 * Returns the id of the shared folder, which its marker and the store have. Makes the folder and the marker for a store
 * that has no snapshots yet. Throws a Refusal when the folder is not the one of this store.
 */
export async function requireSharedFolder(store: Store, folder: DataFolder): Promise<string> {
  const name = quoted(folder.sharedName)
  const [marker, id] = [await readMarker(folder), await folderId(store)]
  if (marker !== null && marker !== id)
    throw new Refusal(
      `The shared folder ${name} has the snapshots of another control store: name its own, or ${ACCEPT} if it is to be ` +
        'the one of this store',
    )
  if (marker !== null) await makeSharedFolders(folder)
  if (marker !== null) return marker
  if (id !== null && (await newestSnapshots(store)).length > 0)
    throw new Refusal(
      `The shared folder ${name} does not have the snapshots of this store (${join('snapshots', MARKER)} is missing): ` +
        `mount it, or name it with --shared. If what is there is right, ${ACCEPT}`,
    )
  return markSharedFolder(store, folder)
}

/** Makes the shared folder the one of this store, whatever it has. Returns its id. */
export async function markSharedFolder(store: Store, folder: DataFolder): Promise<string> {
  await makeSharedFolders(folder)
  const id = await store.transaction(async within => {
    const known = await folderId(within)
    if (known !== null) return known
    const made = randomUUID()
    await within.db.insertInto('shared_folders').values({ id: made }).execute()
    return made
  })
  const draft = join(folder.snapshots, `${MARKER}-${randomUUID()}`)
  await writeFile(draft, `${id}\n`, { mode: 0o600, flush: true })
  await rename(draft, join(folder.snapshots, MARKER))
  return id
}

/** Rejects when the shared folder does not have this id any more, as when a share is not mounted. */
export async function checkSharedFolder(folder: DataFolder, id: string): Promise<void> {
  const marker = await readMarker(folder)
  if (marker === null) throw new Error('the shared folder is not there: its marker is missing')
  if (marker !== id) throw new Error('the shared folder is the one of another control store')
}

async function readMarker(folder: DataFolder): Promise<string | null> {
  try {
    return (await readFile(join(folder.snapshots, MARKER), 'utf8')).trim()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw cause
  }
}

async function folderId(store: Store): Promise<string | null> {
  const row = await store.db.selectFrom('shared_folders').select('id').executeTakeFirst()
  return row?.id ?? null
}
