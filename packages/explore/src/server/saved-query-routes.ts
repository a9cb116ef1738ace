import {
  formatInstant,
  listOrganizations,
  MAX_FORM_BYTES,
  PageError,
  type PageOptions,
  type PageRoutes,
  Refusal,
} from 'foldgate-server/parts'
import {
  findSavedQuery,
  type ListedQuery,
  listSavedQueries,
  removeSavedQuery,
  saveQuery,
} from './saved-queries.js'
import { MAX_SAVED_PARAMETERS_BYTES, MAX_SAVED_SQL_BYTES } from './saved-statement.js'

/** The saved queries of the user who is logged in: each is below it by its id, and below that `remove`. */
export const QUERIES = '/explore/queries'

/**
 * Urlencoding makes up to three bytes of each byte of the SQL and
 * the values. The other fields have the room of an ordinary form.
 */
const MAX_BYTES = 3 * (MAX_SAVED_SQL_BYTES + MAX_SAVED_PARAMETERS_BYTES) + MAX_FORM_BYTES

/**
 * Routes with which the query page lists, reads, saves
 * and removes queries of a logged-in user, without a key.
 */
export function savedQueryRoutes({ getForScript, postForScript }: PageRoutes, { store }: PageOptions): void {
  getForScript(QUERIES, async (context, { user }) => {
    const [projectId, cursor] = [context.query.project, context.query.cursor].map(value =>
      typeof value === 'string' ? value : undefined,
    )
    const [page, organizations] = await Promise.all([
      listSavedQueries(store, user, { projectId, cursor }).catch(refuse),
      listOrganizations(store, user.organizations),
    ])
    context.body = {
      ...page,
      queries: page.queries.map(described),
      organizations: organizations.map(({ key, name }) => ({ key, name })),
    }
  })

  getForScript(`${QUERIES}/:id`, async (context, { user }) => {
    const query = await findSavedQuery(store, user, String(context.params.id))
    context.status = query ? 200 : 404
    context.body = query ? { query: described(query) } : {}
  })

  postForScript(QUERIES, MAX_BYTES, async (context, { user }, form) => {
    const field = (name: string) => form.get(name) ?? ''
    const wanted = {
      user,
      name: field('name'),
      sql: field('sql'),
      parameters: field('parameters'),
      projectId: field('project'),
      organization: field('organization') || null,
    }
    const query = await saveQuery(store, wanted).catch(refuse)
    context.status = 201
    context.body = { query: described(query) }
  })

  postForScript(`${QUERIES}/:id/remove`, MAX_FORM_BYTES, async (context, { user }) => {
    const isRemoved = await removeSavedQuery(store, user, String(context.params.id))
    context.status = isRemoved ? 204 : 404
    if (!isRemoved) context.body = {}
  })
}

function refuse(cause: unknown): never {
  throw cause instanceof Refusal ? new PageError(422, cause.message) : cause
}

function described<Query extends ListedQuery>(query: Query) {
  return { ...query, savedAt: formatInstant(query.savedAt) }
}
