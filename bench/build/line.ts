/** A fixed cost and a cost per row. */
export interface Line {
  fixedMs: number
  msARow: number
  /** Largest relative distance of a point from the line. */
  deviation: number
}

/** Fits a line by least squares of relative distances, so that 1,000 rows count as much as 1,000,000. */
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
