import { readdirSync } from 'node:fs'

/** Samples of a value over time. */
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

  /** Rise per `samples` samples, by least squares over the second half, since caches fill during the first. */
  slope(samples: number): number {
    const values = this.#values.slice(this.#values.length >> 1)
    const middle = (values.length - 1) / 2
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const above = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0)
    const below = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
    return (above / below) * samples
  }
}

/** Number of files and sockets that a process has open. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
