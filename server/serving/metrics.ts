import { createServer } from 'node:http'
import type { AnalyticsEvent, ServiceStats } from 'foldgate'
import { SingleFlight } from 'foldgate/internal'
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
  /** When the tables of the projects that were not checked for longest were sealed or found unchanged, epoch milliseconds. */
  longestUnchecked(limit: number): Promise<ReadonlyMap<string, number>>
}

/** Adds metrics, whose names begin with `foldgate_`. */
export interface Measures {
  /** Adds a counter, whose name ends in `_total`. Prometheus counts increases from the first value that it sees: begin at 0. */
  counter(
    name: string,
    help: string,
    ...labelNames: string[]
  ): { inc(labels: Record<string, string>, by?: number): void }
  /** Adds gauges, which have no value while their source has none. */
  gauges<Source>(gauged: readonly Gauged<Source>[], source: () => Source | null): void
  /** Adds a gauge with a series for each value that its label has now; without any while that cannot be told. */
  series(
    name: string,
    help: string,
    label: string,
    values: () => Promise<readonly (readonly [string, number])[]>,
  ): void
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

/** Series of ages of snapshots, and of checks of their tables. */
const MOST_AGES = 20
/** Snapshots of which it is looked up at once whether they have a project. */
const AGES_AT_ONCE = 100
/** Ages that take longer are left out: Prometheus gives up on metrics after ten seconds. */
const AGES_MS = 2000

/** Why engine processes were replaced, as events have it. */
const REPLACED = [
  'memory-limit',
  'deadline',
  'crash',
  'memory-kept',
  'protocol',
  'killed',
  'container-limit',
] as const satisfies readonly Extract<AnalyticsEvent, { what: 'replaced' }>['reason'][]

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
  for (const reason of REPLACED) restarts.inc({ reason }, 0) // Prometheus counts increases from the first value that it sees
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

  const series: Measures['series'] = (name, help, label, values) => {
    new Gauge({
      name: `foldgate_${name}`,
      help,
      labelNames: [label],
      registers,
      async collect() {
        const found = await values().catch(() => []) // the other metrics tell what is down
        this.reset()
        for (const [value, number] of found) this.set({ [label]: value }, number)
      },
    })
  }
  // Shared by all requests, so that reads do not pile up when the store hangs.
  const reading = new SingleFlight<Iterable<readonly [string, number]>>()
  const ages = (name: string, help: string, oldest: () => Promise<Iterable<readonly [string, number]>>) =>
    series(
      `${name}_age_seconds`,
      `${help}; of the ${MOST_AGES} projects of which that is longest ago.`,
      'project',
      async () =>
        [...(await reading.join(name, { ms: AGES_MS }, oldest))].map(
          ([project, at]) => [project, Math.max(0, Date.now() - at) / 1000] as const,
        ),
    )

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
    series,
    watch({ stats, sockets, disk, projectsOf, missingSnapshots, longestUnchecked }) {
      gauges(OF_SERVICE, stats)
      gauges(
        [['missing_snapshots', 'Projects whose newest snapshot is missing.', (count: number) => count]],
        missingSnapshots,
      )
      gauges([['sockets', 'Open WebSockets.', (open: number) => open]], sockets)
      gauges(OF_DISK, disk)
      ages('newest_snapshot', 'How long ago the newest snapshot of a project was published', async () =>
        longestWaiting(disk(), projectsOf),
      )
      ages(
        'snapshot_check',
        'How long ago the tables of a project were sealed, whether or not they had changed',
        () => longestUnchecked(MOST_AGES),
      )
    },
  }
}

/** The projects that have waited longest for a new snapshot. */
async function longestWaiting(
  disk: DiskUsage | null,
  projectsOf: Sources['projectsOf'],
): Promise<[project: string, publishedAt: number][]> {
  const oldest = [...(disk?.newestSnapshots ?? [])].sort(([, a], [, b]) => a - b)
  const found: typeof oldest = []
  for (let at = 0; found.length < MOST_AGES && at < oldest.length; at += AGES_AT_ONCE) {
    const some = oldest.slice(at, at + AGES_AT_ONCE)
    const projects = await projectsOf(some.map(([project]) => project))
    found.push(...some.filter(([project]) => projects.has(project)))
  }
  return found.slice(0, MOST_AGES)
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
