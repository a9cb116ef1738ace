/** A fixed cost, and one for each row. */
export interface Line {
  fixedMs: number
  msARow: number
  /** How far the points lie from it at most, as a part of each. */
  deviation: number
}

/** The line of the least squares of relative distances: a thousand rows count as much as a million. */
export function fitLine(points: readonly { rows: number; ms: number }[]): Line {
  let [ones, xs, xx, ys, xy] = [0, 0, 0, 0, 0]
  for (const { rows, ms } of points) {
    const weight = 1 / ms ** 2
    ones += weight
    xs += weight * rows
    xx += weight * rows ** 2
    ys += weight * ms
    xy += weight * rows * ms
  }
  const msARow = (ones * xy - xs * ys) / (ones * xx - xs ** 2)
  const fixedMs = (ys - msARow * xs) / ones
  const apart = points.map(({ rows, ms }) => Math.abs((fixedMs + msARow * rows) / ms - 1))
  return { fixedMs, msARow, deviation: Math.max(...apart) }
}
