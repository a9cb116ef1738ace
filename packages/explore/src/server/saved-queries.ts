import { randomUUID } from 'node:crypto'
import {
  checkName,
  checkProjectId,
  type Going,
  isUuid,
  quoted,
  Refusal,
  type Store,
  type StoreSchema,
  type User,
} from 'foldgate-server/parts'
import type { ExpressionBuilder } from 'kysely'
import { checkSavedSql, readSavedParameters, type SavedParameters } from './saved-statement.js'
import { dbOf, type ExploreTables } from './tables.js'

/** Number of saved queries that a user may have. */
export const MOST_SAVED_QUERIES = 200
/** Number of saved queries on a page of their list. */
export const SAVED_QUERIES_PER_PAGE = 50
const MAX_NAME_CHARACTERS = 100

/** A saved query, as a given user sees it. */
export interface SavedQuery {
  id: string
  name: string
  sql: string
  /** The texts that were typed for its parameters; empty without any. */
  parameters: SavedParameters
  projectId: string
  /** The organization whose readers see it too; null when only its owner does. */
  organization: { key: string; name: string } | null
  /** E-mail address of the owner. */
  owner: string
  /** Whether the user who reads it is the owner. */
  isOwn: boolean
  /** Epoch milliseconds. */
  savedAt: number
}

/** A saved query in a list, which has no SQL and no values: the statements of a full list could take 100 MB. */
export type ListedQuery = Omit<SavedQuery, 'sql' | 'parameters'>

/** A page of saved queries; without `nextCursor` it is the last. */
export interface SavedQueryPage {
  queries: ListedQuery[]
  nextCursor?: string
}

/** A query to save. */
export interface QueryToSave {
  user: Pick<User, 'id'>
  name: string
  sql: string
  /** JSON of what was typed for its parameters; '' is none. Default: none. */
  parameters?: string
  projectId: string
  /** Key of the organization to share it with, which must be that of the project; null for none. */
  organization: string | null
}

/**
 * Lists the queries that a user has saved, on one project or on all, newest first, and after them those that
 * others share with organizations that the user reads, newest first too; 50 per page. `cursor` is the
 * `nextCursor` of the page before. Queries on projects of other organizations are left out, even the user's
 * own: their SQL may contain data. Throws a Refusal when the cursor is not one.
 */
export async function listSavedQueries(
  store: Store,
  user: Pick<User, 'id'>,
  { projectId, cursor }: { projectId?: string | undefined; cursor?: string | undefined } = {},
): Promise<SavedQueryPage> {
  const after = cursor === undefined ? null : readCursor(cursor)
  const read = (isOwn: boolean, most: number) => {
    const from = after?.isOwn === isOwn ? after : null
    return selectListed(store, user)
      .$if(isOwn, query => query.where('saved_queries.user_id', '=', user.id))
      .$if(!isOwn, query =>
        query
          .where('saved_queries.user_id', '!=', user.id)
          .where('saved_queries.organization_key', 'in', readBy(store, user)),
      )
      .$if(projectId !== undefined, query => query.where('project_id', '=', projectId?.toLowerCase() ?? ''))
      .$if(from !== null, query => query.where(build => isAfter(build, from as Position)))
      .orderBy('saved_at', 'desc')
      .orderBy('saved_queries.id')
      .limit(most)
      .execute()
  }
  // One statement for each part, so that an index answers it: reading the rows would read their SQL, too.
  const own = after?.isOwn === false ? [] : await read(true, SAVED_QUERIES_PER_PAGE + 1)
  const rows = [...own, ...(await read(false, SAVED_QUERIES_PER_PAGE + 1 - own.length))]
  const queries = rows.slice(0, SAVED_QUERIES_PER_PAGE).map(row => listed(row, user))
  const last = queries.at(-1)
  return last && rows.length > queries.length ? { queries, nextCursor: cursorOf(last) } : { queries }
}

/** Returns a saved query that the user may see; null when there is none or the user may not see it. */
export async function findSavedQuery(
  store: Store,
  user: Pick<User, 'id'>,
  id: string,
): Promise<SavedQuery | null> {
  if (!isUuid(id.toLowerCase())) return null
  const row = await selectListed(store, user)
    .select(['sql', 'saved_queries.parameters'])
    .where('saved_queries.id', '=', id.toLowerCase())
    .executeTakeFirst()
  if (!row) return null
  return { ...listed(row, user), sql: row.sql, parameters: readSavedParameters(row.parameters ?? '') }
}

/**
 * Saves a query, in place of the one that the user has under this name in the same project. Throws a Refusal
 * when the name, the SQL or the parameters cannot be saved, when the user does not read the project, when the query would be
 * shared with an organization other than the project's, and when the user has 200 saved queries.
 */
export async function saveQuery(store: Store, wanted: QueryToSave): Promise<SavedQuery> {
  const { user, organization } = wanted
  const name = checkName(wanted.name, 'query', MAX_NAME_CHARACTERS)
  const sql = checkSavedSql(wanted.sql)
  const typed = readSavedParameters(wanted.parameters ?? '')
  const parameters = Object.keys(typed).length > 0 ? JSON.stringify(typed) : null
  return store.transaction(async within => {
    const project = await requireReadProject(within, user, wanted.projectId)
    if (organization !== null && organization !== project.organization_key)
      throw new Refusal(
        `A query on this project can be shared only with its organization, ${quoted(project.organization_key)}: choose ` +
          'that one, or keep the query private',
      )
    const place = { user_id: user.id, project_id: project.id, name }
    const content = { organization_key: organization, sql, parameters, saved_at: within.clock.now() }
    const id = await makeRoom(within, place)
    await dbOf(within)
      .insertInto('saved_queries')
      .values({ id, ...place, ...content })
      .onConflict(conflict => conflict.column('id').doUpdateSet(content))
      .execute()
    const saved = await findSavedQuery(within, user, id)
    if (!saved) throw new Error(`the query ${id} was saved, but cannot be read`)
    return saved
  })
}

