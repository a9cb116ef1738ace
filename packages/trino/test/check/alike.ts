/** Sums of doubles depend on the order of their rows. */
const TOLERANCE = 1e-9

/** Whether two values of a row are the same; of a double, nearly so. */
export function isAlike(one: unknown, other: unknown, isDouble: boolean): boolean {
  if (one === null || other === null) return one === other
  if (!isDouble) return String(one) === String(other)
  const [a, b] = [Number(one), Number(other)]
  return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b))
}
