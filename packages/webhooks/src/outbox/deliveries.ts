import type { Store } from 'foldgate-server/parts'
import { type DeliveryState, dbOf } from '../tables.js'

/** How long a claim lasts, after which another server may claim the delivery; an attempt takes much less. */
const LEASE_MS = 60_000
/** Concurrent deliveries of one user. */
const MOST_OF_USER = 5
/** Number of webhooks with due deliveries that are ordered and shared out among their users. */
const MOST_ORDERED = 500

/** A delivery as listed. Instants are epoch milliseconds. */
export interface Delivery {
  id: string
  event: string
  createdAt: number
  state: DeliveryState
  attempts: number
  /** When a pending one is sent next. */
  nextAt: number | null
  endedAt: number | null
  /** HTTP status of the last answer. */
  status: number | null
  /** The outcome of the last attempt, in words. */
  outcome: string | null
}

/** A delivery that this server may send now. */
export interface Claimed {
  id: string
  webhookId: string
  /** Id of the owner of the webhook. */
  userId: string
  event: string
  /** Number of attempts, including this one. */
  attempts: number
  claimedAt: number
  body: string
}

/** Where a delivery goes. */
export interface Receiver {
  url: string
  secret: string
  /** Since when every attempt has failed; null when the last one succeeded. */
  failingSince?: number | null
}

/**
 * Claims deliveries that are due, at most one per webhook and none of the `busy` webhooks. Those
 * due longest come first, and after them those of the webhooks in `again`, in that order. A user
 * has at most five at once, including those that `inHand` counts by user. Other servers leave a
 * claimed delivery alone for a minute.
 */
export async function claimDeliveries(
  store: Store,
  given: {
    busy: readonly string[]
    again?: readonly string[]
    inHand: ReadonlyMap<string, number>
    most: number
  },
): Promise<Claimed[]> {
  const { busy, again = [], most } = given
  const now = store.clock.now()
  const isDue = dbOf(store)
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('state', '=', 'pending')
    .where('next_at', '<=', now)
    .limit(1)
  if (!(await isDue.executeTakeFirst())) return []
  // The first of each webhook by its index: there may be many that are due, and this runs often.
  const due = await dbOf(store)
    .selectFrom('webhooks')
    .innerJoin('webhook_deliveries', join =>
      join.on('webhook_deliveries.id', '=', inner =>
        inner
          .selectFrom('webhook_deliveries as first')
          .select('first.id')
          .whereRef('first.webhook_id', '=', 'webhooks.id')
          .where('first.state', '=', 'pending')
          .where('first.next_at', '<=', now)
          .orderBy('first.next_at')
          .limit(1),
      ),
    )
    .select(['webhook_deliveries.id', 'webhook_id', 'user_id', 'event', 'attempts', 'next_at', 'body'])
    .$if(busy.length > 0, query => query.where('webhooks.id', 'not in', busy))
    .orderBy('next_at')
    .limit(Math.max(most, MOST_ORDERED))
    .execute()
  const places = new Map(again.map((webhookId, place) => [webhookId, place]))
  due.sort((one, other) => (places.get(one.webhook_id) ?? -1) - (places.get(other.webhook_id) ?? -1))
  const claimed: Claimed[] = []
  const inHand = new Map(given.inHand)
  for (const { id, webhook_id: webhookId, user_id: userId, event, attempts, next_at, body } of due) {
    if (claimed.length >= most) break
    const ofUser = inHand.get(userId) ?? 0
    if (ofUser >= MOST_OF_USER) continue
    inHand.set(userId, ofUser + 1)
    // Of several servers, only one finds the row as it was read.
    const { numUpdatedRows } = await dbOf(store)
      .updateTable('webhook_deliveries')
      .set({ claimed_at: now, next_at: now + LEASE_MS, attempts: attempts + 1 })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .where('next_at', '=', next_at)
      .executeTakeFirst()
    if (numUpdatedRows > 0n)
      claimed.push({ id, webhookId, userId, event, attempts: attempts + 1, claimedAt: now, body })
  }
  return claimed
}

