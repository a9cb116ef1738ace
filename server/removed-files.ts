import type { SnapshotStore } from 'foldgate'
import { forgetExport, orphanedExports } from './store/exports.js'
import type { Shared } from './store/shared.js'
import type { Store } from './store/store.js'

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
export async function removeFiles(store: Store, { snapshots, exports }: Files): Promise<string[]> {
  const { db } = store
  const removed = () => db.selectFrom('removed_projects').select('project_id').orderBy('project_id').execute()
  const orphans = await orphanedExports(store)
  if (orphans.length === 0 && (await removed()).length === 0) return []
  return store.importAlone(async () => {
    for (const id of orphans) {
      await exports.remove(id)
      await forgetExport(store, id)
    }
    const left: string[] = []
    const { signal } = new AbortController()
    for (const { project_id: id } of await removed()) {
      await snapshots.remove(id)
      if ((await snapshots.list(id, signal)).length > 0) left.push(id)
      else await db.deleteFrom('removed_projects').where('project_id', '=', id).execute()
    }
    return left
  })
}
