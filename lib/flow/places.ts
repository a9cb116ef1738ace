import { Queue, type Waiting } from './queue.js'

/** A number of places, for which callers queue as in a {@link Queue}. */
export class Places {
  readonly #queue = new Queue<Waiting, void>()
  readonly #mostOfGroup: number
  readonly #held = new Map<string, number>()
  #free: number

  /** A group has at most `mostOfGroup` places at once, by default all. */
  constructor(count: number, mostOfGroup = count) {
    this.#free = count
    this.#mostOfGroup = mostOfGroup
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
      this.#hold(group, -1)
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
    const mayTake = ({ group }: Waiting) => (this.#held.get(group) ?? 0) < this.#mostOfGroup
    while (this.#free > 0 && this.#queue.startNext(mayTake, ({ group }) => this.#hold(group, 1)));
  }

  #hold(group: string, places: number): void {
    this.#free -= places
    const held = (this.#held.get(group) ?? 0) + places
    if (held > 0) this.#held.set(group, held)
    else this.#held.delete(group)
  }
}
