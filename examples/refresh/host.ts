import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createAnalyticsApi, directoryExports, directorySnapshots, duckdbEngine } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import pg from 'pg'
import { catalogue } from './catalogue.js'
import type { RefreshEvent } from './events.js'
import { RefreshLock } from './lock.js'
import { Metrics } from './metrics.js'
import { refresh } from './refresh.js'
import { type Clock, machineClock, Schedule } from './schedule.js'
import { Tenants } from './tenants.js'

const DAY_MS = 86_400_000

/** What differs from one host to the next. */
export interface HostOptions {
  /** URL of the database. */
  database: string
  /** Folder of this process alone. */
  folder: string
  /** Folder with the snapshots, which all processes share. */
  snapshots: string
  baseUrl: string
  secret: string
  /** The key of a caller who reads every tenant: the `KeyPort` of your application comes in its place. */
  key: string
  intervalMs: number
  onRefresh(event: RefreshEvent): void
  /** Gets the failures of calls. */
  onError(cause: unknown): void
  clock?: Clock
}

/** A host that serves forty tenants and refreshes them, with a server for callers and one for Prometheus. */
export async function createHost(options: HostOptions) {
  const { database, folder, baseUrl, secret, key, intervalMs, clock = machineClock } = options
  const snapshots = directorySnapshots(options.snapshots)
  const scratch = join(folder, 'scratch')
  // What a process left that was killed.
  await rm(scratch, { recursive: true, force: true })
  await snapshots.sweep()

  const timeouts = { connectionTimeoutMillis: 10_000, query_timeout: 30_000 } // none bounds the reading of sources
  const pool = new pg.Pool({ connectionString: database, max: 3, ...timeouts })
  pool.on('error', options.onError) // an idle connection was dropped, which must not end the process
  const tenants = new Tenants(pool, snapshots)
  const lock = new RefreshLock(database)
  const exports = directoryExports(join(folder, 'exports'), { retentionMs: DAY_MS })
  const api = createAnalyticsApi({
    baseUrl,
    secrets: [secret],
    catalogue,
    keys: {
      async authenticate(sent) {
        const organizations = tenants.all.map(tenant => tenant.key)
        return sent === key ? { keyId: '1', ownerId: 'us', organizations } : null
      },
    },
    projects: tenants,
    snapshots,
    exports,
    engine: duckdbEngine({ folder: join(folder, 'engine') }),
    onEvent: event => {
      if ('cause' in event) options.onError(event.cause)
    },
  })

  const given = { pool, lock, tenants, snapshots, scratch, now: clock.now, onRefresh }
  const schedule = new Schedule({
    intervalMs,
    clock,
    work: signal => refresh(given, signal),
    onLate: runningMs => onRefresh({ type: 'late', runningMs }),
  })
  const metrics = new Metrics({ tenants, lock, schedule })
  function onRefresh(event: RefreshEvent): void {
    metrics.count(event)
    options.onRefresh(event)
  }

  return {
    schedule,
    server: createServer(toNodeHandler(api)),
    metricsServer: createServer((_request, response) => {
      metrics.text(AbortSignal.timeout(10_000)).then(
        text => response.setHeader('content-type', 'text/plain; version=0.0.4').end(text),
        cause => {
          options.onError(cause)
          response.writeHead(500).end()
        },
      )
    }),
    /** Stops refreshing first, so that nothing is sealed any more when the rest ends. */
    async close(): Promise<void> {
      await schedule.close()
      await lock.close()
      await api.close()
      exports.close()
      await pool.end()
    },
  }
}
