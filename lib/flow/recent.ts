/** How a {@link RecentMap} weighs its entries, and who hears of those that make room. */
interface RecentOptions<Key, Value> {
  /** What an entry weighs. Default: 1, so that the map has at most so many entries. */
  weigh?(value: Value): number
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
  readonly #options: RecentOptions<Key, Value>
  readonly #entries = new Map<Key, Value>()
  #weight = 0

  constructor(most: number, options: RecentOptions<Key, Value> = {}) {
    this.#most = most
    this.#options = options
  }

  /** What all entries weigh together. */
  get weight(): number {
    return this.#weight
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size
  }

  /** The values, of which the most recent one comes last. */
  values(): Value[] {
    return [...this.#entries.values()]
  }

  /** The keys, of which the most recent one comes last. */
  keys(): Key[] {
    return [...this.#entries.keys()]
  }

  /** The value of a key, which is then the most recent one. */
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
    const { mostEntries = Number.POSITIVE_INFINITY, onDrop } = this.#options
    for (const oldest of this.#entries.keys()) {
      const isWithin = this.#weight <= this.#most && this.#entries.size <= mostEntries
      if (isWithin || oldest === key) return
      const dropped = this.delete(oldest) as Value
      onDrop?.(dropped, oldest)
    }
  }

  /** The value of a key, which stays as recent as it was. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)
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
    const values = this.values()
    this.#entries.clear()
    this.#weight = 0
    return values
  }

  #weigh(value: Value): number {
    return this.#options.weigh?.(value) ?? 1
  }
}
