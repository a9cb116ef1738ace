import { ifRefused } from '../input/refusal.js'
import { countKeys, createKey, MOST_KEYS } from '../store/keys.js'
import { listOrganizations } from '../store/organizations.js'
import { dayOf } from './dates.js'
import { explorePage, SPOT_KEY_PATH } from './explore.js'
import { type PageOptions, type PageRoutes, show } from './routing.js'

/** Lifetime of a key that is created on the query page. */
const SPOT_KEY_MS = 7 * 86_400_000

/** Routes of the query page and of the keys created on it. */
export function exploreRoutes({ get, postAsUser }: PageRoutes, { store }: PageOptions): void {
  get('/explore', async (context, visit) => {
    const organizations = visit.user ? await listOrganizations(store, visit.user.organizations) : []
    show(context, explorePage(visit, organizations))
  })

  postAsUser(SPOT_KEY_PATH, async (context, { user }) => {
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