/**
 * Returns where a delivery goes, or why it may not be sent any more: its webhook is removed or its receiver
 * gone, or the owner is suspended or no longer reads the organization.
 */
export async function receiverOf(store: Store, { id }: Claimed): Promise<Receiver | string> {
  const row = await dbOf(store)
    .selectFrom('webhook_deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
    .leftJoin('memberships', join =>
      join
        .onRef('memberships.user_id', '=', 'webhooks.user_id')
        .onRef('memberships.organization_key', '=', 'webhook_deliveries.organization_key'),
    )
    .leftJoin('suspended_users', 'suspended_users.user_id', 'webhooks.user_id')
    .select(['url', 'secret', 'removed_at', 'disabled_at', 'failing_since', 'suspended_at'])
    .select(['webhook_deliveries.organization_key as of', 'memberships.organization_key as read'])
    .where('webhook_deliveries.id', '=', id)
    .executeTakeFirst()
  if (!row || row.removed_at !== null) return 'the webhook was removed'
  if (row.disabled_at !== null) return 'the webhook is switched off'
  if (row.suspended_at !== null) return 'the owner is suspended'
  if (row.of !== null && row.read === null) return 'the owner no longer reads the organization'
  return { url: row.url, secret: row.secret, failingSince: row.failing_since }
}

/** Ends a claimed delivery. */
export async function endDelivery(
  store: Store,
  claimed: Claimed,
  end: { state: Exclude<DeliveryState, 'pending'>; status: number | null; outcome: string },
): Promise<void> {
  const ended = { ...end, next_at: null, claimed_at: null, ended_at: store.clock.now() }
  await own(store, claimed).set(ended).execute()
}

/** Schedules the next attempt of a claimed delivery after one that failed. */
export async function postponeDelivery(
  store: Store,
  claimed: Claimed,
  { afterMs, ...last }: { afterMs: number; status: number | null; outcome: string },
): Promise<void> {
  await own(store, claimed)
    .set({ ...last, next_at: store.clock.now() + afterMs, claimed_at: null })
    .execute()
}

/** Makes a claimed delivery due again, as if it had not been claimed, because its attempt was aborted. */
export async function releaseDelivery(store: Store, claimed: Claimed): Promise<void> {
  await own(store, claimed)
    .set({ next_at: store.clock.now(), claimed_at: null, attempts: claimed.attempts - 1 })
    .execute()
}

/**
 * Makes all claimed deliveries due. Only for a store that no other server uses: the servers that claimed them have
 * ended.
 */
export async function releaseAll(store: Store): Promise<void> {
  const due = { next_at: store.clock.now(), claimed_at: null }
  await dbOf(store).updateTable('webhook_deliveries').set(due).where('claimed_at', 'is not', null).execute()
}

/** Lists the newest deliveries of a webhook, newest first. */
export async function listDeliveries(store: Store, webhookId: string, most: number): Promise<Delivery[]> {
  const rows = await dbOf(store)
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()
  return rows.map(({ id, event, created_at, state, attempts, next_at, ended_at, status, outcome }) => {
    const instants = { createdAt: created_at, nextAt: next_at, endedAt: ended_at }
    return { id, event, state, attempts, status, outcome, ...instants }
  })
}

/** The number of pending deliveries, and when the oldest of them was queued. */
export async function pendingDeliveries(store: Store): Promise<{ count: number; oldestAt: number | null }> {
  return dbOf(store)
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.min<number | null>('created_at').as('oldestAt'),
    ])
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
}

/** Changes a delivery while this server has the claim. */
function own(store: Store, { id, claimedAt }: Claimed) {
  return dbOf(store)
    .updateTable('webhook_deliveries')
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('claimed_at', '=', claimedAt)
}
