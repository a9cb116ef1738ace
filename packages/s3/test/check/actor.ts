import { setImmediate } from 'node:timers/promises'

/** Work whose requests wait until they are let through, one at a time. */
export class Actor {
  isDone = false
  #work: Promise<unknown> = Promise.resolve()
  readonly #waiting: (() => void)[] = []
  #arrived = () => {}

  start(work: () => Promise<unknown>): void {
    this.#work = work().finally(() => {
      this.isDone = true
      this.#arrived()
    })
    this.#work.catch(() => {})
  }

  /** A request of this work arrives. */
  pass(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      this.#arrived()
    })
  }

  /** Lets at most this many requests through; returns how many there were. */
  async run(most: number): Promise<number> {
    for (let sent = 0; ; sent++) {
      while (this.#waiting.length === 0 && !this.isDone)
        await new Promise<void>(resolve => {
          this.#arrived = resolve
        })
      if (this.isDone || sent === most) return sent
      this.#waiting.shift()?.()
      await setImmediate() // it takes effect
    }
  }

  /** Throws what the work has thrown. */
  async end(): Promise<void> {
    await this.run(Number.POSITIVE_INFINITY)
    await this.#work
  }
}
