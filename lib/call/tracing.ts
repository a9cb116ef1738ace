import type { AnalyticsEvent } from '../events.js'
import type { Phase } from '../flow/work.js'

/** The trace of one call, while somebody listens. */
export interface CallSpan {
  /** Whether the parts of the call are of interest; a call that is not sampled has a trace that nobody reads. */
  readonly isRecording: boolean
  /** Runs work so that what it traces is below the call. */
  run<Value>(work: () => Value): Value
  /**
   * Ends the trace with the event of the call, and the parts of its phases: when each began and ended, as
   * `performance.now()`.
   */
  end(
    event: Extract<AnalyticsEvent, { type: 'call' }>,
    parts: readonly (readonly [phase: Phase, from: number, to: number])[],
  ): void
}

/** Traces calls, as `openTelemetry()` of `foldgate/opentelemetry` does. */
export interface CallTracing {
  /**
   * Begins the trace of a call that began at this `performance.now()`; null when nobody listens. `header` returns a header of
   * its request by its lower-case name, if it came over HTTP.
   */
  begin(startedAt: number, header: (name: string) => string | null): CallSpan | null
}
