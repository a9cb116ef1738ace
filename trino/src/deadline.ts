import { EngineFailure } from 'foldgate/engine'
import type { StatementRequest } from './client.js'

/** Ends a statement that waits or runs too long, or that nobody wants any more. */
export class Deadline {
  readonly #request: StatementRequest
  readonly #ending = new AbortController()
  readonly #leave = () => this.#end(new EngineFailure('cancelled', 'The caller has left.'))
  #timer: NodeJS.Timeout | undefined
  #hasStarted = false
  /** Why the statement was ended. */
  failure: EngineFailure | undefined

  constructor(request: StatementRequest) {
    this.#request = request
    const { signal, queueMs } = request
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
    this.#request.onStarted?.()
    this.#within(this.#request.timeoutMs, () => new EngineFailure('timeout', 'The query was stopped.'))
  }

  over(): void {
    clearTimeout(this.#timer)
    this.#request.signal.removeEventListener('abort', this.#leave)
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
