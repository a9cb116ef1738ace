/**
 * A map whose entries weigh at most `most` together, 1 each unless they are weighed: the entries that were set or got
 * least recently make room for a new one, which stays whatever it weighs.
 */
export class RecentMap<Key, Value> {
  readonly #most: number
  readonly #weigh: (value: Value) => number
  readonly #entries = new Map<Key, Value>()
  #weight = 0

  constructor(most: number, weigh: (value: Value) => number = () => 1) {
    this.#most = most
    this.#weigh = weigh
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
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#most || oldest === key) return
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key)
    if (value !== undefined) this.#weight -= this.#weigh(value)
    this.#entries.delete(key)
  }
}
