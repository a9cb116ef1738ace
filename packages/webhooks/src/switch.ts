import type { Store } from 'foldgate-server/parts'
import { dbOf } from './tables.js'
import { cancelDeliveries, requireWebhook, type Webhook } from './webhooks.js'

/** A webhook that has failed for this long is switched off. */
const MOST_FAILING_MS = 86_400_000

/** Switches a webhook off whose receiver is gone, and cancels its pending deliveries. */
export async function disableWebhook(store: Store, id: string): Promise<void> {
  await store.transaction(async within => {
    await dbOf(within)
      .updateTable('webhooks')
      .set({ disabled_at: store.clock.now() })
      .where('id', '=', id)
      .where('disabled_at', 'is', null)
      .execute()
    await cancelDeliveries(within, id, 'the receiver is gone')
  })
}

/**
 * Records that an attempt to send to a webhook has failed. When all attempts of a day have failed, switches
 * the webhook off, cancels its pending deliveries, and returns true.
 */
export async function noteFailure(store: Store, id: string, outcome: string): Promise<boolean> {
  return store.transaction(async within => {
    const now = store.clock.now()
    const webhook = dbOf(within).updateTable('webhooks').where('id', '=', id).where('disabled_at', 'is', null)
    await webhook.set({ failing_since: now }).where('failing_since', 'is', null).execute()
    const disabled = await webhook
      .set({
        disabled_at: now,
        disabled_for: `all deliveries of a day failed, the last one because: ${outcome}`,
      })
      .where('failing_since', '<=', now - MOST_FAILING_MS)
      .executeTakeFirst()
    if (disabled.numUpdatedRows === 0n) return false
    await cancelDeliveries(within, id, 'the webhook was switched off')
    return true
  })
}

/** Records that a delivery to a webhook has succeeded after others had failed. */
export async function noteSuccess(store: Store, id: string): Promise<void> {
  await dbOf(store).updateTable('webhooks').set({ failing_since: null }).where('id', '=', id).execute()
}

/** Switches a webhook on again; no effect on one that is on. Throws a Refusal when it is unknown. */
export async function enableWebhook(store: Store, id: string): Promise<Webhook> {
  return store.transaction(async within => {
    const webhook = await requireWebhook(within, id)
    await dbOf(within)
      .updateTable('webhooks')
      .set({ disabled_at: null, disabled_for: null, failing_since: null })
      .where('id', '=', webhook.id)
      .execute()
    return requireWebhook(within, webhook.id)
  })
}
