import { type Patience, waitFor } from './waiting.js'

/** What waits for a place, and on whose behalf. */
export interface Waiting extends Patience {
  /** Those of one group wait behind each other; groups take turns, and so do the lines within one. */
  group: string
  line: string
}

interface Waiter<Kind, Place> {
  what: Kind
  take(place: Place): void
  fail(cause: unknown): void
}

/** Whoever waits for a place: round-robin across groups, and across the lines of each, first in first out within a line. */
export class Queue<Kind extends Waiting, Place> {
  /** By group and line; whose turn is next comes first. */
  readonly #groups = new Map<string, Map<string, Set<Waiter<Kind, Place>>>>()
  #length = 0

  get length(): number {
    return this.#length
  }

  /** How many wait of whom this holds. */
  count(holds: (what: Kind) => boolean): number {
    let count = 0
    for (const { what } of this.#waiters()) count += Number(holds(what))
    return count
  }

  /** Waits until a place is given; `joined` runs when it stands in line. */
  async join(what: Kind, joined: () => void): Promise<Place> {
    let leave = () => {}
    return waitFor<Place>(
      what,
      (take, fail) => {
        leave = this.#add({ what, take, fail })
        joined()
      },
      () => leave(),
    )
  }

  /** Gives whose turn it is, of those that may, the place that `take` makes. False when none may. */
  startNext(mayStart: (what: Kind) => boolean, take: (what: Kind) => Place): boolean {
    for (const waiter of this.#waiters()) {
      if (!mayStart(waiter.what)) continue
      const { group, line } = waiter.what
      const place = take(waiter.what)
      waiter.take(place)
      moveToEnd(this.#groups, group)
      moveToEnd(this.#groups.get(group) ?? new Map(), line)
      return true
    }
    return false
  }

  /** Ends every wait. */
  clear(cause: unknown): void {
    for (const waiter of [...this.#waiters()]) waiter.fail(cause)
  }

  *#waiters(): Generator<Waiter<Kind, Place>> {
    for (const lines of this.#groups.values()) for (const waiters of lines.values()) yield* waiters
  }

  /** Returns what takes it out again. */
  #add(waiter: Waiter<Kind, Place>): () => void {
    const { group, line } = waiter.what
    const lines = this.#groups.get(group) ?? new Map<string, Set<Waiter<Kind, Place>>>()
    this.#groups.set(group, lines)
    const waiters = lines.get(line) ?? new Set()
    lines.set(line, waiters.add(waiter))
    this.#length += 1
    return () => {
      this.#length -= 1
      waiters.delete(waiter)
      if (waiters.size === 0) lines.delete(line)
      if (lines.size === 0) this.#groups.delete(group)
    }
  }
}

function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key)
  if (value !== undefined && map.delete(key)) map.set(key, value)
}
