import { waitForWork } from '../flow/waiting.js'

/** A read that ends when nobody waits for it any more. */
class Reading<Value> {
  readonly #over = new AbortController()
  readonly #value: Promise<Value>
  #waiting = 0

  constructor(after: Promise<unknown>, read: (signal: AbortSignal) => Promise<Value>) {
    this.#value = after.then(() => {
      this.#over.signal.throwIfAborted()
      return read(this.#over.signal)
    })
  }

  /** Settles when the read has ended, whatever became of it. */
  get ended(): Promise<void> {
    return this.#value.then(
      () => {},
      () => {},
    )
  }

  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  async wait(signal: AbortSignal): Promise<Value> {
    this.#waiting += 1
    try {
      return await waitForWork({ signal }, this.#value)
    } finally {
      this.#waiting -= 1
      if (this.#waiting === 0) this.#over.abort()
    }
  }
}

/**
 * Shares reads between concurrent calls, as `sharedReading` does for folders: all calls that arrive during a read share
 * the next one. A read for which nobody waits any more is aborted, as calls come and go while a store hangs.
 */
export function sharedListing<Value>(
  read: (name: string, signal: AbortSignal) => Promise<Value>,
): (name: string, signal: AbortSignal) => Promise<Value> {
  const readings = new Map<string, { now: Reading<Value>; next: Reading<Value> | null }>()
  const begin = (name: string, reading: Reading<Value>): Reading<Value> => {
    const entry = { now: reading, next: null as Reading<Value> | null }
    readings.set(name, entry)
    void reading.ended.then(() => {
      if (entry.next) begin(name, entry.next)
      else readings.delete(name)
    })
    return reading
  }
  return (name, signal) => {
    const entry = readings.get(name)
    const start = (given: AbortSignal) => read(name, given)
    if (!entry) return begin(name, new Reading(Promise.resolve(), start)).wait(signal)
    if (!entry.next || entry.next.isOver) entry.next = new Reading(entry.now.ended, start)
    return entry.next.wait(signal)
  }
}
