import {
  ifRefused,
  listOrganizations,
  NOT_READ,
  newToken,
  PageError,
  type PageOptions,
  type PageRoutes,
  Refusal,
  redirect,
  show,
  type User,
  type UserVisit,
  unseenKeys,
} from 'foldgate-server/parts'
import type { Context } from 'koa'
import { countDropped } from '../outbox/bounds.js'
import { listDeliveries } from '../outbox/deliveries.js'
import { WEBHOOK_ALLOW_SETTING } from '../settings.js'
import { enableWebhook } from '../switch.js'
import {
  type CreatedWebhook,
  createWebhook,
  listWebhooks,
  MOST_WEBHOOKS,
  removeWebhook,
  testWebhook,
  type Webhook,
} from '../webhooks.js'
import { deliveriesPage, MOST_SHOWN } from './deliveries.js'
import { readWebhookForm } from './form.js'
import { removeWebhookPage, secretNotShownPage, webhookCreatedPage, webhooksPage } from './webhooks.js'

/**
 * Routes for the webhooks of a logged-in user: list them and their deliveries, create, try and remove one.
 */
export function webhookRoutes(
  { getAsUser, postAsUser }: PageRoutes,
  { store, words, read }: PageOptions,
): void {
  const allowed = read?.(WEBHOOK_ALLOW_SETTING) ?? []
  const unseen = unseenKeys<CreatedWebhook>()

  async function holdingsOf(user: User) {
    const [webhooks, organizations] = await Promise.all([
      listWebhooks(store, user.email),
      listOrganizations(store, user.organizations),
    ])
    return { webhooks, organizations }
  }

  /**
   * A webhook of this user. That of another user is answered 404 too, so that its existence is not revealed.
   */
  async function ownWebhook(user: User, id: unknown): Promise<Webhook> {
    const webhook = (await listWebhooks(store, user.email)).find(each => each.id === id)
    if (!webhook) throw new PageError(404, 'You have no such webhook.')
    return webhook
  }

  async function showDeliveries(context: Context, visit: UserVisit, refused?: string): Promise<void> {
    const webhook = await ownWebhook(visit.user, context.params.id)
    const [deliveries, dropped] = await Promise.all([
      listDeliveries(store, webhook.id, MOST_SHOWN),
      countDropped(store, webhook.id),
    ])
    show(
      context,
      deliveriesPage(visit, { webhook, deliveries, dropped }, refused),
      refused === undefined ? 200 : 422,
    )
  }

  getAsUser('/webhooks', async (context, visit) => {
    const hasRemoved = context.query.removed === 'yes'
    show(context, webhooksPage(visit, await holdingsOf(visit.user), words, hasRemoved ? { hasRemoved } : {}))
  })

  postAsUser('/webhooks', async (context, visit, form) => {
    const { user, token } = visit
    const { filled, wanted } = readWebhookForm(form, user, { allowed, words })
    const sent = { token, once: form.get('once') ?? newToken() }
    const id =
      wanted &&
      (await unseen
        .make(sent, () => createWebhook(store, { ...wanted, user: user.email }))
        .catch(ifRefused(null)))
    if (id !== null) return redirect(context, `/webhooks/${id}/created`)
    const held = await holdingsOf(user)
    const isFull = wanted !== null && held.webhooks.length >= MOST_WEBHOOKS
    // The form was valid, so otherwise access to an organization has just been revoked.
    if (wanted && !isFull) filled.problems.organizations = NOT_READ
    show(context, webhooksPage(visit, held, words, { filled, ...(isFull ? { isFull } : {}) }), 422)
  })

  getAsUser('/webhooks/:id', (context, visit) => showDeliveries(context, visit))

  getAsUser('/webhooks/:id/created', async (context, visit) => {
    const known = await ownWebhook(visit.user, context.params.id)
    const webhook = unseen.take(visit.token, known.id)
    show(context, webhook ? webhookCreatedPage(visit, webhook) : secretNotShownPage(visit, known))
  })

  postAsUser('/webhooks/:id/test', async (context, visit) => {
    const { id } = await ownWebhook(visit.user, context.params.id)
    try {
      await testWebhook(store, id)
      redirect(context, `/webhooks/${id}`)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      await showDeliveries(context, visit, error.message)
    }
  })

  postAsUser('/webhooks/:id/enable', async (context, visit) => {
    const { id } = await ownWebhook(visit.user, context.params.id)
    await enableWebhook(store, id)
    redirect(context, `/webhooks/${id}`)
  })

  getAsUser('/webhooks/:id/remove', async (context, visit) => {
    show(context, removeWebhookPage(visit, await ownWebhook(visit.user, context.params.id)))
  })

  postAsUser('/webhooks/:id/remove', async (context, visit) => {
    const { id } = await ownWebhook(visit.user, context.params.id)
    await removeWebhook(store, id)
    redirect(context, '/webhooks?removed=yes')
  })
}
