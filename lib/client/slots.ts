/** A number of places, and who waits for one. */
export class Slots {
  #left: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#left = count
  }

  /** Fulfilled with a place; rejected when the signal fires before there is one. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#left > 0) {
      this.#left--
      return
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(enter)
        reject(signal.reason)
      }
      const enter = () => {
        this.#waiting.delete(enter)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      this.#waiting.add(enter)
      signal.addEventListener('abort', leave)
    })
  }

  /** Gives a place back, to whoever waits longest. */
  free(): void {
    const [next] = this.#waiting
    if (next) next()
    else this.#left++
  }
}
