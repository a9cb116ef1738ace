import type { Row } from 'foldgate/client'
import type { RowColumn } from './values.js'

/** What became of a row between two snapshots, in the order in which they are shown. */
const STATES = ['changed', 'new', 'gone', 'the same'] as const

/** A row of the older snapshot and the row in its place in the newer snapshot; either may be missing. */
export interface Pair {
  state: (typeof STATES)[number]
  before: Row | undefined
  after: Row | undefined
}

/**
 * Pairs the rows of one question in two snapshots by their values in all columns that are no numbers, or, where all columns
 * are numbers, by their place. Of several rows with the same values, equal rows are paired first. Differences come first.
 */
export function differences(
  columns: readonly RowColumn[],
  before: readonly Row[],
  after: readonly Row[],
): Pair[] {
  const named = columns.filter(({ kind }) => kind !== 'number')
  const textOf = (row: Row, of: readonly RowColumn[]) => JSON.stringify(of.map(({ name }) => row[name]))
  const keyOf = (row: Row, at: number) => (named.length === 0 ? String(at) : textOf(row, named))
  const groups = new Map<string, { before: Row[]; after: Row[] }>()
  const grouped = (key: string) => {
    const group = groups.get(key) ?? { before: [], after: [] }
    groups.set(key, group)
    return group
  }
  for (const [at, row] of after.entries()) grouped(keyOf(row, at)).after.push(row)
  for (const [at, row] of before.entries()) grouped(keyOf(row, at)).before.push(row)
  const pairs: Pair[] = []
  for (const group of groups.values()) {
    const left = new Map<string, Row[]>()
    for (const row of group.before) {
      const text = textOf(row, columns)
      left.set(text, [...(left.get(text) ?? []), row])
    }
    const others: Row[] = []
    for (const row of group.after) {
      const equal = left.get(textOf(row, columns))?.shift()
      if (equal) pairs.push({ state: 'the same', before: equal, after: row })
      else others.push(row)
    }
    const unpaired = [...left.values()].flat()
    for (let at = 0; at < Math.max(others.length, unpaired.length); at++) {
      const [old, now] = [unpaired[at], others[at]]
      pairs.push({ state: old && now ? 'changed' : now ? 'new' : 'gone', before: old, after: now })
    }
  }
  return STATES.flatMap(state => pairs.filter(pair => pair.state === state))
}

/** Pairs as rows of a table: what became of them, the columns that name them, and each number before and after. */
export function tableOf(
  columns: readonly RowColumn[],
  pairs: readonly Pair[],
): { columns: RowColumn[]; rows: Row[] } {
  const taken = new Set(columns.map(({ name }) => name))
  const free = (name: string): string => (taken.has(name) ? free(`${name} `) : name)
  const state: RowColumn = { name: free('row'), type: '', kind: 'text' }
  const named = columns.filter(({ kind }) => kind !== 'number')
  const numbers = columns
    .filter(({ kind }) => kind === 'number')
    .map(column => ({
      column,
      heads: ['before', 'after'].map(each => ({ ...column, name: free(`${column.name}, ${each}`) })),
    }))
  return {
    columns: [state, ...named, ...numbers.flatMap(({ heads }) => heads)],
    rows: pairs.map(({ state: what, before, after }) => ({
      ...(after ?? before),
      [state.name]: what,
      ...Object.fromEntries(
        numbers.flatMap(({ column, heads }) =>
          [before, after].map((row, at) => [heads[at]?.name, row ? row[column.name] : '']),
        ),
      ),
    })),
  }
}
