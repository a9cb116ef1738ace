import {
  type AnalyticsApi,
  type AnalyticsEvent,
  type AnalyticsOptions,
  createAnalyticsApi,
  type UsagePort,
} from 'foldgate'

/** Counters of the host, for instance of Prometheus. */
export interface Metrics {
  add(name: string, labels: Record<string, string>, by: number): void
}

/** An API that counts its calls, and tells what the host must know. */
export function observed(options: AnalyticsOptions, metrics: Metrics, log: (line: object) => void) {
  const onEvent = (event: AnalyticsEvent) => {
    if (event.type === 'call') {
      const { method, outcome } = event
      metrics.add('calls', { method, outcome }, 1)
      metrics.add('call_seconds', { method }, event.durationMs / 1000)
    }
    if (event.type === 'snapshot') log({ newer: event.snapshotId, of: event.projectId })
    if ('cause' in event) log({ failed: event.type, cause: String(event.cause) })
  }
  return createAnalyticsApi({ ...options, onEvent, usage: countRows(metrics) })
}

/** Counts rows per key, to bill them. */
function countRows(metrics: Metrics): UsagePort {
  return { record: ({ keyId, rows }) => metrics.add('rows', { keyId }, rows) }
}

/** Whether to send calls to this process, and how busy it is. */
export async function readiness(api: AnalyticsApi) {
  const { workers, guard, sandbox } = await api.health()
  const { connections, busy, waiting } = api.stats()
  return { isReady: workers > 0 && guard, missing: sandbox?.missing ?? null, connections, busy, waiting }
}
