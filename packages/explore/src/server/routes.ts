import { PATHS } from 'foldgate/internal'
import {
  assetRoutes,
  countKeys,
  createKey,
  dayOf,
  ifRefused,
  listOrganizations,
  MOST_KEYS,
  type PageLink,
  type PageOptions,
  type PageRoutes,
  show,
} from 'foldgate-server/parts'
import { bundled } from '../bundled.js'
import { queryPage } from '../page.js'
import { QUERIES, savedQueryRoutes } from './saved-query-routes.js'

/** Creates a key for the user who is logged in. */
const KEY = '/explore/key'
/** Lifetime of a key that is created on the query page. */
const SPOT_KEY_DAYS = 7
const DAY_MS = 86_400_000

/** The entry of the query page in the navigation. */
export const LINK: PageLink = { at: 'explore', path: PATHS.explore, words: 'Query' }

/**
 * Adds the query page to the pages of a server: the page at `/explore`, its files, the keys created on it,
 * and the saved queries of users. What it reads with a key is served by the API.
 */
export function addQueryPage(pages: PageRoutes, options: PageOptions): void {
  const { get, postAsUser } = pages
  const { store, words } = options
  savedQueryRoutes(pages, options)
  assetRoutes(pages, bundled().files)

  get(PATHS.explore, async (context, visit) => {
    const { user, formToken: token } = visit
    const organizations = user ? await listOrganizations(store, user.organizations) : []
    const reads = organizations.map(({ name }) => name)
    const own = { keys: { path: KEY, token, reads, days: SPOT_KEY_DAYS }, queries: { path: QUERIES, token } }
    const offers = { account: '/', ...(user ? own : {}) }
    const { head, bar, main } = queryPage({ mount: '', hasPointOfView: words.hasPointOfView, offers })
    show(context, { title: 'Query', visit, at: LINK.at, runs: { head, connects: true }, bar, main })
  })

  postAsUser(KEY, async (context, { user }) => {
    const now = store.clock.now()
    const wanted = {
      name: `Query page, ${dayOf(now)}`,
      user: user.email,
      organizations: user.organizations,
      expiresAt: now + SPOT_KEY_DAYS * DAY_MS,
    }
    // The user may have lost access to an organization since the page was loaded.
    const made = user.organizations.length > 0 ? await createKey(store, wanted).catch(ifRefused(null)) : null
    const isFull = !made && (await countKeys(store, { email: user.email, state: 'active' })) >= MOST_KEYS
    context.status = made ? 201 : isFull ? 409 : 422
    context.body = made ? { key: made.key } : {}
  })
}
