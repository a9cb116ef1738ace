import type { Store, StoreEvent } from 'foldgate-server/parts'
import { isWebhookEvent, queueEvent } from './outbox/webhook-events.js'
import { dbOf } from './tables.js'
import { cancelDeliveries, removeWebhooks, webhooksOf } from './webhooks.js'

/**
 * Queues an event that webhooks receive. When a user or an organization is removed, removes what belongs to them; when a
 * user is suspended, cancels what waits for them.
 */
export async function hear(within: Store, event: StoreEvent): Promise<void> {
  if (isWebhookEvent(event.type)) return queueEvent(within, event)
  if (event.type === 'user.suspended') return cancelFor(within, event.subject)
  if (event.type === 'user.removed') return removeUser(within, event.subject)
  if (event.type === 'organization.removed') return removeOrganization(within, event.subject)
}

async function cancelFor(within: Store, userId: string): Promise<void> {
  const webhooks = await dbOf(within)
    .selectFrom('webhooks')
    .select('id')
    .where('user_id', '=', userId)
    .execute()
  for (const { id } of webhooks) await cancelDeliveries(within, id, 'the owner is suspended')
}

async function removeUser(within: Store, userId: string): Promise<void> {
  const db = dbOf(within)
  const webhooks = () => db.selectFrom('webhooks').select('webhooks.id').where('user_id', '=', userId)
  for (const table of ['webhook_deliveries', 'webhook_events', 'webhook_organizations'] as const)
    await db.deleteFrom(table).where('webhook_id', 'in', webhooks()).execute()
  await db.deleteFrom('webhooks').where('user_id', '=', userId).execute()
}

/** Webhooks that are for no other organization end; what the others wait to be told of it is cancelled. */
async function removeOrganization(within: Store, key: string): Promise<void> {
  const db = dbOf(within)
  await removeWebhooks(within, await webhooksOf(within, { organization: key }))
  await db.deleteFrom('webhook_organizations').where('organization_key', '=', key).execute()
  const deliveries = () => db.updateTable('webhook_deliveries').where('organization_key', '=', key)
  const cancelled = { state: 'cancelled', outcome: 'the organization was removed', next_at: null } as const
  await deliveries()
    .set({ ...cancelled, claimed_at: null, ended_at: within.clock.now() })
    .where('state', '=', 'pending')
    .execute()
  await deliveries().set({ organization_key: null }).execute()
}
