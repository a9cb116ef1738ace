import { mayRead } from '../call/caller.js'
import { readListCursor, signListCursor } from '../call/cursor.js'
import { DEFAULT_PAGE_LIMIT, pageOf } from '../call/page-params.js'
import { listParamsSchema } from '../call/params.js'
import { inParallel } from '../flow/in-parallel.js'
import { type ProjectState, type ProjectSummary, projectSummarySchema } from '../model.js'
import type { ProjectRecord } from '../ports.js'
import type { Words } from '../words.js'
import { type CallContext, defineMethod, EXAMPLE_PROJECT } from './method.js'

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

/** Projects of a key are looked up one by one if its limits name at most this many. */
const MOST_FINDS = 100
/** Lookups under way at once. */
const FINDS_AT_ONCE = 10
/** Projects per read of the list, if what the key cannot read has to be left out. */
const READ_SIZE = 500
/** Such reads per call: a key with few projects among many gets pages with fewer than it asked for. */
const MOST_READS = 20

/** Some projects in the order of registration. */
interface ReadableProjects {
  projects: ProjectRecord[]
  /** The `sequence` after which the next ones follow; null when none do. */
  next: number | null
}

type Context = Pick<CallContext, 'caller' | 'ports' | 'signal'>

/** Returns at most `limit` projects that the key can read, of those with `sequence > after`. */
async function readableProjects(
  context: Context,
  { after, limit }: { after: number; limit: number },
): Promise<ReadableProjects> {
  const { caller, ports, signal } = context
  const { organizations, only } = caller
  if (organizations.length === 0) return { projects: [], next: null }
  if (only?.projects === undefined)
    return projectsOnPage(
      await ports.projects.list({ organizations, after, limit: limit + 1 }, signal),
      limit,
    )
  if (only.projects.length <= MOST_FINDS) {
    const found = await findAll(context, [...new Set(only.projects)])
    const later = found
      .filter(({ sequence }) => sequence > after)
      .sort((one, other) => one.sequence - other.sequence)
    return projectsOnPage(later, limit)
  }
  return searchAll(context, after, limit)
}

function projectsOnPage(found: readonly ProjectRecord[], limit: number): ReadableProjects {
  const projects = found.slice(0, limit)
  const last = projects.at(-1)
  return { projects, next: found.length > limit && last ? last.sequence : null }
}

async function findAll({ caller, ports, signal }: Context, ids: readonly string[]): Promise<ProjectRecord[]> {
  const found = await inParallel(ids, id => ports.projects.find(id, signal), FINDS_AT_ONCE)
  return found.flatMap(project => (project && mayRead(caller, project) ? project : []))
}

/** Reads the list of the organizations, and leaves out what the limits of the key exclude. */
async function searchAll(
  { caller, ports, signal }: Context,
  after: number,
  limit: number,
): Promise<ReadableProjects> {
  const { organizations } = caller
  const found: ProjectRecord[] = []
  let read = after
  for (let reads = 0; reads < MOST_READS; reads++) {
    const query = { organizations, after: read, limit: READ_SIZE }
    const listed = await ports.projects.list(query, signal)
    found.push(...listed.filter(project => mayRead(caller, project)))
    if (listed.length < READ_SIZE || found.length > limit) return projectsOnPage(found, limit)
    read = (listed.at(-1) as ProjectRecord).sequence
  }
  return { projects: found, next: read }
}
