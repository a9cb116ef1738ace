import { openListCursor, sealListCursor } from '../cursor.js'
import type { Page, ProjectSummary } from '../model.js'
import { integer, nullable, object, optional, text } from '../schema.js'
import { defineMethod } from './method.js'
import { stateOf } from './project.js'

/** Items of a page when the caller does not say. */
export const DEFAULT_PAGE_LIMIT = 100
/** The most items of a page. */
export const MAX_PAGE_LIMIT = 500

/** The `page` field of the methods that answer in pages. */
export const pageField = optional(
  object(
    {
      limit: optional(integer(1, MAX_PAGE_LIMIT, 'Items of the page.'), DEFAULT_PAGE_LIMIT),
      cursor: optional(nullable(text('The nextCursor of the page before; left out for the first page.'))),
    },
    'Which page; left out for the first one.',
  ),
)

export const listProjects = defineMethod({
  name: 'projects/list',
  summary: 'List the projects that the key reads',
  description: 'Projects of every organization that the key reads, from the oldest to the newest.',
  stability: 'experimental',
  params: object({ page: pageField }, 'Which page of the list.'),
  paramsOptional: true,
  errors: [],
  async run({ page }, { caller, ports, seal, signal }) {
    const limit = page?.limit ?? DEFAULT_PAGE_LIMIT
    const after = page?.cursor == null ? 0 : openListCursor(seal, page.cursor)
    const { organizations } = caller
    const found =
      organizations.length === 0 ? [] : await ports.projects.list({ organizations, after, limit: limit + 1 }, signal)
    const shown = found.slice(0, limit)
    const items: ProjectSummary[] = shown.map(project => ({
      projectId: project.projectId,
      name: project.name,
      organization: project.organization,
      state: stateOf(project),
    }))
    const last = shown.at(-1)
    const more = found.length > limit && last
    const result: Page<ProjectSummary> = more ? { items, nextCursor: sealListCursor(seal, last.sequence) } : { items }
    return { result, rows: items.length, bytes: 0 }
  },
})
