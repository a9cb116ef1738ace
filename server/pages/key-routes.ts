import { type ApiKey, createKey, listKeys, revokeKey } from '../store/keys.js'
import { listOrganizations } from '../store/organizations.js'
import { ifRefused } from '../store/refusal.js'
import { newToken } from '../store/sessions.js'
import { readUsage } from '../store/usage.js'
import type { User } from '../store/users.js'
import { CHART_DAYS } from './chart.js'
import { readKeyForm } from './create.js'
import { createdPage, notShownPage } from './created.js'
import { type Exchange, type PageOptions, redirect, show } from './exchange.js'
import { NOT_READ } from './fields.js'
import { PageError } from './form.js'
import { type Holdings, hasEnded, keysPage, type Notices } from './keys.js'
import { loginPage } from './login.js'
import type { Once } from './once.js'
import { revokePage } from './revoke.js'
import { unseenKeys } from './unseen.js'

/** Routes for the keys of a logged-in user: list them, create, show and revoke one. */
export function keyRoutes(
  { get, getAsUser, postAsUser }: Exchange,
  { store, baseUrl }: PageOptions,
  notices: Once<Notices>,
): void {
  const unseen = unseenKeys()

  async function holdingsOf(user: User): Promise<Holdings> {
    const [keys, usage, organizations] = await Promise.all([
      listKeys(store, user.email),
      readUsage(store, { userId: user.id, days: CHART_DAYS }),
      listOrganizations(store, user.organizations),
    ])
    return { keys, usage, organizations, baseUrl, now: store.clock.now() }
  }

  /** A key of this user. The key of another user is answered 404 too, so that its existence is not revealed. */
  async function ownKey(user: User, id: unknown): Promise<ApiKey> {
    const key = (await listKeys(store, user.email)).find(each => each.id === id)
    if (!key) throw new PageError(404, 'You have no such key.')
    return key
  }

  get('/', async (context, visit) => {
    if (visit.user === null) return show(context, loginPage(visit))
    const held = await holdingsOf(visit.user)
    const revoked = held.keys.find(({ id, revokedAt }) => revokedAt !== null && id === context.query.revoked)
    show(context, keysPage(visit, held, { ...(revoked ? { revoked } : {}), ...notices.take(visit.token) }))
  })

  postAsUser('/keys', async (context, visit, form) => {
    const { user, token } = visit
    const { filled, wanted } = readKeyForm(form, user, store.clock.now())
    const sent = { token, once: form.get('once') ?? newToken() }
    const id =
      wanted &&
      (await unseen.make(sent, () => createKey(store, { ...wanted, user: user.email })).catch(ifRefused(null)))
    if (id !== null) return redirect(context, `/keys/${id}/created`)
    // The form was valid, so the refusal can only mean that access to an organization has just been revoked.
    if (wanted) filled.problems.organizations = NOT_READ
    show(context, keysPage(visit, await holdingsOf(user), { filled }), 422)
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
