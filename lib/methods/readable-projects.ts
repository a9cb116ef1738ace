import { mayRead } from '../call/caller-limits.js'
import type { ProjectRecord } from '../ports.js'
import type { CallContext } from './method.js'

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
export async function readableProjects(
  context: Context,
  { after, limit }: { after: number; limit: number },
): Promise<ReadableProjects> {
  const { caller, ports, signal } = context
  const { organizations, only } = caller
  if (organizations.length === 0) return { projects: [], next: null }
  if (only?.projects === undefined)
    return pageOf(await ports.projects.list({ organizations, after, limit: limit + 1 }, signal), limit)
  if (only.projects.length <= MOST_FINDS) {
    const found = await findAll(context, [...new Set(only.projects)])
    const later = found
      .filter(({ sequence }) => sequence > after)
      .sort((one, other) => one.sequence - other.sequence)
    return pageOf(later, limit)
  }
  return searchAll(context, after, limit)
}

function pageOf(found: readonly ProjectRecord[], limit: number): ReadableProjects {
  const projects = found.slice(0, limit)
  const last = projects.at(-1)
  return { projects, next: found.length > limit && last ? last.sequence : null }
}

async function findAll({ caller, ports, signal }: Context, ids: readonly string[]): Promise<ProjectRecord[]> {
  const found: ProjectRecord[] = []
  for (let at = 0; at < ids.length; at += FINDS_AT_ONCE) {
    const some = ids.slice(at, at + FINDS_AT_ONCE).map(id => ports.projects.find(id, signal))
    for (const project of await Promise.all(some))
      if (project && mayRead(caller, project)) found.push(project)
  }
  return found
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
    if (listed.length < READ_SIZE || found.length > limit) return pageOf(found, limit)
    read = (listed.at(-1) as ProjectRecord).sequence
  }
  return { projects: found, next: read }
}
