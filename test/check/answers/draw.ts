/** Draws from a seed, which always yields the same. */
export class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A random integer from 0 up to, but not including, `count`. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value
  }

  /** True in so many of a hundred draws. */
  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  /** At most so many values, each at most once, in their order. */
  some<Value>(values: readonly Value[], most: number): Value[] {
    const left = [...values.keys()]
    const taken: number[] = []
    while (taken.length < most && left.length > 0) taken.push(...left.splice(this.below(left.length), 1))
    return taken.sort((a, b) => a - b).map(at => values[at] as Value)
  }
}
