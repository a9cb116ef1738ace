import { randomUUID } from 'node:crypto'
import type { Store } from '../database/store.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { newestSnapshots } from '../store/newest-snapshots.js'
import type { DataFolder } from './data-folder.js'
import type { Shared } from './shared.js'

const ACCEPT = 'run "foldgate snapshot accept"'

/**
 * Returns the id of the shared folder or bucket, which its marker and the store record. Creates the folder
 * and the marker for a store that has no snapshots yet. Throws a Refusal when the shared folder or bucket
 * belongs to another store.
 */
export async function requireSharedFolder(
  store: Store,
  { shared }: Pick<DataFolder, 'shared'>,
): Promise<string> {
  if (shared.what === 'shared bucket') await shared.prepare() // its Refusal says what is wrong with the settings
  const marker = await shared.readMarker()
  // Of servers that start together on a new folder, one writes the marker; the
  // others wait for its transaction.
  if (marker === null || marker !== (await sharedId(store)))
    return store.transaction(within => markUnlessLost(within, shared))
  await shared.prepare()
  return marker
}

async function markUnlessLost(store: Store, shared: Shared): Promise<string> {
  const { what, name } = shared
  const [id, marker] = [await sharedId(store), await shared.readMarker()]
  if (marker !== null && marker !== id)
    throw new Refusal(
      `The ${what} ${quoted(name)} has the snapshots of another control store: name the one of this store, or ` +
        `${ACCEPT} to use it with this one`,
    )
  if (marker === null && id !== null && (await newestSnapshots(store, { after: '', limit: 1 })).length > 0)
    throw new Refusal(
      `The ${what} ${quoted(name)} does not hold the snapshots of this store (${shared.markerName} is missing): ` +
        `${what === 'shared folder' ? 'mount it, or name it' : 'name the right one'} with --shared. If its content is ` +
        `right, ${ACCEPT}`,
    )
  return markSharedFolder(store, { shared })
}

/** Assigns the shared folder or bucket to this store, whatever its content. Returns its id. */
export async function markSharedFolder(
  store: Store,
  { shared }: Pick<DataFolder, 'shared'>,
): Promise<string> {
  await shared.prepare()
  return store.transaction(async within => {
    const id = (await sharedId(within)) ?? randomUUID()
    await shared.writeMarker(id)
    if ((await sharedId(within)) === null)
      await within.db.insertInto('shared_folders').values({ id }).execute()
    return id
  })
}

/**
 * Rejects when the shared folder or bucket no longer has this id, for instance
 * because a share is not mounted.
 */
export async function checkSharedFolder(shared: Shared, id: string): Promise<void> {
  const marker = await shared.readMarker().catch(cause => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`the ${shared.what} cannot be read: ${reason.replace(/\.$/, '')}`, { cause })
  })
  if (marker === null) throw new Error(`the ${shared.what} is not there: its marker is missing`)
  if (marker !== id) throw new Error(`the ${shared.what} belongs to another control store`)
}

/** The id of the shared folder or bucket that a store records; null when it records none. */
export async function sharedId(store: Store): Promise<string | null> {
  const row = await store.db.selectFrom('shared_folders').select('id').executeTakeFirst()
  return row?.id ?? null
}
