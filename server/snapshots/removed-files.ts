import type { SnapshotStore } from 'foldgate'
import type { Store } from '../database/store.js'
import { forgetExport, orphanedExports } from '../store/exports.js'
import type { Shared } from './shared.js'

/** Where the files of removed projects and users are. */
export interface Files {
  snapshots: Pick<SnapshotStore, 'list' | 'remove'>
  exports: Pick<ReturnType<Shared['openExports']>, 'remove'>
}

/**
 * Removes the snapshots and exports of removed projects and users, as far as nobody is reading them; what is left is
 * removed when this runs again. Returns the ids of the projects of which snapshots are left. Throws a Refusal while an
 * import runs, which may be about to add such a project again with the same ids.
 */
export async function removeFiles(store: Store, files: Files): Promise<string[]> {
  if ((await orphanedExports(store)).length === 0 && (await removedProjects(store)).length === 0) return []
  return store.importAlone(() => removeFilesAlone(store, files))
}

/** Does what {@link removeFiles} does, for callers who keep imports away themselves. */
export async function removeFilesAlone(store: Store, { snapshots, exports }: Files): Promise<string[]> {
  for (const id of await orphanedExports(store)) {
    await exports.remove(id)
    await forgetExport(store, id)
  }
  const left: string[] = []
  const { signal } = new AbortController()
  for (const id of await removedProjects(store)) {
    await snapshots.remove(id)
    if ((await snapshots.list(id, signal)).length > 0) left.push(id)
    else await store.db.deleteFrom('removed_projects').where('project_id', '=', id).execute()
  }
  return left
}

async function removedProjects({ db }: Store): Promise<string[]> {
  const rows = await db.selectFrom('removed_projects').select('project_id').orderBy('project_id').execute()
  return rows.map(({ project_id: id }) => id)
}
