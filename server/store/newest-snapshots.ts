import { findProject } from './projects.js'
import type { Store } from './store.js'

/** Returns the id of the newest snapshot of a project that the store knows; null when it knows none. */
export async function newestSnapshot(store: Store, projectId: string): Promise<string | null> {
  const row = await store.db
    .selectFrom('newest_snapshots')
    .select('snapshot_id')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.snapshot_id ?? null
}

/** Lists the newest snapshots of all projects that have any. */
export async function newestSnapshots(store: Store): Promise<{ projectId: string; snapshotId: string }[]> {
  const rows = await store.db.selectFrom('newest_snapshots').selectAll().orderBy('project_id').execute()
  return rows.map(row => ({ projectId: row.project_id, snapshotId: row.snapshot_id }))
}

/** Makes a snapshot the newest of its project, or makes the store know none. Without such a project, does nothing. */
export async function setNewestSnapshot(store: Store, projectId: string, snapshotId: string | null): Promise<void> {
  await store.transaction(async within => {
    await within.db.deleteFrom('newest_snapshots').where('project_id', '=', projectId).execute()
    if (snapshotId === null || !(await findProject(within, projectId))) return
    await within.db.insertInto('newest_snapshots').values({ project_id: projectId, snapshot_id: snapshotId }).execute()
  })
}

/** Makes a snapshot that was found in the shared folder the newest of its project, unless the store knows a newer one. */
export async function raiseNewestSnapshot(store: Store, projectId: string, snapshotId: string): Promise<void> {
  await store.transaction(async within => {
    const known = await newestSnapshot(within, projectId)
    if (known === null || known < snapshotId) await setNewestSnapshot(within, projectId, snapshotId)
  })
}
