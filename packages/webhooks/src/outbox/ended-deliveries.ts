import { inBatches, type Store } from 'foldgate-server/parts'
import { dbOf } from '../tables.js'

/** Deliveries that have ended are kept this long. */
const KEPT_MS = 30 * 86_400_000
/** Deliveries, or webhooks, that are removed in one transaction. */
const MOST_FORGOTTEN = 500

/** Forgets deliveries that ended more than 30 days ago, and removed webhooks without any. */
export async function forgetDeliveries(
  store: Store,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  await inBatches(MOST_FORGOTTEN, () => forgetEnded(store), signal)
  await inBatches(MOST_FORGOTTEN, () => forgetWebhooks(store), signal)
}

async function forgetEnded(store: Store): Promise<number> {
  const db = dbOf(store)
  const ended = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('ended_at', '<=', store.clock.now() - KEPT_MS)
    .limit(MOST_FORGOTTEN)
  const { numDeletedRows } = await db
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', ended)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

function forgetWebhooks(store: Store): Promise<number> {
  return store.transaction(async within => {
    const db = dbOf(within)
    const removed = await db
      .selectFrom('webhooks')
      .select('id')
      .where('removed_at', 'is not', null)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('webhook_deliveries').select('id').whereRef('webhook_id', '=', 'webhooks.id'))),
      )
      .limit(MOST_FORGOTTEN)
      .execute()
    for (const { id } of removed) {
      await db.deleteFrom('webhook_organizations').where('webhook_id', '=', id).execute()
      await db.deleteFrom('webhook_events').where('webhook_id', '=', id).execute()
      await db.deleteFrom('webhooks').where('id', '=', id).execute()
    }
    return removed.length
  })
}
