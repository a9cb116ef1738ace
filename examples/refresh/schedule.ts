/** The time, and a way to wait for it. */
export interface Clock {
  now(): number
  /** Calls back after so many milliseconds. Returns what cancels that. */
  after(ms: number, callback: () => void): () => void
}

/** The clock of the machine. */
export const machineClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** The work to be done, and how often. */
export interface Scheduled {
  intervalMs: number
  clock: Clock
  /** Does it once; it does not reject. */
  work(signal: AbortSignal): Promise<void>
  /** It is due, and the one before has been under way for so long. */
  onLate(runningMs: number): void
}

/**
 * Works at once and then at intervals, one run at a time: a run that is due while another is under way is left out.
 */
export class Schedule {
  readonly #scheduled: Scheduled
  readonly #closing = new AbortController()
  #cancel = () => {}
  #since: number | null = null
  #running: Promise<void> = Promise.resolve()

  constructor(scheduled: Scheduled) {
    this.#scheduled = scheduled
  }

  start(): void {
    this.#due()
  }

  /** For how long the work under way has taken, in milliseconds; 0 when there is none. */
  get runningMs(): number {
    return this.#since === null ? 0 : this.#scheduled.clock.now() - this.#since
  }

  /** Aborts the work under way, and waits until it has given back what it holds. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The host is ending'))
    this.#cancel()
    await this.#running
  }

  #due(): void {
    const { clock, intervalMs, work, onLate } = this.#scheduled
    this.#cancel = clock.after(intervalMs, () => this.#due())
    if (this.#since !== null) onLate(this.runningMs)
    else {
      this.#since = clock.now()
      this.#running = work(this.#closing.signal).finally(() => {
        this.#since = null
      })
    }
  }
}
