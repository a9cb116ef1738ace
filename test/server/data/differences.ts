import { indexBy } from './group.js'

/** Relative tolerance for equal numbers, as a part of the larger one. */
const TOLERANCE = 1e-6
const MAX_TOLD = 5

/** Differences between two lists of rows, by row key. */
export interface Differences {
  onlyFirst: string[]
  onlySecond: string[]
  /** Rows in both lists that differ, each with its first differing cell. */
  unequal: Map<string, string>
}

/** Compares rows by key, in the columns of the first list. */
export function differences(first: Iterable<object>, second: Iterable<object>, key: readonly string[]): Differences {
  const [ours, theirs] = [first, second].map(rows => indexBy(rows, row => keyOf(row, key))) as [Index, Index]
  const unequal = new Map<string, string>()
  for (const [name, row] of ours) {
    const other = theirs.get(name)
    const cell = other && Object.entries(row).find(([column, value]) => !alike(value, at(other, column)))
    if (cell) unequal.set(name, `${name}: ${cell[0]} ${cell[1]}, not ${at(other, cell[0])}`)
  }
  return {
    onlyFirst: [...ours.keys()].filter(name => !theirs.has(name)),
    onlySecond: [...theirs.keys()].filter(name => !ours.has(name)),
    unequal,
  }
}

type Index = Map<string, object>

/** Joins the cells of a row's key columns. */
export function keyOf(row: object, key: readonly string[]): string {
  return key.map(column => at(row, column) ?? '').join('|')
}

function at(row: object, column: string): unknown {
  return (row as Record<string, unknown>)[column]
}

/** Whether two cells are equal, numbers within the tolerance. */
export function alike(first: unknown, second: unknown): boolean {
  if (typeof first !== 'number' || typeof second !== 'number') return first === second
  return Math.abs(first - second) <= TOLERANCE * Math.max(Math.abs(first), Math.abs(second))
}

/** Shortens a list for a message. */
export function few(many: Iterable<string>): string {
  const all = [...many]
  return all.length > MAX_TOLD
    ? `${all.slice(0, MAX_TOLD).join('; ')} and ${all.length - MAX_TOLD} more`
    : all.join('; ')
}