/** Removes a saved query of this user. Returns false when the user has none with this id. */
export async function removeSavedQuery(store: Store, user: Pick<User, 'id'>, id: string): Promise<boolean> {
  if (!isUuid(id.toLowerCase())) return false // PostgreSQL fails on some other strings
  const { numDeletedRows } = await dbOf(store)
    .deleteFrom('saved_queries')
    .where('id', '=', id.toLowerCase())
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Counts the saved queries that go with a removal. */
export async function countSavedQueries(store: Store, going: Going): Promise<number> {
  const all = dbOf(store)
    .selectFrom('saved_queries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
  if ('organization' in going) return 0 // they go with its projects
  const those =
    'user' in going ? all.where('user_id', '=', going.user) : all.where('project_id', 'in', going.projects)
  return (await those.executeTakeFirstOrThrow()).count
}

/** Removes the saved queries of a user who is removed. Those on a project go with it. */
export async function forgetUser(within: Store, userId: string): Promise<void> {
  await dbOf(within).deleteFrom('saved_queries').where('user_id', '=', userId).execute()
}

/**
 * Finds a project that the user reads. The Refusal is the same for one that is unknown
 * and one that they do not read.
 */
async function requireReadProject(within: Store, user: Pick<User, 'id'>, id: string) {
  const project = await within.db
    .selectFrom('projects')
    .innerJoin('memberships', 'memberships.organization_key', 'projects.organization_key')
    .select(['projects.id', 'projects.organization_key'])
    .where('projects.id', '=', checkProjectId(id))
    .where('memberships.user_id', '=', user.id)
    .executeTakeFirst()
  if (!project)
    throw new Refusal(`You have access to no project with the id ${quoted(id)}: choose one of your projects`)
  return project
}

/**
 * Returns the id of the query in this place, or a new one. Throws a Refusal when the user can have no more.
 */
async function makeRoom(
  within: Store,
  place: { user_id: string; project_id: string; name: string },
): Promise<string> {
  const there = await dbOf(within)
    .selectFrom('saved_queries')
    .select('id')
    .where(build => build.and(place))
    .executeTakeFirst()
  if (there) return there.id
  // Only queries that the user sees: a user who has lost access to the others could not remove them.
  const { count } = await selectVisible(within, { id: place.user_id })
    .where('saved_queries.user_id', '=', place.user_id)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) >= MOST_SAVED_QUERIES)
    throw new Refusal(`You have ${MOST_SAVED_QUERIES} saved queries, and can have no more: remove one first`)
  return randomUUID()
}

/** The last query of a page. */
type Position = Pick<ListedQuery, 'isOwn' | 'savedAt' | 'id'>

function cursorOf({ isOwn, savedAt, id }: Position): string {
  return `${isOwn ? 0 : 1}.${savedAt}.${id}`
}

function readCursor(text: string): Position {
  const [, isOthers, savedAt, id = ''] = /^([01])\.(\d{1,15})\.(.{36})$/.exec(text) ?? []
  if (isUuid(id)) return { isOwn: isOthers === '0', savedAt: Number(savedAt), id }
  throw new Refusal('The cursor of the list is not one that the list has returned: start without a cursor')
}

function isAfter(
  build: ExpressionBuilder<StoreSchema & ExploreTables, 'saved_queries'>,
  { savedAt, id }: Position,
) {
  const earlier = build('saved_queries.saved_at', '<', savedAt)
  const besides = build('saved_queries.saved_at', '=', savedAt).and('saved_queries.id', '>', id)
  return build.or([earlier, besides])
}

function selectListed(store: Store, user: Pick<User, 'id'>) {
  return selectVisible(store, user)
    .innerJoin('users', 'users.id', 'saved_queries.user_id')
    .leftJoin('organizations', 'organizations.key', 'saved_queries.organization_key')
    .select(['saved_queries.id', 'saved_queries.name', 'project_id', 'user_id', 'email', 'saved_at'])
    .select(['organizations.key', 'organizations.name as organization_name'])
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof selectListed>['execute']>>[number]

function listed(row: ListedRow, user: Pick<User, 'id'>): ListedQuery {
  return {
    id: row.id,
    name: row.name,
    projectId: row.project_id,
    organization: row.key === null ? null : { key: row.key, name: row.organization_name ?? '' },
    owner: row.email,
    isOwn: row.user_id === user.id,
    savedAt: row.saved_at,
  }
}

/** Selects from the queries that a user may see now: the one place where this is decided. */
function selectVisible(store: Store, user: Pick<User, 'id'>) {
  return dbOf(store)
    .selectFrom('saved_queries')
    .innerJoin('projects', 'projects.id', 'saved_queries.project_id')
    .where('projects.organization_key', 'in', readBy(store, user))
    .where(build =>
      build.or([
        build('saved_queries.user_id', '=', user.id),
        build('saved_queries.organization_key', 'in', readBy(store, user)),
      ]),
    )
}

function readBy({ db }: Store, user: Pick<User, 'id'>) {
  return db.selectFrom('memberships').select('organization_key').where('user_id', '=', user.id)
}
