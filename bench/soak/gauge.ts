import { readdirSync } from 'node:fs'

/** Values of something over time. */
export class Gauge {
  readonly #values: number[] = []

  add(value: number): void {
    this.#values.push(value)
  }

  get first(): number {
    return this.#values[0] ?? Number.NaN
  }

  get last(): number {
    return this.#values.at(-1) ?? Number.NaN
  }

  get most(): number {
    return Math.max(...this.#values)
  }

  /** Rise over so many samples, by least squares over the second half: the first one fills caches. */
  slope(samples: number): number {
    const values = this.#values.slice(this.#values.length >> 1)
    const middle = (values.length - 1) / 2
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const above = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0)
    const below = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
    return (above / below) * samples
  }
}

/** How many files and sockets a process has open. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
