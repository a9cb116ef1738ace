import { readListCursor, signListCursor } from '../call/cursor.js'
import { named, object, sent, uuid } from '../call/schema.js'
import type { Page, ProjectSummary } from '../model.js'
import { defineMethod, EXAMPLE_PROJECT } from './method.js'
import { DEFAULT_PAGE_LIMIT, pageField, pageOf } from './page.js'
import { projectState } from './state.js'

const state = {
  title: 'ProjectState',
  type: 'string',
  enum: ['computed', 'computing', 'notComputed'],
  description:
    'Whether the analytics of the project can be read now. computed: an assessment has completed, and its analytics ' +
    'can be read even while the next one is running. computing: the first assessment is running, so there is nothing ' +
    'to read yet. notComputed: no assessment has completed, and none is running.',
}

const projectSummary = sent('ProjectSummary', 'A project that the key can read.', {
  projectId: uuid('Id of the project, as used by the other methods.').json,
  name: { type: 'string', description: 'Name of the project, as the service shows it.' },
  organization: {
    title: 'OrganizationKey',
    type: 'string',
    description: 'Key of the organization that owns the project.',
  },
  state,
})

export const listProjects = defineMethod({
  name: 'projects/list',
  summary: 'List the projects that the key can read',
  description: 'Returns the projects of every organization that the key can read, oldest first.',
  stability: 'experimental',
  scope: null,
  params: named('ProjectListParams', object({ page: pageField }, 'The page of the list to return.')),
  paramsOptional: true,
  errors: [],
  limits: [],
  result: pageOf('ProjectSummaryList', 'A page of projects, oldest first.', projectSummary),
  example: {
    params: { page: { limit: 100 } },
    result: {
      items: [{ projectId: EXAMPLE_PROJECT, name: 'Northern mills', organization: 'north', state: 'computed' }],
    },
  },
  async run({ page }, { caller, ports, signer, signal }) {
    const limit = page?.limit ?? DEFAULT_PAGE_LIMIT
    const after = page?.cursor == null ? 0 : readListCursor(signer, page.cursor)
    const { organizations } = caller
    const found =
      organizations.length === 0 ? [] : await ports.projects.list({ organizations, after, limit: limit + 1 }, signal)
    const shown = found.slice(0, limit)
    const items: ProjectSummary[] = shown.map(project => ({
      projectId: project.projectId,
      name: project.name,
      organization: project.organization,
      state: projectState(project),
    }))
    const last = shown.at(-1)
    const more = found.length > limit && last
    const result: Page<ProjectSummary> = more ? { items, nextCursor: signListCursor(signer, last.sequence) } : { items }
    return { result, rows: items.length, bytes: 0 }
  },
})
