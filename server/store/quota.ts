import { memoryQuota, type QuotaPort } from 'foldgate'
import type { Schema } from './schema.js'
import { sharedQuota } from './shared-quota.js'
import type { Store } from './store.js'
import { type Report, writeBehind } from './write-behind.js'

/**
 * Creates the quota port of a store: counted in the store when several servers may use it, and in memory when the store
 * is embedded and belongs to one server.
 */
export async function quotaPort(
  store: Store,
  quota: { calls: number; windowMs: number },
  report: Report,
): Promise<QuotaPort & { close(): Promise<void> }> {
  const { clock } = store.dialect
  return clock
    ? { ...sharedQuota(store, quota, () => clock), close: async () => {} }
    : storedQuota(store, quota, report)
}

/**
 * Quota that survives a restart: counted in memory, starting with the windows in the store, which are written behind. A
 * restart gives no key a new window; a server that is killed forgets the calls of its last second.
 */
export async function storedQuota(
  store: Store,
  quota: { calls: number; windowMs: number },
  report: Report,
): Promise<QuotaPort & { close(): Promise<void> }> {
  const windows = writeBehind<Schema['quota_windows']>(store, {
    what: 'the quota',
    report,
    write: saveWindows,
    merge: (_, newer) => newer,
  })
  const known = await store.db.selectFrom('quota_windows').selectAll().execute()
  const { take } = memoryQuota({
    ...quota,
    clock: store.clock,
    windows: known.map(row => [row.key_id, { startedAt: row.started_at, taken: row.taken }]),
    onTake(keyId, { startedAt, taken }) {
      windows.put(keyId, { key_id: keyId, started_at: startedAt, taken })
    },
  })
  return { take, close: () => windows.close() }
}

async function saveWindows({ db }: Store, windows: Schema['quota_windows'][]): Promise<void> {
  await db
    .insertInto('quota_windows')
    .values(windows)
    .onConflict(conflict =>
      conflict.column('key_id').doUpdateSet(build => ({
        started_at: build.ref('excluded.started_at'),
        taken: build.ref('excluded.taken'),
      })),
    )
    .execute()
}
