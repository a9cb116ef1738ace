import type { Work } from '../work.js'
import { EngineFailure } from './failure.js'

/** How a job runs. */
export interface JobOptions extends Work {
  /** Key of the organization that owns the project: no other shares a process with it. */
  organization: string
  projectId: string
  /** `build` and `prefetch` jobs never take every connection; a `prefetch` job starts when nothing else waits. */
  purpose: 'call' | 'build' | 'prefetch'
  waitMs: number
  timeoutMs: number
}

/** A job that waits. */
export interface Waiter<Place> {
  options: JobOptions
  start(place: Place): void
  /** Ends the wait without a place. */
  leave(failure: EngineFailure): void
}

/** Jobs that wait for a place to run in. */
export class Queue<Place> {
  readonly #waiters: Waiter<Place>[] = []

  get length(): number {
    return this.#waiters.length
  }

  /** Those of whom this holds, in the order in which they came. */
  filter(holds: (options: JobOptions) => boolean): readonly Waiter<Place>[] {
    return this.#waiters.filter(waiter => holds(waiter.options))
  }

  /** Waits until a place is given, the time is over or the caller has left. */
  join(options: JobOptions, joined: () => void): Promise<Place> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        clearTimeout(timer)
        options.signal.removeEventListener('abort', cancel)
      }
      const leave = (failure: EngineFailure) => {
        settle()
        reject(failure)
      }
      const cancel = () => leave(new EngineFailure('cancelled', 'The caller has left.'))
      const expire = () => leave(new EngineFailure('no-connection', 'No connection was free in time.'))
      const start = (place: Place) => {
        settle()
        resolve(place)
      }
      const waiter: Waiter<Place> = { options, start, leave }
      const timer = setTimeout(expire, options.waitMs)
      this.#waiters.push(waiter)
      if (options.signal.aborted) return cancel()
      options.signal.addEventListener('abort', cancel, { once: true })
      joined()
    })
  }

  /** Ends every wait. */
  clear(failure: EngineFailure): void {
    for (const waiter of [...this.#waiters]) waiter.leave(failure)
  }
}
