import {
  type AnalyticsOptions,
  createAnalyticsApi,
  memoryBudget,
  memoryQuota,
  type QuotaPort,
} from 'foldgate'

/** An API with limits at three levels, counted in the memory of this process. */
export function withQuota(options: AnalyticsOptions) {
  const quota = memoryQuota({
    calls: 600,
    callsPerOwner: 6_000,
    callsPerOrganization: 20_000,
    windowMs: 60_000,
  })
  return createAnalyticsApi({ ...options, quota })
}

/** An API that bounds what statements of each organization take in an hour. */
export function withBudget(options: AnalyticsOptions) {
  return createAnalyticsApi({
    ...options,
    budget: memoryBudget({ callsAtOnce: 8, engineMs: 600_000, exportRows: 50_000_000, windowMs: 3_600_000 }),
  })
}

/** What a host with several processes has in common: a counter that it increments in one step. */
export interface Counters {
  /** Adds 1 to the counter of a name, which begins at 0, and returns it with the time that it has left. */
  increment(name: string, lifeMs: number): Promise<{ count: number; leftMs: number }>
}

/** A quota of calls per minute and owner, which all processes of a host share. */
export function sharedQuota(counters: Counters, calls: number): QuotaPort {
  const windowMs = 60_000
  return {
    async take({ ownerId }) {
      const { count, leftMs } = await counters.increment(`calls of ${ownerId}`, windowMs)
      const remaining = Math.max(0, calls - count)
      return { allowed: count <= calls, level: 'owner', limit: calls, remaining, windowMs, resetMs: leftMs }
    },
  }
}
