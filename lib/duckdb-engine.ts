import { noCheckUnderWay, problemsOf } from './duckdb/check/sound-catalogue.js'
import { type DuckdbEngine, openDuckdb } from './duckdb/engine.js'
import { type EngineOptions, resolveEngine } from './duckdb/settings.js'
import type { OpenEngine } from './engine/port.js'

/**
 * The engine that runs DuckDB in child processes, for the option `engine` of `createAnalyticsApi`.
 *
 * @param options - The folder of its caches, and how many processes it may run. Sizes are in bytes.
 * @returns What opens the engine: `createAnalyticsApi` calls it, once per service.
 * @throws TypeError that names an option that does not exist, or is out of bounds.
 *
 * @example
 * ```ts
 * const engine = duckdbEngine({ folder: 'data/engine', connections: 4 })
 * const api = createAnalyticsApi({ ...options, engine })
 * ```
 */
export function duckdbEngine(options: EngineOptions): OpenEngine<DuckdbEngine> {
  const settings = resolveEngine(options)
  return host =>
    openDuckdb(settings, host, async check => {
      try {
        return await problemsOf(host.catalogue, check)
      } finally {
        if (check.signal.aborted) await noCheckUnderWay(host.catalogue) // its processes end before the engine does
      }
    })
}
