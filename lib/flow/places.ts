import { Queue, type Waiting } from './queue.js'

/** A number of places, for which callers queue as in a {@link Queue}. */
export class Places {
  readonly #queue = new Queue<Waiting, void>()
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  /** Number of places that nobody has. */
  get free(): number {
    return this.#free
  }

  /** Number of callers that wait. */
  get waiting(): number {
    return this.#queue.length
  }

  /** Waits for a place. Returns the function that frees it; further calls of that one do nothing. */
  async take({ group = '', subgroup = '', ...patience }: Partial<Waiting> = {}): Promise<() => void> {
    await this.#queue.join({ group, subgroup, ...patience }, () => this.#next())
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#free += 1
      this.#next()
    }
  }

  /** Waits for a place and runs work in it. */
  async run<Result>(what: Partial<Waiting>, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.take(what)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  #next(): void {
    const take = () => {
      this.#free -= 1
    }
    while (this.#free > 0 && this.#queue.startNext(() => true, take));
  }
}
