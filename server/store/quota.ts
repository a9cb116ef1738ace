import { memoryQuota, type QuotaPort } from 'foldgate'
import type { QuotaLevel, QuotaLimits } from 'foldgate/internal'
import type { Kysely } from 'kysely'
import type { StoreSchema } from '../database/schema.js'
import type { Store } from '../database/store.js'
import { writeBehind } from '../database/write-behind.js'
import type { Report } from '../operation/log.js'
import { sharedQuota } from './quota-windows.js'

const LEVELS: readonly QuotaLevel[] = ['key', 'owner', 'organization']
/** The clock of a machine may be set back by this much, and a window that seems to have ended then runs on. */
const CLOCK_MS = 60_000

/**
 * Creates the quota port of a store: counted in the store when several servers may use it, and in memory when
 * the store is embedded and belongs to one server.
 */
export async function quotaPort(
  store: Store,
  limits: QuotaLimits,
  report: Report,
): Promise<QuotaPort & { close(): Promise<void> }> {
  const { clock } = store.dialect
  return clock
    ? { ...sharedQuota(store, limits, () => clock), close: async () => {} }
    : storedQuota(store, limits, report)
}

/**
 * Quota that survives a restart: counted in memory, starting with the windows in the store, which are written
 * behind. A restart gives no key, owner or organization a new window; a server that is killed forgets the
 * calls of its last second.
 */
export async function storedQuota(
  store: Store,
  limits: QuotaLimits,
  report: Report,
): Promise<QuotaPort & { close(): Promise<void> }> {
  const windows = writeBehind<StoreSchema['call_windows']>(store, {
    what: 'the quota',
    report,
    write: saveWindows,
    merge: (_, newer) => newer,
  })
  const known = await store.db
    .selectFrom('call_windows')
    .selectAll()
    .where('started_at', '>', store.clock.now() - limits.windowMs - CLOCK_MS)
    .where('level', 'in', LEVELS)
    .$narrowType<{ level: QuotaLevel }>()
    .execute()
  const { take } = memoryQuota({
    ...limits,
    clock: store.clock,
    windows: known.map(({ level, id, started_at, taken }) => [
      { level, id },
      { startedAt: started_at, taken },
    ]),
    onTake({ level, id }, { startedAt, taken }) {
      windows.put(`${level} ${id}`, { level, id, started_at: startedAt, taken })
    },
  })
  return { take, close: () => windows.close() }
}

async function saveWindows(db: Kysely<StoreSchema>, windows: StoreSchema['call_windows'][]): Promise<void> {
  await db
    .insertInto('call_windows')
    .values(windows)
    .onConflict(conflict =>
      conflict.columns(['level', 'id']).doUpdateSet(build => ({
        started_at: build.ref('excluded.started_at'),
        taken: build.ref('excluded.taken'),
      })),
    )
    .execute()
}

/** Keys of one user that can exhaust their quotas at once, unless the limit `quotaOwner` says otherwise. */
const OWNER_KEYS = 10

/** The settings of the quotas of keys, owners and organizations: 0 for no limit, null for the default. */
export interface QuotaSettings {
  quota: { calls: number; windowMs: number }
  quotaOwner: number | null
  quotaOrganization: number
}

/** The limits on calls at every level; `quotaOwner` has a default that depends on `quota`. */
export function quotaLimits({ quota, quotaOwner, quotaOrganization }: QuotaSettings): QuotaLimits {
  const callsPerOwner = quotaOwner ?? OWNER_KEYS * quota.calls
  return {
    ...quota,
    ...(callsPerOwner === 0 ? {} : { callsPerOwner }),
    ...(quotaOrganization === 0 ? {} : { callsPerOrganization: quotaOrganization }),
  }
}
