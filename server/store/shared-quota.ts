import type { QuotaPort } from 'foldgate'
import { type RawBuilder, sql } from 'kysely'
import type { Store } from './store.js'

/**
 * A quota that several servers share. One statement takes each unit in the store, by the store's clock, so that their
 * calls together never exceed it. A unit is not refunded, even if its server dies before it answers.
 */
export function sharedQuota(
  store: Store,
  { calls, windowMs }: { calls: number; windowMs: number },
  clock: () => RawBuilder<number>,
): QuotaPort {
  async function takeUnit(keyId: string) {
    // `excluded` is the row to insert; its time is the same throughout the statement. A time less than one window
    // before the stored start belongs to a call that another call overtook, so it counts in the stored window.
    const isRunning = sql<boolean>`(
      excluded.started_at < quota_windows.started_at + ${sql.lit(windowMs)} and
      excluded.started_at > quota_windows.started_at - ${sql.lit(windowMs)})`
    return store.db
      .insertInto('quota_windows')
      .values({ key_id: keyId, started_at: clock(), taken: 1 })
      .onConflict(conflict =>
        conflict
          .column('key_id')
          .doUpdateSet({
            started_at: sql`case when ${isRunning} then quota_windows.started_at else excluded.started_at end`,
            taken: sql`case when ${isRunning} then quota_windows.taken + 1 else 1 end`,
          })
          .where(sql<boolean>`not (${isRunning} and quota_windows.taken >= ${sql.lit(calls)})`),
      )
      .returning(['started_at', 'taken', clock().as('now')])
      .executeTakeFirst()
  }

  return {
    async take(keyId) {
      const granted = await takeUnit(keyId)
      const window =
        granted ??
        (await store.db
          .selectFrom('quota_windows')
          .select(['started_at', clock().as('now')])
          .where('key_id', '=', keyId)
          .executeTakeFirstOrThrow())
      const resetMs = Math.min(windowMs, Math.max(0, window.started_at + windowMs - window.now))
      const remaining = granted ? Math.max(0, calls - granted.taken) : 0
      return { allowed: granted !== undefined, limit: calls, remaining, windowMs, resetMs }
    },
  }
}
