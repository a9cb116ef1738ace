/** A number of slots, with a queue for them. */
export class Slots {
  #left: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#left = count
  }

  /** Resolves when the caller has a slot; rejects when the signal aborts first. */
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

  /** Frees a slot, or passes it to the caller that has waited longest. */
  free(): void {
    const [next] = this.#waiting
    if (next) next()
    else this.#left++
  }
}
