/**
 * Traces of calls by OpenTelemetry.
 *
 * @module foldgate/opentelemetry
 */

import '../node-version.js'
import { context, isSpanContextValid, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { CallTracing } from '../call/tracing.js'

/** Outcomes that are the service's failures, and not the caller's. */
const FAILED: ReadonlySet<string> = new Set(['INTERNAL', 'UNAVAILABLE'])
const HEADERS = ['traceparent', 'tracestate', 'baggage']

/**
 * Traces calls by the provider that the host has registered with `@opentelemetry/api`: a span for each call, named after its
 * method, and below it one for each part of a phase (`foldgate.guard`, `foldgate.query` and so on) and what the ports of the
 * host trace. The span is below the active one, of an instrumented HTTP server for instance, else below that of the header
 * `traceparent`. While no provider is registered, or a call is not sampled, nothing is traced.
 *
 * @returns The option `tracing` of `createAnalyticsApi`, which throws nothing.
 *
 * @example
 * ```ts
 * const api = createAnalyticsApi({ ...options, tracing: openTelemetry() })
 * ```
 */
export function openTelemetry(): CallTracing {
  const tracer = trace.getTracer('foldgate')
  return {
    begin(startedAt, header) {
      const active = context.active()
      const isBelow = trace.getSpan(active) !== undefined
      const carrier = isBelow
        ? {}
        : Object.fromEntries(HEADERS.map(name => [name, header(name) ?? undefined]))
      const parent = isBelow ? active : propagation.extract(active, carrier)
      const kind = isBelow ? SpanKind.INTERNAL : SpanKind.SERVER
      const span = tracer.startSpan('foldgate', { kind, startTime: atTime(startedAt) }, parent)
      // Without a provider. A call that is not sampled goes on, so that what ports trace is not sampled either.
      if (!isSpanContextValid(span.spanContext())) return null
      const within = trace.setSpan(parent, span)
      return {
        isRecording: span.isRecording(),
        run: work => context.with(within, work),
        end(event, parts) {
          for (const [phase, from, to] of parts) {
            const part = tracer.startSpan(`foldgate.${phase}`, { startTime: atTime(from) }, within)
            part.end(atTime(to))
          }
          span.updateName(event.method)
          for (const [name, value] of Object.entries(attributesOf(event)))
            if (value !== null && value !== undefined) span.setAttribute(`foldgate.${name}`, value)
          if (FAILED.has(event.outcome))
            span.setStatus({ code: SpanStatusCode.ERROR, message: event.outcome })
          span.end(atTime(startedAt + event.durationMs))
        },
      }
    },
  }
}

function attributesOf(event: Parameters<NonNullable<ReturnType<CallTracing['begin']>>['end']>[0]) {
  const { callId, outcome, keyId, ownerId, organization, projectId, snapshotId, exportId } = event
  return {
    ...{ call_id: callId, outcome, key_id: keyId, owner_id: ownerId, organization, project_id: projectId },
    ...{ snapshot_id: snapshotId, export_id: exportId, relations: [...event.relations], rows: event.rows },
    ...{ bytes: event.bytes, processor_ms: event.processorMs, statement: event.statement, sql: event.sql },
  }
}

/** The time of a `performance.now()`, as milliseconds of the day that the API takes. */
function atTime(at: number): number {
  return performance.timeOrigin + at
}
