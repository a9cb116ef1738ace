import { cancelled, EngineFailure } from 'foldgate/engine'

interface Waiter {
  group: string
  take(): void
}

/** Places that groups take in turns; first come, first served within a group. */
export class Turns {
  readonly #waiting = new Map<string, Set<Waiter>>()
  #free: number

  constructor(places: number) {
    this.#free = places
  }

  /** Number of those who wait. */
  get waiting(): number {
    let count = 0
    for (const waiters of this.#waiting.values()) count += waiters.size
    return count
  }

  /** Takes a place, which the returned function gives back. Fails after `ms`, or when the signal fires. */
  take(group: string, signal: AbortSignal, ms: number): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelled())
      const over = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        const waiters = this.#waiting.get(group)
        waiters?.delete(waiter)
        if (waiters?.size === 0) this.#waiting.delete(group)
      }
      const fail = (failure: EngineFailure) => {
        over()
        reject(failure)
      }
      const leave = () => fail(cancelled())
      const timer = setTimeout(() => fail(new EngineFailure('no-connection', 'No connection was free in time.')), ms)
      const waiter: Waiter = {
        group,
        take: () => {
          over()
          resolve(this.#place())
        },
      }
      signal.addEventListener('abort', leave)
      const waiters = this.#waiting.get(group) ?? new Set()
      this.#waiting.set(group, waiters.add(waiter))
      this.#next()
    })
  }

  #place(): () => void {
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      this.#free += 1
      this.#next()
    }
  }

  #next(): void {
    const [group, waiters] = this.#waiting.entries().next().value ?? []
    const [waiter] = waiters ?? []
    if (this.#free === 0 || group === undefined || !waiter) return
    this.#free -= 1
    waiter.take()
    const rest = this.#waiting.get(group)
    if (rest && this.#waiting.delete(group)) this.#waiting.set(group, rest) // its next one comes after the others
    this.#next()
  }
}
