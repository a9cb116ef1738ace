import type { ProjectState } from '../model.js'
import type { ProjectRecord } from '../ports.js'

/**
 * Returns the state of a project as callers see it: `computed` once an assessment has completed; before that,
 * `computing` while one is running, otherwise `notComputed`.
 *
 * @example
 * ```ts
 * const project = await projects.find(projectId, AbortSignal.timeout(1000))
 * console.log(project === null ? 'no such project' : projectState(project))
 * ```
 */
export function projectState({ completed, running }: Pick<ProjectRecord, 'completed' | 'running'>): ProjectState {
  return completed ? 'computed' : running ? 'computing' : 'notComputed'
}
