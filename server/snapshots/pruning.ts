import type { SnapshotStore } from 'foldgate'
import type { Store } from '../database/store.js'
import type { Report } from '../database/write-behind.js'
import { ifRefused } from '../input/refusal.js'
import { forgetExpiredExports } from '../store/exports.js'
import { listProjects } from '../store/projects.js'
import { type Files, removeFiles } from './removed-files.js'

const LOOK_EVERY_MS = 30_000

/**
 * Removes the files of removed projects and users and, unless `keep` is null, all but the newest `keep` snapshots of
 * each project, now and every 30 seconds, because other processes remove projects and seal snapshots. Forgets exports
 * after their retention. `stop` waits for a removal in progress.
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
