import { sql } from 'kysely'
import { EMBEDDED } from '../database/dialect.js'
import type { Store } from '../database/store.js'
import { inBatches } from './chores.js'
import { REMOVED_HASH } from './key-rows.js'

/** Keys that were revoked or have expired are kept this long. */
const KEPT_MS = 90 * 86_400_000
/** PostgreSQL tells servers of each of so many keys that it changed; of more, it tells that anything may have changed. */
export const KEYS_PER_TRANSACTION = 100

/**
 * Removes keys that were revoked or have expired more than 90 days ago. Of those that were used, the row
 * stays without hash and organizations, since it names their usage.
 */
export async function forgetKeys(
  store: Store,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  for (const end of ['revoked_at', 'expires_at'] as const)
    await inBatches(KEYS_PER_TRANSACTION, () => forgetSome(store, end), signal)
}

function forgetSome(store: Store, end: 'revoked_at' | 'expires_at'): Promise<number> {
  const now = store.clock.now()
  return store.transaction(async within => {
    const { db } = within
    const ended = await db
      .selectFrom('keys')
      .select('id')
      .where(end, '<=', now - KEPT_MS)
      .where('forgotten_at', 'is', null)
      .limit(KEYS_PER_TRANSACTION)
      .execute()
    const ids = ended.map(({ id }) => id)
    if (ids.length === 0) return 0
    await lockKeys(within, ids)
    await db.deleteFrom('key_organizations').where('key_id', 'in', ids).execute()
    await db
      .updateTable('keys')
      .set({ hash: sql<string>`${sql.lit(REMOVED_HASH)} || id`, limits: null, forgotten_at: now })
      .where('id', 'in', ids)
      .execute()
    await removeUnused(within, ids)
    return ids.length
  })
}

/** Removes the keys of these that are forgotten and have no usage any more. */
export async function removeUnused({ db }: Pick<Store, 'db'>, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom('keys')
    .where('id', 'in', ids)
    .where('forgotten_at', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('usage').select('day').whereRef('usage.key_id', '=', 'keys.id'))),
    )
    .execute()
}

/**
 * Locks keys until the transaction ends, in one order, since several transactions may lock the same ones.
 */
export async function lockKeys(
  { db, dialect }: Pick<Store, 'db' | 'dialect'>,
  ids: readonly string[],
): Promise<void> {
  if (dialect === EMBEDDED || ids.length === 0) return
  await db.selectFrom('keys').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
}
