import { type Kysely, sql } from 'kysely'
import { EMBEDDED } from '../database/dialect.js'
import type { StoreSchema } from '../database/schema.js'
import type { Store } from '../database/store.js'
import { USAGE_OF } from '../database/usage-tables.js'
import { inBatches } from './chores.js'
import { KEYS_PER_TRANSACTION, lockKeys, removeUnused } from './ended-keys.js'
import { addUsage, lastDays, sumOf, usageId } from './usage.js'

/** With fifteen columns per row, few enough for one statement; the embedded store blocks the process meanwhile. */
const ROWS_PER_TRANSACTION = 200
/** The day after every day of a month, as text. */
const AFTER_DAYS = '-32'

/** How long usage is kept. */
export interface UsageRetention {
  /** Days that stay as they are, today included. Older ones become months. */
  days: number
  /** Months that are kept before the current one. */
  months: number
}

/**
 * Adds the usage of old days to that of their months, and removes that of older months with the forgotten
 * keys that have no other. Several servers may do so at once, while usage is written: each transaction moves
 * some rows, whole or not at all.
 */
export async function retainUsage(
  store: Store,
  { days, months }: UsageRetention,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const now = store.clock.now()
  const [firstDay = ''] = lastDays(days, now)
  const oldest = monthBefore(now, months)
  await inBatches(KEYS_PER_TRANSACTION, () => removeSome(store, oldest), signal)
  // Month by month: the rows of months lie between those of days, and are not to be read again every hour.
  for (let before = months; before >= 0; before--) {
    const month = monthBefore(now, before)
    if (month > firstDay) return
    await inBatches(ROWS_PER_TRANSACTION, () => rollUpSome(store, { month, firstDay }), signal)
  }
}

/** Moves some days of a month that are before `firstDay`. Returns the number of rows. */
async function rollUpSome(
  store: Store,
  { month, firstDay }: { month: string; firstDay: string },
): Promise<number> {
  return store.db.transaction().execute(async db => {
    const moved = await takeRows(
      { db, dialect: store.dialect },
      { after: month, before: min(firstDay, month + AFTER_DAYS), most: ROWS_PER_TRANSACTION },
    )
    const sums = new Map<string, StoreSchema['usage']>()
    for (const row of moved.map(each => ({ ...each, day: month }))) {
      const id = usageId(row)
      const sum = sums.get(id)
      sums.set(id, sum ? sumOf(sum, row) : row)
    }
    // In one order, since another server may write the same sums.
    const sorted = [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
    if (sorted.length > 0) await addUsage(db, sorted)
    return moved.length
  })
}

/** Removes some usage of the time before a month, and the forgotten keys that have no other. */
async function removeSome(store: Store, month: string): Promise<number> {
  return store.db.transaction().execute(async db => {
    const within = { db, dialect: store.dialect }
    const removed = await takeRows(within, { after: '', before: month, most: KEYS_PER_TRANSACTION })
    const lastUse = new Map<string, number>()
    for (const { key_id, last_at } of removed)
      lastUse.set(key_id, Math.max(last_at, lastUse.get(key_id) ?? 0))
    const ids = [...lastUse.keys()].sort()
    if (ids.length === 0) return 0
    await lockKeys(within, ids)
    await removeUnused(within, ids)
    for (const id of ids) await keepLastUse(db, id, lastUse.get(id) ?? 0)
    return removed.length
  })
}

/** Keeps the last use of a key that has no usage any more. */
async function keepLastUse(db: Kysely<StoreSchema>, id: string, at: number): Promise<void> {
  await db
    .updateTable('keys')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where(is => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', at)]))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('usage').select('day').whereRef('usage.key_id', '=', 'keys.id'))),
    )
    .execute()
}

/**
 * Deletes and returns some rows of a span of days, earliest first. Rows that another process is writing are left for the
 * next time: waiting for them could block both for good.
 */
async function takeRows(
  { db, dialect }: Pick<Store, 'db' | 'dialect'>,
  { after, before, most }: { after: string; before: string; most: number },
): Promise<StoreSchema['usage'][]> {
  const some = db
    .selectFrom('usage')
    .select([...USAGE_OF])
    .where('day', '>', after)
    .where('day', '<', before)
    .orderBy('day')
    .orderBy('key_id')
    .limit(most)
    .$if(dialect !== EMBEDDED, rows => rows.forUpdate().skipLocked())
  const rows = await db
    .deleteFrom('usage')
    .where(sql<boolean>`(${sql.join(USAGE_OF.map(name => sql.ref(name)))}) in (${some})`)
    .returningAll()
    .execute()
  return rows
}

/** Returns the month that is `count` months before that of an instant, as `YYYY-MM` in UTC. */
function monthBefore(now: number, count: number): string {
  const at = new Date(now)
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - count)).toISOString().slice(0, 7)
}

function min(one: string, other: string): string {
  return one < other ? one : other
}
