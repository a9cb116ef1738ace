import { type AnalyticsOptions, createAnalyticsApi, duckdbEngine, LIMITS } from 'foldgate'
import { mcpEndpoint } from 'foldgate/mcp'

const GIB = 1024 ** 3

/** An API with limits, and an engine for a machine with 8 cores and 32 GiB of memory. */
export function tuned(options: AnalyticsOptions, folder: string) {
  return createAnalyticsApi({
    ...options,
    limits: { queryTimeoutMs: 10_000, exportBytes: 5 * GIB, pageBytes: LIMITS.pageBytes.default / 4 },
    engine: duckdbEngine({
      folder,
      connections: 6,
      residents: 40,
      memoryLimitBytes: 2 * GIB,
      cacheBytes: 100 * GIB,
      guard: { functions: ['decode', 'url_encode'] },
    }),
  })
}

/** An API that agents can use, at the name by which they reach it. */
export function withAgents(options: AnalyticsOptions) {
  const origins = ['https://data.example']
  return createAnalyticsApi({ ...options, mcp: mcpEndpoint({ origins }) })
}
