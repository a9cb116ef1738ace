/** What else a {@link RecentMap} does. */
interface RecentOptions<Key, Value> {
  /** Most entries, whatever they weigh. Default: no limit. */
  mostEntries?: number
  /** Receives each entry that makes room for another, after it has left the map. */
  onDrop?(value: Value, key: Key): void
}

/**
 * A map whose entries weigh at most `most` together, 1 each unless they are weighed: the entries that were set or got
 * least recently make room for a new one, which stays whatever it weighs.
 */
export class RecentMap<Key, Value> {
  readonly #most: number
  readonly #weigh: (value: Value) => number
  readonly #keeping: RecentOptions<Key, Value>
  readonly #entries = new Map<Key, Value>()
  #weight = 0

  constructor(
    most: number,
    weigh: (value: Value) => number = () => 1,
    keeping: RecentOptions<Key, Value> = {},
  ) {
    this.#most = most
    this.#weigh = weigh
    this.#keeping = keeping
  }

  /** What all entries weigh together. */
  get weight(): number {
    return this.#weight
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    this.#entries.set(key, value)
    this.#weight += this.#weigh(value)
    const { mostEntries = Number.POSITIVE_INFINITY, onDrop } = this.#keeping
    for (const oldest of this.#entries.keys()) {
      const isWithin = this.#weight <= this.#most && this.#entries.size <= mostEntries
      if (isWithin || oldest === key) return
      const dropped = this.delete(oldest) as Value
      onDrop?.(dropped, oldest)
    }
  }

  /** Removes an entry, and returns its value. */
  delete(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.#weight -= this.#weigh(value)
    this.#entries.delete(key)
    return value
  }

  /** Removes all entries, and returns their values. */
  clear(): Value[] {
    const values = [...this.#entries.values()]
    this.#entries.clear()
    this.#weight = 0
    return values
  }
}
