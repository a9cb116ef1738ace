import type { QuotaPort } from 'foldgate'
import { type RawBuilder, sql } from 'kysely'
import type { Store } from './store.js'

/**
 * Quota that several servers keep together: every unit is taken in the store, by one statement and by the clock of the
 * store, so the calls of all of them never pass it. A unit is taken for good, also when its server dies before it answers.
 */
export function sharedQuota(
  store: Store,
  { calls, windowMs }: { calls: number; windowMs: number },
  clock: () => RawBuilder<number>,
): QuotaPort {
  async function takeUnit(keyId: string) {
    // What would be inserted carries the time, which is thus the same wherever the statement needs it. A clock that steps
    // back by less than a window is that of a call which was overtaken on its way.
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
