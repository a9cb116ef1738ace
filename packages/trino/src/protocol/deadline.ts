import { EngineFailure } from 'foldgate/engine'

/** How long a statement may wait and run, and who is told. */
export interface StatementTimes {
  /** Fires when the outcome is no longer wanted. */
  signal: AbortSignal
  /** Time in the cluster's queue. Default: no limit. */
  queueMs?: number
  /** Time from the end of the queue. Default: no limit. */
  timeoutMs?: number
  /** Called when the statement leaves the queue. */
  onStarted?(): void
}

/** Ends a statement that waits or runs too long, or that nobody wants any more. */
export class Deadline {
  readonly #times: StatementTimes
  readonly #ending = new AbortController()
  readonly #leave = () => this.#end(new EngineFailure('cancelled', 'The caller has left.'))
  #timer: NodeJS.Timeout | undefined
  #hasStarted = false
  /** Why the statement was ended. */
  failure: EngineFailure | undefined

  constructor(times: StatementTimes) {
    this.#times = times
    const { signal, queueMs } = times
    if (signal.aborted) this.#leave()
    signal.addEventListener('abort', this.#leave)
    this.#within(queueMs, () => new EngineFailure('no-connection', 'The cluster took no query in time.'))
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  started(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    this.#times.onStarted?.()
    this.#within(this.#times.timeoutMs, () => new EngineFailure('timeout', 'The query was stopped.'))
  }

  over(): void {
    clearTimeout(this.#timer)
    this.#times.signal.removeEventListener('abort', this.#leave)
  }

  #within(ms: number | undefined, failure: () => EngineFailure): void {
    clearTimeout(this.#timer)
    if (ms !== undefined) this.#timer = setTimeout(() => this.#end(failure()), ms)
  }

  #end(failure: EngineFailure): void {
    this.failure ??= failure
    this.#ending.abort(failure)
  }
}
