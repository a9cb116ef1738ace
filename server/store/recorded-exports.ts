import type { ExportPort } from 'foldgate'
import type { Store } from '../database/store.js'
import { removedUsers } from './users.js'

/**
 * Exports that are recorded in the store before they are stored, so that they
 * can be found by project and user.
 */
export function recordedExports(store: Store, exports: ExportPort): ExportPort {
  return {
    ...exports,
    async put(file, signal) {
      const { exportId: id, projectId, ownerId } = file
      if (projectId !== undefined && ownerId !== undefined)
        await store.db
          .insertInto('exports')
          .values({ id, project_id: projectId, user_id: ownerId, created_at: store.clock.now() })
          .execute()
      await exports.put(file, signal)
    },
  }
}

/** Lists the exports of removed projects and users. */
export async function orphanedExports(store: Store): Promise<string[]> {
  const { db } = store
  const rows = await db
    .selectFrom('exports')
    .select('exports.id')
    .where(build => {
      const project = build
        .selectFrom('projects')
        .select('projects.id')
        .whereRef('projects.id', '=', 'exports.project_id')
      // Looked up one by one: there may be many more projects than exports.
      return build.or([build.not(build.exists(project)), build('user_id', 'in', removedUsers(store))])
    })
    .execute()
  return rows.map(({ id }) => id)
}

/** Forgets an export whose file is removed. */
export async function forgetExport({ db }: Store, id: string): Promise<void> {
  await db.deleteFrom('exports').where('id', '=', id).execute()
}

/** Forgets the exports whose retention is over. */
export async function forgetExpiredExports({ db, clock }: Store, retentionMs: number): Promise<void> {
  await db
    .deleteFrom('exports')
    .where('created_at', '<', clock.now() - retentionMs)
    .execute()
}
