import {
  type AnalyticsApi,
  type AnalyticsEvent,
  type AnalyticsOptions,
  createAnalyticsApi,
  type RunningCall,
  type UsagePort,
} from 'foldgate'
import { openTelemetry } from 'foldgate/opentelemetry'

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

/** An API whose calls are traced by the provider that the host has registered. */
export function traced(options: AnalyticsOptions) {
  return createAnalyticsApi({ ...options, tracing: openTelemetry() })
}

/** The calls that have run for a minute, for the page of an operator, who can end them. */
export function longCalls(api: AnalyticsApi): RunningCall[] {
  return api.running().filter(({ runningMs }) => runningMs > 60_000)
}

/** Revokes a key, and ends the calls that run with it. */
export async function revoke(
  api: AnalyticsApi,
  keys: { remove(keyId: string): Promise<void> },
  keyId: string,
) {
  await keys.remove(keyId)
  return api.cancel({ keyId }, { revoked: true })
}

/** Whether to send calls to this process, and how busy it is. */
export async function readiness(api: AnalyticsApi) {
  const { workers, guard, sandbox } = await api.health()
  const { connections, busy, waiting } = api.stats()
  return { isReady: workers > 0 && guard, missing: sandbox?.missing ?? null, connections, busy, waiting }
}
