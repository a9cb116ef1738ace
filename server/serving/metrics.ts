import { createServer } from 'node:http'
import type { AnalyticsEvent, ServiceStats } from 'foldgate'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { version } from '../operation/version.js'
import type { DiskUsage } from '../snapshots/disk-usage.js'
import { listen } from './listen.js'

/** What the gauges of a server show. */
export interface Sources {
  stats(): ServiceStats
  /** Number of open WebSockets. */
  sockets(): number
  /** Number of projects whose newest snapshot is missing. */
  missingSnapshots(): number
  /** Null while it is not known: its gauges then have no value. */
  disk(): DiskUsage | null
  /** The ids of these that belong to projects: a project that was removed may have left snapshots. */
  projectsOf(ids: readonly string[]): Promise<ReadonlySet<string>>
}

/** Adds metrics, whose names begin with `foldgate_`. */
export interface Measures {
  /** Adds a counter, whose name ends in `_total`. */
  counter(name: string, help: string, ...labelNames: string[]): { inc(labels: Record<string, string>): void }
  /** Adds gauges, which have no value while their source has none. */
  gauges<Source>(gauged: readonly Gauged<Source>[], source: () => Source | null): void
}

/** The metrics of a server. No label contains a key or anything that a caller wrote. */
export interface Metrics extends Measures {
  /** Counts an event of the service. */
  count(event: AnalyticsEvent): void
  /** Counts a login that failed. */
  countFailedLogin(): void
  /** From now on, the gauges show what the sources return. */
  watch(sources: Sources): void
  /** The URL at which they are served. */
  readonly url: string
  close(): Promise<void>
}

const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 15, 30, 60, 120]
const BUILD_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 600]

/** A gauge, and how its value is read from a source; null when it has none. */
export type Gauged<Source> = readonly [name: string, help: string, value: (source: Source) => number | null]

const OF_SERVICE: readonly Gauged<ServiceStats>[] = [
  ['connections', 'Queries that run at once, as asked for.', stats => stats.connections],
  ['connections_ready', 'Connections that have an engine process.', stats => stats.ready],
  ['connections_busy', 'Connections at work.', stats => stats.busy],
  ['connections_waiting', 'Jobs that wait for an engine process.', stats => stats.waiting],
  ['cache_bytes', 'What built relations take on disk.', stats => stats.cacheBytes],
  ['results_bytes', 'What stored rows of results take on disk.', stats => stats.resultBytes],
]

const OF_DISK: readonly Gauged<DiskUsage>[] = [
  ['exports_bytes', 'What exports take on disk.', disk => disk.exportBytes],
  ['snapshots_bytes', 'What snapshots take on disk.', disk => disk.snapshotBytes],
]

/** Series of ages of snapshots: the projects that have waited longest for a new snapshot. */
const MOST_AGES = 20
/** Snapshots of which it is looked up at once whether they have a project. */
const AGES_AT_ONCE = 100

function measure(registry: Registry): Omit<Metrics, 'url' | 'close'> {
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `foldgate_${name}_total`, help, labelNames, registers })
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
    new Histogram({ name: `foldgate_${name}_seconds`, help, buckets, labelNames, registers })

  const calls = counter('calls', 'Calls by method and class; OK is none.', 'method', 'class')
  const took = histogram('call', 'What calls take.', SECONDS, 'method')
  const phases = histogram('phase', 'What the parts of calls take.', SECONDS, 'phase')
  const builds = counter('builds', 'Builds of relations.', 'outcome')
  const built = histogram('build', 'What builds of relations take.', BUILD_SECONDS)
  const restarts = counter(
    'restarts',
    'Engine processes that took the place of one that had ended.',
    'reason',
  )
  for (const reason of ['memory-limit', 'deadline', 'crash', 'memory-kept', 'protocol'] satisfies Extract<
    AnalyticsEvent,
    { what: 'replaced' }
  >['reason'][])
    restarts.inc({ reason }, 0) // Prometheus counts increases from the first value that it sees
  const failures = counter('dependency_failures', 'Answers of a port that failed or took too long.', 'port')
  const faults = counter('faults', 'Faults of the service itself.')
  const failedLogins = counter('failed_logins', 'Logins to the pages that failed.')
  const buildInfo = { name: 'foldgate_build_info', help: 'The version of the server; always 1.', registers }
  new Gauge({ ...buildInfo, labelNames: ['version'] }).set({ version: version() }, 1)

  const gauges = <Source>(gauged: readonly Gauged<Source>[], source: () => Source | null) => {
    for (const [name, help, value] of gauged)
      new Gauge({
        name: `foldgate_${name}`,
        help,
        registers,
        collect() {
          const from = source()
          const found = from === null ? null : value(from)
          if (found === null) this.remove()
          else this.set(found)
        },
      })
  }

  const ages = (disk: Sources['disk'], projectsOf: Sources['projectsOf']) =>
    new Gauge({
      name: 'foldgate_newest_snapshot_age_seconds',
      help: `How long ago the newest snapshot of a project was published; of the ${MOST_AGES} projects with the oldest ones.`,
      labelNames: ['project'],
      registers,
      async collect() {
        const oldest = [...(disk()?.newestSnapshots ?? [])].sort(([, a], [, b]) => a - b)
        const found: typeof oldest = []
        for (let at = 0; found.length < MOST_AGES && at < oldest.length; at += AGES_AT_ONCE) {
          const some = oldest.slice(at, at + AGES_AT_ONCE)
          const projects = await projectsOf(some.map(([project]) => project))
          found.push(...some.filter(([project]) => projects.has(project)))
        }
        this.reset()
        for (const [project, at] of found.slice(0, MOST_AGES))
          this.set({ project }, Math.max(0, Date.now() - at) / 1000)
      },
    })

  return {
    count(event) {
      switch (event.type) {
        case 'call':
          calls.inc({ method: event.method, class: event.outcome })
          took.observe({ method: event.method }, event.durationMs / 1000)
          for (const [phase, ms] of Object.entries(event.phasesMs)) phases.observe({ phase }, ms / 1000)
          return
        case 'build':
          builds.inc({ outcome: event.cause === undefined ? 'OK' : 'failed' })
          return built.observe(event.durationMs / 1000)
        case 'engine':
          return event.what === 'replaced' ? restarts.inc({ reason: event.reason }) : undefined
        case 'dependency':
          return failures.inc({ port: event.port })
        case 'fault':
          return faults.inc()
      }
    },
    countFailedLogin: () => failedLogins.inc(),
    counter,
    gauges,
    watch({ stats, sockets, disk, projectsOf, missingSnapshots }) {
      gauges(OF_SERVICE, stats)
      gauges(
        [['missing_snapshots', 'Projects whose newest snapshot is missing.', (count: number) => count]],
        missingSnapshots,
      )
      gauges([['sockets', 'Open WebSockets.', (open: number) => open]], sockets)
      gauges(OF_DISK, disk)
      ages(disk, projectsOf)
    },
  }
}

/**
 * Serves the metrics of this process at `/metrics` on a separate port. Throws a
 * Refusal when the port is taken.
 */
export async function serveMetrics(place: { host: string; port: number }): Promise<Metrics> {
  const registry = new Registry()
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
    registry.metrics().then(
      text => response.setHeader('Content-Type', registry.contentType).end(text),
      () => response.writeHead(500).end(),
    )
  })
  const url = await listen(server, { ...place, settings: { host: '--metrics-host', port: '--metrics-port' } })
  return {
    ...measure(registry),
    url: `${url}/metrics`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
