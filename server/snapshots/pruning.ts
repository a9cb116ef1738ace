import type { SnapshotStore } from 'foldgate/sealing'
import type { Store } from '../database/store.js'
import type { Report } from '../database/write-behind.js'
import { ifRefused } from '../input/refusal.js'
import { listProjects } from '../store/projects.js'
import { forgetExpiredExports, forgetExport, orphanedExports } from '../store/recorded-exports.js'
import type { Shared } from './shared.js'

const LOOK_EVERY_MS = 30_000

/**
 * Removes the files of removed projects and users and, unless `keep` is null, all but the newest `keep`
 * snapshots of each project, now and every 30 seconds, because other processes remove projects and seal
 * snapshots. Forgets exports after their retention. `stop` waits for a removal in progress.
 */
export function keepPruning(
  store: Store,
  { snapshots, exports }: { snapshots: SnapshotStore; exports: Files['exports'] },
  { keep, exportRetentionMs }: { keep: number | null; exportRetentionMs: number },
  report: Report,
): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const clear = async () => {
    try {
      await forgetExpiredExports(store, exportRetentionMs)
      await removeFiles(store, { snapshots, exports }).catch(ifRefused([])) // tried again once the import has ended
    } catch (error) {
      if (!stopped.signal.aborted) report('removing files of removed projects', error)
    }
  }
  const prune = async () => {
    if (stopped.signal.aborted) return
    await clear()
    if (keep === null) return
    try {
      const all = await snapshots.listAll?.()
      for (const { projectId } of await listProjects(store)) {
        if (stopped.signal.aborted) return
        if (!all || (all.get(projectId)?.length ?? 0) > keep) await pruneProject(projectId, keep)
      }
    } catch (error) {
      report('removing superseded snapshots', error)
    }
  }
  // A project that cannot be read does not stop the others from being pruned.
  const pruneProject = async (projectId: string, keep: number) => {
    try {
      const sealed = await snapshots.list(projectId, stopped.signal)
      if (sealed.length > keep) await snapshots.prune(projectId, keep)
    } catch (error) {
      report(`removing superseded snapshots of the project ${projectId}`, error)
    }
  }
  let pruning = prune()
  const timer = setInterval(() => {
    pruning = pruning.then(prune)
  }, LOOK_EVERY_MS)
  return {
    async stop() {
      stopped.abort()
      clearInterval(timer)
      await pruning
    },
  }
}

/** Where the files of removed projects and users are. */
export interface Files {
  snapshots: Pick<SnapshotStore, 'list' | 'remove'>
  exports: Pick<ReturnType<Shared['openExports']>, 'remove'>
}

/**
 * Removes the snapshots and exports of removed projects and users, except those that are being read, which
 * the next run removes. Returns the ids of the projects of which snapshots are left. Throws a Refusal while
 * an import runs, which may be about to add such a project again with the same ids.
 */
export async function removeFiles(store: Store, files: Files): Promise<string[]> {
  if ((await orphanedExports(store)).length === 0 && (await removedProjects(store)).length === 0) return []
  return store.withImportLock(() => removeFilesAlone(store, files))
}

/** As {@link removeFiles}, for callers that hold the import lock. */
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
