import { randomBytes, randomUUID } from 'node:crypto'
import { type Going, GRANT, quoted, Refusal, requireReader, type Store } from 'foldgate-server/parts'
import { deliveryOf, TEST_EVENT, WEBHOOK_EVENTS, type WebhookEvent } from './outbox/webhook-events.js'
import { dbOf } from './tables.js'

/** Prefix of signing secrets in Standard Webhooks. */
const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
/** Number of webhooks that a user may have. */
export const MOST_WEBHOOKS = 10

/** Why a webhook was switched off after a single answer. */
const GONE = 'its receiver answered 410'

/** A webhook as stored, without its secret. Instants are epoch milliseconds. */
export interface Webhook {
  id: string
  /** E-mail address of the owner. */
  user: string
  url: string
  /** The types of events that it receives. */
  events: string[]
  /** The organizations that were chosen when it was created. */
  organizations: string[]
  /**
   * The organizations of these that its owner reads now: it receives only their events. None while the owner is
   * suspended.
   */
  reads: string[]
  createdAt: number
  /** When it was switched off. */
  disabledAt: number | null
  /** Why it was switched off, in words; null while it is on. */
  disabledFor: string | null
}

/** A new webhook, with the secret that its receiver needs. */
export interface CreatedWebhook extends Webhook {
  secret: string
}

/** Returns the type of event that has this name among these types. Throws a Refusal when there is none. */
export function checkWebhookEvent(text: string, known: readonly WebhookEvent[]): WebhookEvent {
  const event = known.find(each => each === text)
  if (event) return event
  throw new Refusal(`There is no event ${quoted(text)}: choose from ${known.join(', ')}`)
}

/**
 * Creates a webhook for organizations that its owner reads now; `url` is one that `checkReceiver` has
 * accepted. Throws a Refusal when the owner is unknown, does not read an organization or has ten webhooks.
 */
export async function createWebhook(
  store: Store,
  wanted: { user: string; url: string; organizations: readonly string[]; events?: readonly WebhookEvent[] },
): Promise<CreatedWebhook> {
  const id = randomUUID()
  const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
  const events = [...new Set(wanted.events ?? WEBHOOK_EVENTS)]
  return store.transaction(async within => {
    const asked = { address: wanted.user, organizations: wanted.organizations }
    const { user: owner, organizations } = await requireReader(within, asked, GRANT)
    if ((await listWebhooks(within, owner.email)).length >= MOST_WEBHOOKS)
      throw new Refusal(
        `${owner.email} has ${MOST_WEBHOOKS} webhooks, and can have no more: remove one first`,
      )
    await dbOf(within)
      .insertInto('webhooks')
      .values({ id, user_id: owner.id, url: wanted.url, secret, created_at: store.clock.now() })
      .execute()
    await dbOf(within)
      .insertInto('webhook_organizations')
      .values(organizations.map(each => ({ webhook_id: id, organization_key: each })))
      .execute()
    await dbOf(within)
      .insertInto('webhook_events')
      .values(events.map(event => ({ webhook_id: id, event })))
      .execute()
    return { ...(await requireWebhook(within, id)), secret }
  })
}

/** Lists all webhooks, or those of the user with this address, oldest first. */
export function listWebhooks(store: Store, email?: string): Promise<Webhook[]> {
  return readWebhooks(store, email === undefined ? {} : { email })
}

/** Returns a webhook by id. Throws a Refusal when it is unknown. */
export async function requireWebhook(store: Store, id: string): Promise<Webhook> {
  const [webhook] = await readWebhooks(store, { id: id.toLowerCase() })
  if (!webhook)
    throw new Refusal(`There is no webhook with the id ${quoted(id)}: see "foldgate webhook list"`)
  return webhook
}

/**
 * Removes a webhook and its secret, and cancels its pending deliveries. Throws a Refusal when it is unknown.
 */
export async function removeWebhook(store: Store, id: string): Promise<Webhook> {
  return store.transaction(async within => {
    const webhook = await requireWebhook(within, id)
    await removeWebhooks(within, [webhook.id])
    return webhook
  })
}

/** Removes webhooks as {@link removeWebhook} does. */
export async function removeWebhooks(within: Store, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await dbOf(within)
      .updateTable('webhooks')
      .set({ secret: '', removed_at: within.clock.now() })
      .where('id', '=', id)
      .execute()
    await cancelDeliveries(within, id, 'the webhook was removed')
  }
}

/**
 * Queues a test event and returns the id of its delivery. Throws a Refusal when the webhook is unknown or
 * switched off, when a test is pending, and when its owner reads none of its organizations.
 */
