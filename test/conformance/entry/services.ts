import { defineCatalogue, defineFold, memoryQuota, type QuotaPort } from 'foldgate'
import { catalogue } from '../../service/catalogue.js'
import type { ServiceOptions } from '../../service/service.js'

/** Which of the services a case runs on. */
export type ServiceName = 'plain' | 'limited' | 'hurried' | 'busy'

/** Runs for hours, and stops when it is asked to. */
export const ENDLESS = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'
/** Id of a key that has one call an hour. */
export const FEW_CALLS = 'k-few'

const endlessFold = defineFold({
  name: 'fold_endless',
  about: 'One row that never comes.',
  reads: [],
  sql: `SELECT * FROM (${ENDLESS}) q(n)`,
})

/** Makes the options of each: as they come, with little room, with little time, and with one connection. */
export const SERVICES: Record<ServiceName, () => ServiceOptions> = {
  plain: () => ({ quota: fewOrPlenty() }),
  limited: () => ({
    engine: { connections: 2, memoryLimitBytes: 512 * 1024 ** 2 },
    limits: { connectionWaitMs: 20_000, pageBytes: 60, rowBytes: 40, exportBytes: 100_000 },
  }),
  hurried: () => ({
    catalogue: defineCatalogue({
      hierarchy: catalogue.hierarchy,
      relations: [...catalogue.relations.values(), endlessFold],
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
  return { take: async (keyId, signal) => (keyId === FEW_CALLS ? few.take(keyId, signal) : plenty) }
}
