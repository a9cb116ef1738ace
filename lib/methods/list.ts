import { readListCursor, signListCursor } from '../call/cursor.js'
import { DEFAULT_PAGE_LIMIT, pageOf } from '../call/page-params.js'
import { listParamsSchema } from '../call/params.js'
import { type ProjectState, type ProjectSummary, projectSummarySchema } from '../model.js'
import type { ProjectRecord } from '../ports.js'
import type { Words } from '../words.js'
import { defineMethod, EXAMPLE_PROJECT } from './method.js'
import { readableProjects } from './readable-projects.js'

export const listProjects = (words: Words) =>
  defineMethod({
    name: 'projects/list',
    summary: 'List the projects that the key can read',
    description: 'Returns the projects of every organization that the key can read, oldest first.',
    stability: 'experimental',
    scope: null,
    params: listParamsSchema,
    paramsOptional: true,
    errors: [],
    limits: [],
    result: pageOf<ProjectSummary>(
      'ProjectSummaryList',
      'A page of projects, oldest first.',
      projectSummarySchema(words),
    ),
    example: {
      params: { page: { limit: 100 } },
      result: {
        items: [
          { projectId: EXAMPLE_PROJECT, name: 'Northern mills', organization: 'north', state: 'computed' },
        ],
      },
    },
    async run({ page }, context) {
      const { signer } = context
      const limit = page?.limit ?? DEFAULT_PAGE_LIMIT
      const after = page?.cursor == null ? 0 : readListCursor(signer, page.cursor)
      const { projects, next } = await readableProjects(context, { after, limit })
      const items: ProjectSummary[] = projects.map(project => ({
        projectId: project.projectId,
        name: project.name,
        organization: project.organization,
        state: projectState(project),
      }))
      const more = next === null ? {} : { nextCursor: signListCursor(signer, next) }
      return { result: { items, ...more }, rows: items.length, bytes: 0 }
    },
  })

/**
 * Returns the state of a project as callers see it: `computed` once a snapshot was completed; before that,
 * `computing` while the first one is prepared, otherwise `notComputed`.
 *
 * @example
 * ```ts
 * import { projectState } from 'foldgate/internal'
 *
 * const project = await projects.find(projectId, AbortSignal.timeout(1000))
 * console.log(project === null ? 'no such project' : projectState(project))
 * ```
 */
export function projectState({
  completed,
  running,
}: Pick<ProjectRecord, 'completed' | 'running'>): ProjectState {
  return completed ? 'computed' : running ? 'computing' : 'notComputed'
}
