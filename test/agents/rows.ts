import { alike } from '../server/data/differences.js'
import type { GoldenRow } from './question.js'

type Found = readonly unknown[]

const textOf = (row: Found) => JSON.stringify(row)
const byText = (rows: readonly Found[]) => [...rows].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))

/** Whether rows are the golden ones, numbers within the tolerance; in their order if that is part of the answer. */
export function areGolden(rows: readonly Found[], golden: readonly GoldenRow[], isOrdered = false): boolean {
  const isAt = (row: Found, at: number, wanted: readonly GoldenRow[]) =>
    row.length === wanted[at]?.length && row.every((cell, index) => alike(cell, wanted[at]?.[index]))
  if (rows.length !== golden.length) return false
  if (isOrdered) return rows.every((row, at) => isAt(row, at, golden))
  const left = byText(golden) as GoldenRow[]
  return byText(rows).every(row => {
    const at = left.findIndex((_, index) => isAt(row, index, left))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}

/**
 * Whether rows have the golden ones in some of their columns, in any order of the columns: a model names, orders and adds
 * columns as it likes.
 */
export function holdGolden(rows: readonly Found[], golden: readonly GoldenRow[], isOrdered = false): boolean {
  const [width = 0, wanted = 0] = [rows[0]?.length, golden[0]?.length]
  if (rows.length !== golden.length || wanted > width) return false
  const from = (chosen: readonly number[]): boolean => {
    const picked = rows.map(row => chosen.map(column => row[column]))
    const begun = golden.map(row => row.slice(0, chosen.length))
    if (!areGolden(picked, begun, isOrdered)) return false
    if (chosen.length === wanted) return true
    return Array.from({ length: width }, (_, column) => column).some(
      column => !chosen.includes(column) && from([...chosen, column]),
    )
  }
  return from([])
}
