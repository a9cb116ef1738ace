import type { Store } from 'foldgate-server/parts'
import { dbOf } from '../tables.js'

/** Maximum number of pending deliveries: per webhook, per user over all webhooks, and per host. */
export const MOST_PENDING = { webhook: 500, user: 1_000, host: 2_000 }

/** The outcome of a dropped delivery, for the owner of its webhook. */
const DROPPED = 'too many deliveries were pending, so the oldest were dropped'

/** The number of pending deliveries of a webhook. */
interface Backlog {
  id: string
  userId: string
  url: string
  pending: number
}

/**
 * Drops the oldest pending deliveries of these webhooks, at most 500, and of other webhooks of
 * their owners, beyond the maximum. When a user has too many, the webhooks with the most
 * pending deliveries lose theirs first.
 */
export async function boundPending(within: Store, webhookIds: readonly string[]): Promise<void> {
  if (webhookIds.length === 0) return
  const owners = dbOf(within).selectFrom('webhooks').select('user_id').where('id', 'in', webhookIds)
  const rows = await waiting(within).where('webhooks.user_id', 'in', owners).execute()
  await drop(
    within,
    beyond(rows, ({ id }) => id, MOST_PENDING.webhook),
  )
  await drop(
    within,
    beyond(rows.map(cut), ({ userId }) => userId, MOST_PENDING.user),
  )
}

/** Drops the oldest pending deliveries to hosts that have too many, first of the webhooks with the most. */
export async function boundPendingOfHosts(store: Store): Promise<void> {
  const rows = await waiting(store).execute()
  const excess = beyond(rows, ({ url }) => new URL(url).hostname, MOST_PENDING.host)
  if (excess.size > 0) await store.transaction(within => drop(within, excess))
}

/** The number of deliveries of a webhook that were dropped in the last 30 days. */
export async function countDropped(store: Store, webhookId: string): Promise<number> {
  const { dropped } = await dbOf(store)
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => fn.countAll<number>().as('dropped'))
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'dropped')
    .executeTakeFirstOrThrow()
  return Number(dropped)
}

function waiting(store: Store) {
  return dbOf(store)
    .selectFrom('webhook_deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
    .select(['webhooks.id', 'webhooks.user_id as userId', 'url'])
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .where('state', '=', 'pending')
    .groupBy(['webhooks.id', 'webhooks.user_id', 'url'])
}

function cut(each: Backlog): Backlog {
  return { ...each, pending: Math.min(Number(each.pending), MOST_PENDING.webhook) }
}

/**
 * How many deliveries to drop per webhook so that each group keeps at most `most`;
 * the longest queues shrink first.
 */
function beyond(
  rows: readonly Backlog[],
  groupOf: (each: Backlog) => string,
  most: number,
): Map<string, number> {
  const excess = new Map<string, number>()
  for (const group of grouped(rows, groupOf)) {
    let left = most
    const ascending = group.toSorted((one, other) => Number(one.pending) - Number(other.pending))
    for (const [at, { id, pending }] of ascending.entries()) {
      const share = Math.min(Number(pending), Math.floor(left / (ascending.length - at)))
      left -= share
      if (share < Number(pending)) excess.set(id, Number(pending) - share)
    }
  }
  return excess
}

function grouped(rows: readonly Backlog[], groupOf: (each: Backlog) => string): Iterable<Backlog[]> {
  const groups = new Map<string, Backlog[]>()
  for (const each of rows) groups.set(groupOf(each), [...(groups.get(groupOf(each)) ?? []), each])
  return groups.values()
}

async function drop(within: Store, excess: ReadonlyMap<string, number>): Promise<void> {
  for (const [webhookId, count] of excess) {
    const oldest = dbOf(within)
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', webhookId)
      .where('state', '=', 'pending')
      .where('claimed_at', 'is', null) // is being sent
      .orderBy('created_at')
      .orderBy('id')
      .limit(count)
    await dbOf(within)
      .updateTable('webhook_deliveries')
      .set({ state: 'dropped', outcome: DROPPED, next_at: null, ended_at: within.clock.now() })
      .where('id', 'in', oldest)
      .execute()
  }
}
