import type { Work } from '../work.js'
import type { Connection } from './connection.js'
import { EngineFailure } from './failure.js'

/** How a job runs. */
export interface JobOptions extends Work {
  projectId: string
  /** `build` and `ahead` jobs never take every connection; `ahead` jobs also give theirs up to whoever waits. */
  purpose: 'call' | 'build' | 'ahead'
  waitMs: number
  timeoutMs: number
}

/** A job that waits for a connection. */
export interface Waiter {
  options: JobOptions
  /** It has made room once: it waits until its project would leave a connection to others, or they wait and may not start. */
  restrained: boolean
  start(connection: Connection): void
  /** Ends the wait without a connection. */
  leave(failure: EngineFailure): void
}

/**
 * How long the first in line may be passed by jobs whose snapshot an idle process knows. To change a process over costs
 * as much as some small queries.
 */
const PASSED_MS = 100

/** Jobs that wait for connections: first come, first served, but for {@link PASSED_MS}. */
export class WaitingLine {
  readonly #waiters: Waiter[] = []
  /** Since when a job has been the first that an idle process could have taken. */
  readonly #firstSince = new WeakMap<Waiter, number>()

  get length(): number {
    return this.#waiters.length
  }

  /** The first of whom this holds. */
  find(holds: (waiter: Waiter) => boolean): Waiter | undefined {
    return this.#waiters.find(holds)
  }

  /** Whether only jobs of this project wait. */
  hasOnly(projectId: string): boolean {
    return this.#waiters.every(waiter => waiter.options.projectId === projectId)
  }

  /** Waits at the end of the line until `take` is given a connection, the time is over or nobody wants it any more. */
  join<Taken>(
    options: JobOptions,
    restrained: boolean,
    take: (connection: Connection) => Taken,
    joined: () => void,
  ): Promise<Taken> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        options.signal.removeEventListener('abort', cancel)
      }
      const leave = (failure: EngineFailure) => {
        this.#remove(waiter)
        settle()
        reject(failure)
      }
      const cancel = () => leave(new EngineFailure('cancelled', 'The caller has left.'))
      const timer = setTimeout(() => {
        leave(new EngineFailure('no-connection', 'No connection was free in time.'))
      }, options.waitMs)
      const waiter: Waiter = {
        options,
        restrained,
        start: connection => {
          this.#remove(waiter)
          settle()
          resolve(take(connection))
        },
        leave,
      }
      if (options.signal.aborted) return cancel()
      options.signal.addEventListener('abort', cancel, { once: true })
      this.#waiters.push(waiter)
      joined()
    })
  }

  /** Ends every wait. */
  clear(failure: EngineFailure): void {
    for (const waiter of [...this.#waiters]) waiter.leave(failure)
  }

  /** Who is next, of those that may start, for an idle process; `isKnown` says whose snapshot one knows. */
  next(mayStart: (waiter: Waiter) => boolean, isKnown: (waiter: Waiter) => boolean): Waiter | undefined {
    const first = this.#waiters.find(mayStart)
    if (!first) return undefined
    const now = performance.now()
    const since = this.#firstSince.get(first) ?? now
    this.#firstSince.set(first, since)
    if (now - since >= PASSED_MS) return first
    return this.#waiters.find(waiter => isKnown(waiter) && mayStart(waiter)) ?? first
  }

  #remove(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter)
    if (index >= 0) this.#waiters.splice(index, 1)
  }
}
