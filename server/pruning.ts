import type { SnapshotStore } from 'foldgate'
import { listProjects } from './store/projects.js'
import type { Store } from './store/store.js'
import type { Report } from './store/write-behind.js'

const LOOK_EVERY_MS = 30_000

/**
 * Removes all but the newest `keep` snapshots of each project, now and every 30 seconds, because other processes seal
 * snapshots. `stop` waits for a removal in progress.
 */
export function keepPruning(
  store: Store,
  snapshots: SnapshotStore,
  keep: number,
  report: Report,
): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const prune = async () => {
    try {
      const all = await snapshots.listAll?.()
      for (const { projectId } of await listProjects(store)) {
        if (stopped.signal.aborted) return
        if (!all || (all.get(projectId)?.length ?? 0) > keep) await pruneProject(projectId)
      }
    } catch (error) {
      report('removing superseded snapshots', error)
    }
  }
  // A project that cannot be read does not stop the others from being pruned.
  const pruneProject = async (projectId: string) => {
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
