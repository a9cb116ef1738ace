import { AnalyticsError } from '../errors.js'
import type { ProjectRecord } from '../ports.js'
import type { Snapshot } from '../snapshots/manifest.js'
import type { CallContext } from './method.js'

/**
 * Returns a project that the key can read. Throws FORBIDDEN for any other id, so that ids cannot be probed.
 */
export async function readableProject(context: CallContext, projectId: string): Promise<ProjectRecord> {
  const project = await context.ports.projects.find(projectId, context.signal)
  if (project && context.caller.organizations.includes(project.organization)) {
    context.onProject(project)
    return project
  }
  throw new AnalyticsError('FORBIDDEN', 'The key can read no project with this id.', {
    data: { path: 'projectId' },
  })
}

/**
 * Returns the latest sealed snapshot of a computed project. If there is none, throws NOT_READY with what to
 * do.
 */
export async function readySnapshot(context: CallContext, project: ProjectRecord): Promise<Snapshot> {
  const snapshot = project.completed
    ? await context.snapshots.latest(project.projectId, context.signal)
    : null
  if (snapshot) {
    context.newer.see(project, snapshot)
    return snapshot
  }
  const { words } = context
  if (project.running) throw notReady(words.running, true)
  throw notReady(project.completed ? words.unreadable : words.never, false)
}

function notReady(message: string, retry: boolean): AnalyticsError {
  return new AnalyticsError('NOT_READY', message, { data: { retry } })
}
