import { type Patience, waitFor } from './waiting.js'

/** An entry of a queue. */
export interface Waiting extends Patience {
  /** Groups take turns, and so do the subgroups within a group. */
  group: string
  /** Within the group. */
  subgroup: string
}

interface Waiter<Kind, Place> {
  what: Kind
  take(place: Place): void
  fail(cause: unknown): void
}

/**
 * A queue for places: round-robin across groups and across the subgroups of each group, FIFO within a
 * subgroup.
 */
export class Queue<Kind extends Waiting, Place> {
  /** By group and subgroup, both in order of their turns. */
  readonly #groups = new Map<string, Map<string, Set<Waiter<Kind, Place>>>>()
  #length = 0

  /** Number of waiting entries. */
  get length(): number {
    return this.#length
  }

  /** Number of groups with waiting entries. */
  get groups(): number {
    return this.#groups.size
  }

  /** Number of waiting entries for which `holds` is true. */
  count(holds: (what: Kind) => boolean): number {
    let count = 0
    for (const { what } of this.#waiters()) count += Number(holds(what))
    return count
  }

  /** Waits for a place; calls `joined` once the entry is in the queue. */
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

  /** Gives a place, made by `take`, to the next entry that may start; false when none may. */
  startNext(mayStart: (what: Kind) => boolean, take: (what: Kind) => Place): boolean {
    for (const waiter of this.#waiters()) {
      if (!mayStart(waiter.what)) continue
      const { group, subgroup } = waiter.what
      const place = take(waiter.what)
      waiter.take(place)
      moveToEnd(this.#groups, group)
      moveToEnd(this.#groups.get(group) ?? new Map(), subgroup)
      return true
    }
    return false
  }

  /** Rejects every waiting entry with `cause`. */
  clear(cause: unknown): void {
    for (const waiter of [...this.#waiters()]) waiter.fail(cause)
  }

  *#waiters(): Generator<Waiter<Kind, Place>> {
    for (const subgroups of this.#groups.values()) for (const waiters of subgroups.values()) yield* waiters
  }

  /** Returns the function that removes the waiter. */
  #add(waiter: Waiter<Kind, Place>): () => void {
    const { group, subgroup } = waiter.what
    const subgroups = this.#groups.get(group) ?? new Map<string, Set<Waiter<Kind, Place>>>()
    this.#groups.set(group, subgroups)
    const waiters = subgroups.get(subgroup) ?? new Set()
    subgroups.set(subgroup, waiters.add(waiter))
    this.#length += 1
    return () => {
      this.#length -= 1
      waiters.delete(waiter)
      if (waiters.size === 0) subgroups.delete(subgroup)
      if (subgroups.size === 0) this.#groups.delete(group)
    }
  }
}

function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key)
  if (value !== undefined && map.delete(key)) map.set(key, value)
}
