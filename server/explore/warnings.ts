import { type AnalyticsApi, AnalyticsError, type HttpRequest } from 'foldgate'
import { mayRead, readableWarnings } from 'foldgate/internal'
import type { SnapshotManifest } from 'foldgate/sealing'
import type { Store } from '../database/store.js'
import { findProject } from '../store/projects.js'

/** Names of the SQL that projects speak on other engines than the default one. */
const DIALECTS = new Map([['trino', 'Trino']])

/** Followed by the id of a project. */
const PATH = '/explore/warnings/'
/** How these requests are named among calls. */
const NAME = 'explore/warnings'

/** Where the warnings are read. */
interface Sources {
  store: Store
  /** The manifest of the newest snapshot of a project; null when there is none or it cannot be read. */
  newestOf(projectId: string): Promise<SnapshotManifest | null>
}

/**
 * Returns the API with the path at which the query page reads the warnings of the newest snapshot of a
 * project, and the name of the SQL that it speaks unless it is DuckDB's. The headers say which snapshot it is (`ETag`) and when it was sealed (`Last-Modified`). Like a
 * method, it takes a key, and a unit of the key's quota.
 */
export function withWarnings(api: AnalyticsApi, { store, newestOf }: Sources): AnalyticsApi {
  const { adapter } = api
  const answerWarnings = (request: HttpRequest) =>
    adapter.answerAs(request, NAME, async caller => {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new AnalyticsError('INVALID_REQUEST', 'This path accepts only GET and HEAD.')
      if (request.path.includes('%00'))
        throw new AnalyticsError('INVALID_REQUEST', 'The path has a NUL character in it.')
      const project = await findProject(store, request.path.slice(PATH.length).toLowerCase())
      if (!project || !mayRead(caller, project))
        throw new AnalyticsError('NOT_FOUND', 'The key can read no project with this id.')
      const newest = await newestOf(project.projectId)
      const dialect = DIALECTS.get(project.engine ?? '')
      const spoken = dialect === undefined ? {} : { dialect }
      if (!newest) return { body: { warnings: [], ...spoken } }
      const { snapshotId, sealedAt } = newest
      const warnings = readableWarnings(caller, newest)
      const headers = { etag: `"${snapshotId}"`, 'last-modified': new Date(sealedAt).toUTCString() }
      return { body: { warnings, ...spoken }, headers }
    })
  return {
    ...api,
    handles: path => path.startsWith(PATH) || api.handles(path),
    adapter: {
      ...adapter,
      answer: request => (request.path.startsWith(PATH) ? answerWarnings(request) : adapter.answer(request)),
    },
  }
}
