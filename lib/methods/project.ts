import { mayRead } from '../call/caller-limits.js'
import { AnalyticsError } from '../errors.js'
import type { ProjectRecord } from '../ports.js'
import type { Snapshot } from '../snapshots/manifest.js'
import type { CallContext } from './method.js'
import { notKept } from './pinned.js'

/**
 * Returns a project that the key can read. Throws FORBIDDEN for any other id, so that ids cannot be probed.
 */
export async function readableProject(context: CallContext, projectId: string): Promise<ProjectRecord> {
  const project = await context.ports.projects.find(projectId, context.signal)
  if (project && mayRead(context.caller, project)) {
    context.onProject(project)
    return project
  }
  throw new AnalyticsError('FORBIDDEN', 'The key can read no project with this id.', {
    data: { path: 'projectId' },
  })
}

/**
 * Returns the latest sealed snapshot of a computed project, or the one that the call has pinned. If no snapshot can
 * be read, throws NOT_READY with what to do; if the pinned one cannot, INVALID_PARAMS.
 */
export async function readySnapshot(
  context: CallContext,
  project: ProjectRecord,
  pinned: string | null = null,
): Promise<Snapshot> {
  const { newer, signal, snapshots, words } = context
  if (project.completed && pinned !== null) {
    const snapshot = await snapshots.find(project.projectId, pinned, signal)
    // It is no news: the latest one may be newer, and calls may have read that already.
    if (snapshot) return snapshot
  }
  const snapshot = project.completed ? await snapshots.latest(project.projectId, signal) : null
  if (snapshot) {
    if (pinned !== null) throw notKept()
    newer.see(project, snapshot)
    return snapshot
  }
  if (project.running) throw notReady(words.running, true)
  throw notReady(project.completed ? words.unreadable : words.never, false)
}

function notReady(message: string, retry: boolean): AnalyticsError {
  return new AnalyticsError('NOT_READY', message, { data: { retry } })
}
