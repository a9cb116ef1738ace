/** On whose behalf something waits, and until when it is wanted. */
export interface Asker {
  /** Those of one owner wait behind each other; whoever else comes waits behind one of theirs at most, and the one at work. */
  ownerId: string
  signal: AbortSignal
}

/** The wait was over before the turn came: it took too long, or nobody wants it any more. */
export class NoTurn extends Error {}

/** Runs one piece of work at a time, owner by owner in turn. */
export class Turns {
  readonly #waitMs: number
  /** Who waits, by owner; the owner whose turn is next comes first. */
  readonly #lines = new Map<string, Set<() => void>>()
  #isBusy = false

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /** What the work comes to, or {@link NoTurn}. */
  async take<Value>(asker: Asker, work: () => Promise<Value>): Promise<Value> {
    if (this.#isBusy) await this.#wait(asker)
    this.#isBusy = true
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  #wait({ ownerId, signal }: Asker): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(ownerId) ?? new Set()
      const leave = () => {
        line.delete(start)
        if (line.size === 0) this.#lines.delete(ownerId)
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
      }
      const start = () => {
        leave()
        resolve()
      }
      const giveUp = () => {
        leave()
        reject(new NoTurn())
      }
      const timer = setTimeout(giveUp, this.#waitMs)
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp)
      line.add(start)
      this.#lines.set(ownerId, line)
    })
  }

  #next(): void {
    const [next] = this.#lines
    if (!next) {
      this.#isBusy = false
      return
    }
    const [ownerId, line] = next
    const [start] = line
    start?.()
    if (this.#lines.delete(ownerId)) this.#lines.set(ownerId, line) // behind all the others
  }
}
