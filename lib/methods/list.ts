import { readListCursor, signListCursor } from '../call/cursor.js'
import { DEFAULT_PAGE_LIMIT, pageOf } from '../call/page-params.js'
import { listParamsSchema } from '../call/params.js'
import { type Page, type ProjectState, type ProjectSummary, projectSummarySchema } from '../model.js'
import type { ProjectRecord } from '../ports.js'
import type { Words } from '../words.js'
import { defineMethod, EXAMPLE_PROJECT } from './method.js'

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
    async run({ page }, { caller, ports, signer, signal }) {
      const limit = page?.limit ?? DEFAULT_PAGE_LIMIT
      const after = page?.cursor == null ? 0 : readListCursor(signer, page.cursor)
      const { organizations } = caller
      const found =
        organizations.length === 0
          ? []
          : await ports.projects.list({ organizations, after, limit: limit + 1 }, signal)
      const shown = found.slice(0, limit)
      const items: ProjectSummary[] = shown.map(project => ({
        projectId: project.projectId,
        name: project.name,
        organization: project.organization,
        state: projectState(project),
      }))
      const last = shown.at(-1)
      const more = found.length > limit && last
      const result: Page<ProjectSummary> = more
        ? { items, nextCursor: signListCursor(signer, last.sequence) }
        : { items }
      return { result, rows: items.length, bytes: 0 }
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
