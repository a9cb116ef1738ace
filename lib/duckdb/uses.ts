import { RecentMap } from '../flow/recent.js'

const HALF_LIFE_MS = 60_000
const MOST_REACHES = 1024

/** How often each reach was served of late: the number of its jobs, where a job counts half as much each minute. */
export class Uses {
  readonly #counts = new RecentMap<string, { count: number; at: number }>(MOST_REACHES)

  /** Counts a job. */
  add(key: string): void {
    this.#counts.set(key, { count: this.of(key) + 1, at: performance.now() })
  }

  of(key: string): number {
    const { count, at } = this.#counts.get(key) ?? { count: 0, at: 0 }
    return count * 2 ** ((at - performance.now()) / HALF_LIFE_MS)
  }
}
