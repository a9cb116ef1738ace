import { createServer } from 'node:http'
import type { AnalyticsEvent, ServiceStats } from 'foldgate'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { listen } from './listen.js'

/** The metrics of a server. No label contains a key, a project or anything that a caller wrote. */
export interface Metrics {
  /** Counts an event of the service. */
  count(event: AnalyticsEvent): void
  /** From now on, the gauges show what `stats` returns. */
  watch(stats: () => ServiceStats): void
  /** The URL at which they are served. */
  readonly url: string
  close(): Promise<void>
}

const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 15, 30, 60, 120]
const BUILD_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 600]

const GAUGES: readonly [name: string, help: string, value: (stats: ServiceStats) => number][] = [
  ['connections', 'Queries that run at once, as asked for.', stats => stats.connections],
  ['connections_ready', 'Connections that have an engine process.', stats => stats.ready],
  ['connections_busy', 'Connections at work.', stats => stats.busy],
  ['connections_waiting', 'Jobs that wait for an engine process.', stats => stats.waiting],
  ['cache_bytes', 'What built relations take on disk.', stats => stats.cacheBytes],
  ['results_bytes', 'What stored rows of results take on disk.', stats => stats.resultBytes],
]

function measure(registry: Registry): Pick<Metrics, 'count' | 'watch'> {
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
  const restarts = counter('restarts', 'Engine processes that took the place of one that had ended.')
  const failures = counter('dependency_failures', 'Answers of a port that failed or took too long.', 'port')
  const faults = counter('faults', 'Faults of the service itself.')

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
          return event.what === 'replaced' ? restarts.inc() : undefined
        case 'dependency':
          return failures.inc({ port: event.port })
        case 'fault':
          return faults.inc()
      }
    },
    watch(stats) {
      for (const [name, help, value] of GAUGES)
        new Gauge({
          name: `foldgate_${name}`,
          help,
          registers,
          collect() {
            this.set(value(stats()))
          },
        })
    },
  }
}

/** Serves the metrics of this process at `/metrics` on a separate port. Throws a Refusal when the port is taken. */
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
