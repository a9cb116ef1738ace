import { defineCatalogue, defineFold, memoryQuota, type QuotaPort } from 'foldgate'
import type { ServiceOptions } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'

/** Name of the service that a case runs on. */
export type ServiceName = 'plain' | 'limited' | 'hurried' | 'busy'

/** A statement that runs for hours unless it is interrupted. */
export const ENDLESS = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'
/** Id of a key with a quota of one call per hour. */
export const FEW_CALLS = 'k-few'

const endlessFold = defineFold({
  name: 'fold_endless',
  about: 'One row that never comes.',
  reads: [],
  sql: `SELECT * FROM (${ENDLESS}) q(n)`,
})

/** Options of each service: the defaults, small limits, short timeouts, and a single connection. */
export const SERVICES: Record<ServiceName, (vendor: Vendor) => ServiceOptions> = {
  plain: () => ({ quota: fewOrPlenty() }),
  limited: () => ({
    engine: { connections: 2, memoryLimitBytes: 512 * 1024 ** 2 },
    limits: { connectionWaitMs: 20_000, pageBytes: 60, rowBytes: 40, exportBytes: 100_000 },
  }),
  hurried: ({ catalogue }) => ({
    sealedAs: catalogue,
    catalogue: defineCatalogue({
      hierarchy: catalogue.hierarchy,
      relations: [...catalogue.relations.values(), endlessFold],
      rowLimits: catalogue.rowLimits,
      examples: [],
    }),
    engine: { connections: 2 },
    limits: { queryTimeoutMs: 400, exportTimeoutMs: 600, buildTimeoutMs: 300, connectionWaitMs: 20_000 },
  }),
  busy: () => ({ engine: { connections: 1 }, limits: { connectionWaitMs: 250, queryTimeoutMs: 600_000 } }),
}

function fewOrPlenty(): QuotaPort {
  const few = memoryQuota({ calls: 1, windowMs: 3_600_000 })
  const plenty = { allowed: true, limit: 600, remaining: 599, windowMs: 60_000, resetMs: 60_000 }
  return { take: async (caller, signal) => (caller.keyId === FEW_CALLS ? few.take(caller, signal) : plenty) }
}
