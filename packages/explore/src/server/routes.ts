import { ifRefused } from '../input/refusal.js'
import { assetRoutes } from '../pages/asset-routes.js'
import { dayOf } from '../pages/dates.js'
import { type PageOptions, type PageRoutes, show } from '../pages/routing.js'
import { countKeys, createKey, MOST_KEYS } from '../store/keys.js'
import { listOrganizations } from '../store/organizations.js'
import { BUNDLED } from './bundled.js'
import { explorePage } from './page.js'
import { PATHS } from './paths.js'
import { savedQueryRoutes } from './saved-query-routes.js'

/** Lifetime of a key that is created on the query page. */
const SPOT_KEY_MS = 7 * 86_400_000

/**
 * Adds the query page to the pages of a server: the page at `/explore`, its files, the keys created on it,
 * and the saved queries of users. What it reads with a key is served by the API, see `warnings.ts`.
 */
export function addQueryPage(pages: PageRoutes, options: PageOptions): void {
  const { get, postAsUser } = pages
  const { store, words } = options
  savedQueryRoutes(pages, options)
  assetRoutes(pages, BUNDLED)

  get(PATHS.page, async (context, visit) => {
    const organizations = visit.user ? await listOrganizations(store, visit.user.organizations) : []
    show(context, explorePage(visit, organizations, words))
  })

  postAsUser(PATHS.key, async (context, { user }) => {
    const now = store.clock.now()
    const wanted = {
      name: `Query page, ${dayOf(now)}`,
      user: user.email,
      organizations: user.organizations,
      expiresAt: now + SPOT_KEY_MS,
    }
    // The user may have lost access to an organization since the page was loaded.
    const made = user.organizations.length > 0 ? await createKey(store, wanted).catch(ifRefused(null)) : null
    const isFull = !made && (await countKeys(store, { email: user.email, state: 'active' })) >= MOST_KEYS
    context.status = made ? 201 : isFull ? 409 : 422
    context.body = made ? { key: made.key } : {}
  })
}
