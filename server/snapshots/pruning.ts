import type { SnapshotStore } from 'foldgate/sealing'
import type { Store } from '../database/store.js'
import { ifRefused } from '../input/refusal.js'
import type { Report } from '../operation/log.js'
import { type Chore, keepDoing } from '../store/chores.js'
import { changedSnapshots, lastRevision, recordPruned } from '../store/newest-snapshots.js'
import { forgetExpiredExports, forgetExport, orphanedExports } from '../store/recorded-exports.js'
import { Rounds } from './rounds.js'
import type { Shared } from './shared.js'

const LOOK_EVERY_MS = 30_000

/** Projects whose snapshots have changed that are looked at together. */
const CHANGED_AT_ONCE = 1_000

/**
 * Removes the files of removed projects and users and, unless `keep` is null, all but the newest `keep`
 * snapshots of projects, now and every 30 seconds, because other processes remove projects and seal
 * snapshots: of those that have changed, and of the others in turns. Forgets exports after their retention. `stop` waits
 * for a removal in progress.
 */
export function keepPruning(
  store: Store,
  { snapshots, exports }: { snapshots: SnapshotStore; exports: Files['exports'] },
  { keep, exportRetentionMs }: { keep: number | null; exportRetentionMs: number },
  report: Report,
): { stop(): Promise<void> } {
  const rounds = new Rounds(store, snapshots)
  let seen: number | null = null
  const clear = async () => {
    await forgetExpiredExports(store, exportRetentionMs)
    await removeFiles(store, { snapshots, exports }).catch(ifRefused(undefined)) // tried again once the import has ended
  }
  const pruneChanged = async (most: number, signal: AbortSignal) => {
    seen ??= await lastRevision(store) // projects that changed before have their turn
    for (;;) {
      const changed = await changedSnapshots(store, { after: seen, limit: CHANGED_AT_ONCE })
      for (const { projectId, revision } of changed) {
        signal.throwIfAborted()
        await pruneProject(projectId, most, signal)
        seen = revision
      }
      if (changed.length < CHANGED_AT_ONCE) return
    }
  }
  // A project that cannot be read does not stop the others from being pruned.
  const pruneProject = async (projectId: string, most: number, signal: AbortSignal) => {
    try {
      const sealed = await snapshots.list(projectId, signal)
      if (sealed.length > most) await pruneSnapshots(store, snapshots, projectId, most)
    } catch (error) {
      report(`removing superseded snapshots of the project ${projectId}`, error)
    }
  }
  const prune = async (most: number, signal: AbortSignal) => {
    await pruneChanged(most, signal)
    for await (const { projectId, ids } of rounds.look(signal))
      if (ids.length > most) await pruneProject(projectId, most, signal)
  }
  const chores: Chore[] = [{ what: 'removing files of removed projects', run: clear }]
  if (keep !== null)
    chores.push({ what: 'removing superseded snapshots', run: signal => prune(keep, signal) })
  return keepDoing(chores, report, LOOK_EVERY_MS)
}

/** Removes all but the newest `keep` snapshots of a project, and tells all servers. Returns the ids removed. */
export async function pruneSnapshots(
  store: Store,
  snapshots: Pick<SnapshotStore, 'prune'>,
  projectId: string,
  keep: number,
): Promise<string[]> {
  const removed = await snapshots.prune(projectId, keep)
  if (removed.length > 0) await recordPruned(store, projectId, removed)
  return removed
}

/** Where the files of removed projects and users are. */
export interface Files {
  snapshots: Pick<SnapshotStore, 'list' | 'remove'>
  exports: Pick<ReturnType<Shared['openExports']>, 'remove'>
}

/**
 * Removes the snapshots and exports of removed projects and users. Throws a Refusal while an import runs, which may be
 * about to add such a project again with the same ids.
 */
export async function removeFiles(store: Store, files: Files): Promise<void> {
  if ((await orphanedExports(store)).length === 0 && (await removedProjects(store)).length === 0) return
  await store.withImportLock(() => removeFilesAlone(store, files))
}

/** As {@link removeFiles}, for callers that hold the import lock. */
export async function removeFilesAlone(store: Store, { snapshots, exports }: Files): Promise<void> {
  for (const id of await orphanedExports(store)) {
    await exports.remove(id)
    await forgetExport(store, id)
  }
  const { signal } = new AbortController()
  for (const id of await removedProjects(store)) {
    await snapshots.remove(id)
    // A snapshot that was sealed meanwhile is removed by the next run.
    if ((await snapshots.list(id, signal)).length === 0)
      await store.db.deleteFrom('removed_projects').where('project_id', '=', id).execute()
  }
}

async function removedProjects({ db }: Store): Promise<string[]> {
  const rows = await db.selectFrom('removed_projects').select('project_id').orderBy('project_id').execute()
  return rows.map(({ project_id: id }) => id)
}
