import { randomUUID } from 'node:crypto'
import { formatInstant, type ServerWords, type Store, type StoreEvent } from 'foldgate-server/parts'
import { dbOf } from '../tables.js'
import { boundPending } from './bounds.js'

/** The types of events that a webhook can receive. */
export const WEBHOOK_EVENTS = ['snapshot.sealed', 'assessment.completed', 'key.revoked'] as const

/** Type of an event. */
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** Sent to any webhook on request, so that its owner can try their receiver. */
export const TEST_EVENT = 'webhook.test'

const REVOKED = ['key.revoked', 'One of your keys is revoked'] as const
const OF_ASSESSMENTS = new Map<WebhookEvent, string>([
  ['snapshot.sealed', 'New numbers of a project can be read'],
  ['assessment.completed', 'An assessment of a project is completed'],
  REVOKED,
])
const OF_DATA = new Map<WebhookEvent, string>([
  ['snapshot.sealed', 'New data of a project can be read'],
  REVOKED,
])

/** The events that webhooks receive, each with what it is for users; without assessments, it is about data. */
export function eventsOf({ hasAssessments }: ServerWords): ReadonlyMap<WebhookEvent, string> {
  return hasAssessments ? OF_ASSESSMENTS : OF_DATA
}

/** Whether webhooks receive the events of a type. */
export function isWebhookEvent(type: string): type is WebhookEvent {
  return WEBHOOK_EVENTS.some(each => each === type)
}

const ROWS_PER_STATEMENT = 500

/**
 * Queues an event for the webhooks that receive it, each of which receives it once per subject. Call it in the
 * transaction of what happened, so that the event is queued if and only if that is committed. Beyond the maximum, the
 * oldest pending deliveries are dropped.
 */
export async function queueEvent(
  within: Store,
  { type: event, subject, at, concerns, data }: StoreEvent,
): Promise<void> {
  const organization = 'organization' in concerns ? concerns.organization : null
  const ids = await listening(within, event, concerns)
  const deliveries = ids.map(webhookId => deliveryOf({ webhookId, event, subject, organization, at, data }))
  for (let first = 0; first < deliveries.length; first += ROWS_PER_STATEMENT) {
    await dbOf(within)
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

/** The webhooks of a user, or those for an organization whose owners read it now. */
async function listening(within: Store, event: string, concerns: StoreEvent['concerns']): Promise<string[]> {
  const all = dbOf(within)
    .selectFrom('webhooks')
    .innerJoin('webhook_events', 'webhook_events.webhook_id', 'webhooks.id')
    .select('webhooks.id')
    .where('webhook_events.event', '=', event)
    .where('removed_at', 'is', null)
    .where('disabled_at', 'is', null)
    .where('webhooks.user_id', 'not in', within.db.selectFrom('suspended_users').select('user_id'))
  if ('operator' in concerns) return []
  const rows =
    'userId' in concerns
      ? all.where('webhooks.user_id', '=', concerns.userId)
      : all
          .innerJoin('webhook_organizations', 'webhook_organizations.webhook_id', 'webhooks.id')
          .innerJoin('memberships', join =>
            join
              .onRef('memberships.user_id', '=', 'webhooks.user_id')
              .onRef('memberships.organization_key', '=', 'webhook_organizations.organization_key'),
          )
          .where('webhook_organizations.organization_key', '=', concerns.organization)
  return (await rows.execute()).map(({ id }) => id)
}
