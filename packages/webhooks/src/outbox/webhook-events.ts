import { randomUUID } from 'node:crypto'
import type { Store } from '../database/store.js'
import { formatInstant } from '../input/instants.js'
import { boundPending } from './bounds.js'

/** The types of events that a webhook can receive. */
export const WEBHOOK_EVENTS = ['snapshot.sealed', 'assessment.completed', 'key.revoked'] as const

/** Type of an event. */
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** Sent to any webhook on request, so that its owner can try their receiver. */
export const TEST_EVENT = 'webhook.test'

/** Something that happened. */
interface Happened {
  event: WebhookEvent
  /** Id of what it happened to: a webhook receives each event once per subject. */
  subject: string
  /** Epoch milliseconds. */
  at: number
  data: object
}

const ROWS_PER_STATEMENT = 500

/** Whom an event concerns: the readers of an organization, or a single user. */
type Concerned = { organization: string } | { userId: string }

/**
 * Queues an event for the webhooks that receive it. Call it in the transaction of what happened,
 * so that the event is queued if and only if that is committed. Beyond the maximum, the oldest
 * pending deliveries are dropped.
 */
export async function queueEvent(within: Store, happened: Happened & Concerned): Promise<void> {
  const { event, subject, at, data } = happened
  const ids = 'organization' in happened ? await readers(within, happened) : await ownedBy(within, happened)
  const organization = 'organization' in happened ? happened.organization : null
  const deliveries = ids.map(webhookId => deliveryOf({ webhookId, event, subject, organization, at, data }))
  for (let first = 0; first < deliveries.length; first += ROWS_PER_STATEMENT) {
    await within.db
      .insertInto('webhook_deliveries')
      .values(deliveries.slice(first, first + ROWS_PER_STATEMENT))
      .onConflict(conflict => conflict.columns(['webhook_id', 'event', 'subject']).doNothing())
      .execute()
    await boundPending(within, ids.slice(first, first + ROWS_PER_STATEMENT))
  }
}

/** A row for the table of deliveries, due immediately. */
export function deliveryOf(given: {
  webhookId: string
  event: string
  subject: string
  organization: string | null
  at: number
  data: object
}) {
  const { webhookId, event, subject, organization, at, data } = given
  return {
    id: `msg_${randomUUID()}`,
    webhook_id: webhookId,
    event,
    subject,
    organization_key: organization,
    body: JSON.stringify({ type: event, timestamp: formatInstant(at), data }),
    created_at: at,
    state: 'pending' as const,
    attempts: 0,
    next_at: at,
  }
}

/** Webhooks for an organization whose owners read it now. */
async function readers(within: Store, given: { event: string; organization: string }): Promise<string[]> {
  const rows = await listening(within, given.event)
    .innerJoin('webhook_organizations', 'webhook_organizations.webhook_id', 'webhooks.id')
    .innerJoin('memberships', join =>
      join
        .onRef('memberships.user_id', '=', 'webhooks.user_id')
        .onRef('memberships.organization_key', '=', 'webhook_organizations.organization_key'),
    )
    .where('webhook_organizations.organization_key', '=', given.organization)
    .execute()
  return rows.map(({ id }) => id)
}

async function ownedBy(within: Store, given: { event: string; userId: string }): Promise<string[]> {
  const rows = await listening(within, given.event).where('webhooks.user_id', '=', given.userId).execute()
  return rows.map(({ id }) => id)
}

function listening(within: Store, event: string) {
  return within.db
    .selectFrom('webhooks')
    .innerJoin('webhook_events', 'webhook_events.webhook_id', 'webhooks.id')
    .select('webhooks.id')
    .where('webhook_events.event', '=', event)
    .where('removed_at', 'is', null)
    .where('disabled_at', 'is', null)
    .where('webhooks.user_id', 'not in', within.db.selectFrom('suspended_users').select('user_id'))
}