export async function testWebhook(store: Store, id: string): Promise<string> {
  return store.transaction(async within => {
    const webhook = await requireWebhook(within, id)
    if (webhook.reads.length === 0)
      throw new Refusal(
        `${webhook.user} reads none of the organizations of the webhook ${webhook.id}, so nothing is sent to it: ask the ` +
          'administrator for access',
      )
    if (webhook.disabledAt !== null)
      throw new Refusal(`The webhook ${webhook.id} is switched off: switch it on again first`)
    const waiting = await dbOf(within)
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', webhook.id)
      .where('event', '=', TEST_EVENT)
      .where('state', '=', 'pending')
      .executeTakeFirst()
    if (waiting)
      throw new Refusal(`A test of the webhook ${webhook.id} is still being sent: wait for its outcome`)
    const test = { webhookId: webhook.id, event: TEST_EVENT, subject: randomUUID(), organization: null }
    const delivery = deliveryOf({ ...test, at: store.clock.now(), data: { webhookId: webhook.id } })
    await dbOf(within).insertInto('webhook_deliveries').values(delivery).execute()
    return delivery.id
  })
}

/** Cancels the pending deliveries of a webhook; `outcome` says why. */
export async function cancelDeliveries(within: Store, webhookId: string, outcome: string): Promise<void> {
  await dbOf(within)
    .updateTable('webhook_deliveries')
    .set({ state: 'cancelled', outcome, next_at: null, claimed_at: null, ended_at: within.clock.now() })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .execute()
}

async function readWebhooks(
  store: Store,
  { id, email }: { id?: string; email?: string },
): Promise<Webhook[]> {
  const rows = await dbOf(store)
    .selectFrom('webhooks')
    .innerJoin('users', 'users.id', 'webhooks.user_id')
    .innerJoin('webhook_organizations', 'webhook_organizations.webhook_id', 'webhooks.id')
    .leftJoin('suspended_users', 'suspended_users.user_id', 'webhooks.user_id')
    .leftJoin('memberships', join =>
      join
        .onRef('memberships.user_id', '=', 'webhooks.user_id')
        .onRef('memberships.organization_key', '=', 'webhook_organizations.organization_key'),
    )
    .select(['webhooks.id', 'users.email', 'url', 'webhooks.created_at', 'disabled_at', 'disabled_for'])
    .select(['webhook_organizations.organization_key as chosen', 'memberships.organization_key as read'])
    .select('suspended_at')
    .where('removed_at', 'is', null)
    .$if(id !== undefined, query => query.where('webhooks.id', '=', id ?? ''))
    .$if(email !== undefined, query => query.where('users.email', '=', email ?? ''))
    .orderBy('webhooks.created_at')
    .orderBy('webhooks.id')
    .orderBy('chosen')
    .execute()
  const webhooks = new Map<string, Webhook>()
  for (const row of rows) {
    const webhook = webhooks.get(row.id) ?? {
      id: row.id,
      user: row.email,
      url: row.url,
      events: [],
      organizations: [],
      reads: [],
      createdAt: row.created_at,
      disabledAt: row.disabled_at,
      disabledFor: row.disabled_at === null ? null : (row.disabled_for ?? GONE),
    }
    webhook.organizations.push(row.chosen)
    if (row.read !== null && row.suspended_at === null) webhook.reads.push(row.read)
    webhooks.set(row.id, webhook)
  }
  for (const { webhook_id, event } of await readEvents(store, [...webhooks.keys()]))
    webhooks.get(webhook_id)?.events.push(event)
  return [...webhooks.values()]
}

/** The events of all webhooks, or of one. */
async function readEvents(store: Store, ids: readonly string[]) {
  if (ids.length === 0) return [] // PostgreSQL does not accept an empty list
  const [only] = ids
  return dbOf(store)
    .selectFrom('webhook_events')
    .selectAll()
    .$if(ids.length === 1, query => query.where('webhook_id', '=', only ?? ''))
    .orderBy('event')
    .execute()
}

/** The webhooks of a user, or those that are for an organization and no other. */
export async function webhooksOf(store: Store, going: Going): Promise<string[]> {
  const db = dbOf(store)
  const all = db.selectFrom('webhooks').select('webhooks.id').where('removed_at', 'is', null)
  if ('user' in going) return idsIn(await all.where('user_id', '=', going.user).execute())
  if (!('organization' in going)) return []
  const { organization: key } = going
  const of = db.selectFrom('webhook_organizations').select('webhook_id')
  return idsIn(
    await all
      .where('webhooks.id', 'in', of.where('organization_key', '=', key))
      .where('webhooks.id', 'not in', of.where('organization_key', '<>', key))
      .execute(),
  )
}

function idsIn(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}
