import type { Rows } from './rows.js'

/** What a way of answering has to agree with: all rows, in an order that the keys allow, and the keys' positions. */
export interface Right {
  rows: Rows
  keys: readonly number[]
}

/** What is wrong with all rows of a result; null when nothing is. */
export function differs(found: Rows, { rows, keys }: Right): string | null {
  if (found.length !== rows.length) return `${found.length} rows instead of ${rows.length}`
  const left = new Map<string, number>()
  for (const row of rows) count(left, row, 1)
  for (const row of found) if (count(left, row, -1) < 0) return `a row that is none or comes too often: ${text(row)}`
  return outOfOrder(found, rows, keys)
}

/** What is wrong with some rows of a result, of which `skipped` come before them. */
export function differsFrom(found: Rows, { rows, keys }: Right, skipped: number, limit: number): string | null {
  const length = Math.max(0, Math.min(limit, rows.length - skipped))
  if (found.length !== length) return `${found.length} rows instead of ${length}`
  const left = new Map<string, number>()
  for (const row of rows) count(left, row, 1)
  for (const row of found) if (count(left, row, -1) < 0) return `a row that is none or comes too often: ${text(row)}`
  return outOfOrder(found, rows.slice(skipped), keys)
}

/** Rows that are equal in their keys may stand in any order; the keys themselves may not. */
function outOfOrder(found: Rows, rows: Rows, keys: readonly number[]): string | null {
  if (keys.length === 0) return null
  const of = (row: readonly unknown[] = []) => text(keys.map(key => row[key]))
  const at = found.findIndex((row, index) => of(row) !== of(rows[index]))
  return at === -1 ? null : `row ${at} has the keys ${of(found[at])} instead of ${of(rows[at])}`
}

function count(left: Map<string, number>, row: readonly unknown[], by: number): number {
  const key = text(row)
  const next = (left.get(key) ?? 0) + by
  left.set(key, next)
  return next
}

// -0 is written as 0.
const text = (row: readonly unknown[]) => JSON.stringify(row)
