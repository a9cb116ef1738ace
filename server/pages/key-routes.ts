import { ifRefused, Refusal } from '../input/refusal.js'
import type { ApiKey } from '../store/key-rows.js'
import { countKeys, createKey, findKeyOf, listSomeKeys, MOST_KEYS, revokeKey } from '../store/keys.js'
import { listOrganizations } from '../store/organizations.js'
import { refuseUnread } from '../store/projects.js'
import { newToken } from '../store/sessions.js'
import { readUsage } from '../store/usage.js'
import type { User } from '../store/users.js'
import { NOT_READ } from './fields.js'
import { PageError } from './form.js'
import { readKeyForm } from './key-form.js'
import { createdPage, notShownPage, revokePage } from './key-pages.js'
import { type Holdings, hasEnded, keysPage, type Notices } from './keys.js'
import { loginPage } from './login.js'
import { type Once, unseenKeys } from './once.js'
import { type PageOptions, type PageRoutes, redirect, show } from './routing.js'
import { CHART_DAYS } from './usage-chart.js'

/** Number of revoked and expired keys that the page shows. */
const MOST_ENDED = 20

/** Routes for the keys of a logged-in user: list them, create, show and revoke one. */
export function keyRoutes(
  { get, getAsUser, postAsUser }: PageRoutes,
  { store, baseUrl, known }: PageOptions,
  notices: Once<Notices>,
): void {
  const unseen = unseenKeys()
  const rowLimits = known?.rowLimits ?? new Map()

  /** Keys of the user, as many as a page shows: a user may have more from times without a limit. */
  async function holdingsOf({ email, organizations: own }: User, asked: unknown = 1): Promise<Holdings> {
    const [active, ended] = [
      { email, state: 'active' },
      { email, state: 'ended' },
    ] as const
    const activeCount = await countKeys(store, active)
    const pages = Math.max(1, Math.ceil(activeCount / MOST_KEYS))
    const page = Math.min(pages, /^[1-9]\d{0,5}$/.test(String(asked)) ? Number(asked) : 1)
    const [open, over, endedCount, organizations] = await Promise.all([
      listSomeKeys(store, active, { skip: (page - 1) * MOST_KEYS, most: MOST_KEYS }),
      listSomeKeys(store, ended, { most: MOST_ENDED }),
      countKeys(store, ended),
      listOrganizations(store, own),
    ])
    const usage = await readUsage(store, { keys: [...open, ...over].map(({ id }) => id), days: CHART_DAYS })
    const shown = { active: open, activeCount, page, pages, ended: over, endedCount }
    return { ...shown, usage, organizations, rowLimits, baseUrl, now: store.clock.now() }
  }

  /**
   * A key of this user. The key of another user is answered 404 too, so that its existence is not revealed.
   */
  async function ownKey(user: User, id: unknown): Promise<ApiKey> {
    const key = typeof id === 'string' ? await findKeyOf(store, user.email, id) : null
    if (!key) throw new PageError(404, 'You have no such key.')
    return key
  }

  /** The form, and the key to create, or null when there are problems. */
  async function readKey(form: URLSearchParams, user: User) {
    const { filled, wanted } = readKeyForm(form, user, store.clock.now(), known)
    const projects = wanted?.limits?.projects ?? []
    const refused = await refuseUnread(store, projects, wanted?.organizations ?? []).catch(problemOf)
    if (refused === undefined) return { filled, wanted }
    filled.limits.problems.projects = refused
    return { filled, wanted: null }
  }

  get('/', async (context, visit) => {
    if (visit.user === null) return show(context, loginPage(visit))
    const { revoked: id, page } = context.query
    const named = typeof id === 'string' ? await findKeyOf(store, visit.user.email, id) : null
    const revoked = named && named.revokedAt !== null ? { revoked: named } : {}
    show(
      context,
      keysPage(visit, await holdingsOf(visit.user, page), { ...revoked, ...notices.take(visit.token) }),
    )
  })

  postAsUser('/keys', async (context, visit, form) => {
    const { user, token } = visit
    const { filled, wanted } = await readKey(form, user)
    const sent = { token, once: form.get('once') ?? newToken() }
    const id =
      wanted &&
      (await unseen
        .make(sent, () => createKey(store, { ...wanted, user: user.email }))
        .catch(ifRefused(null)))
    if (id !== null) return redirect(context, `/keys/${id}/created`)
    const held = await holdingsOf(user)
    const isFull = wanted !== null && held.activeCount >= MOST_KEYS
    // The form was valid, so otherwise access to an organization has just been revoked.
    if (wanted && !isFull) filled.problems.organizations = NOT_READ
    show(context, keysPage(visit, held, { filled, ...(isFull ? { isFull } : {}) }), 422)
  })

  getAsUser('/keys/:id/created', async (context, visit) => {
    const known = await ownKey(visit.user, context.params.id)
    const key = unseen.take(visit.token, known.id)
    show(context, key ? createdPage(visit, key, baseUrl) : notShownPage(visit, known))
  })

  getAsUser('/keys/:id/revoke', async (context, visit) => {
    const key = await ownKey(visit.user, context.params.id)
    if (hasEnded(key, store.clock.now())) redirect(context, '/')
    else show(context, revokePage(visit, key))
  })

  postAsUser('/keys/:id/revoke', async (context, visit) => {
    const { id } = await ownKey(visit.user, context.params.id)
    await revokeKey(store, id)
    redirect(context, `/?revoked=${id}`)
  })
}

/** The words about a field that was refused. */
function problemOf(cause: unknown): string {
  if (cause instanceof Refusal) return `${cause.message}.`
  throw cause
}
