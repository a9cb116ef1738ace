import type { ShapedRows } from './sql.js'

/**
 * Pages of one result that were read. The API's cursors
 * lead only forward, so going back needs the earlier ones.
 */
export interface ReadPages {
  /** Every page that can be read: the number of rows before it, and its cursor. The first page has none. */
  pages: readonly { from: number; cursor?: string }[]
  /** Index of the displayed page. */
  at: number
  /** Number of rows of the result; null until the last page was read. */
  total: number | null
}

/** The pages before the first one was read. */
export const NO_PAGES: ReadPages = { pages: [{ from: 0 }], at: 0, total: null }

/** The pages after the one at index `at` was read, which has `count` rows. */
export function withPage(
  { pages, total }: ReadPages,
  at: number,
  count: number,
  nextCursor: string | undefined,
): ReadPages {
  const read = pages.slice(0, at + 1)
  const end = (pages[at]?.from ?? 0) + count
  if (nextCursor === undefined) return { pages: read, at, total: end }
  return { pages: [...read, { from: end, cursor: nextCursor }], at, total }
}

/** Which rows are displayed, in words. */
export function toldRows({ pages, at, total }: ReadPages, count: number): string {
  const from = pages[at]?.from ?? 0
  if (count === 0 && from === 0) return 'No rows'
  const [first, last] = [from + 1, from + count].map(each => each.toLocaleString('en'))
  const shown = count === 1 ? `Row ${first}` : `Rows ${first} to ${last}`
  if (total !== null) return `${shown} of ${total.toLocaleString('en')}`
  return `${shown}, and there are more`
}

/**
 * How the whole result is filtered and sorted, in words; '' when it is neither. `isPart`: the statement itself limits its
 * rows.
 */
export function toldShape({ sort, filter }: ShapedRows, names: readonly string[], isPart: boolean): string {
  const parts = [
    filter !== '' && 'filtered',
    sort && `sorted by ${names[sort.column]}, ${sort.isDescending ? 'descending' : 'ascending'}`,
  ].filter(part => part)
  const what = isPart ? 'The rows within the LIMIT of the statement' : 'The whole result'
  return parts.length > 0 ? `${what}, ${parts.join(' and ')}.` : ''
}

/** The time that all phases took, in whole milliseconds, at least 1. */
export function wholeMs(spentMs: Record<string, number>): string {
  const total = Object.values(spentMs).reduce((sum, ms) => sum + ms, 0)
  return Math.max(1, Math.round(total)).toLocaleString('en')
}

/** The phases that took at least 1 ms, in words. */
export function phasesOf(spentMs: Record<string, number>): string {
  const slow = Object.entries(spentMs).filter(([, ms]) => ms >= 1)
  return slow.map(([phase, ms]) => `${phase} ${Math.round(ms).toLocaleString('en')} ms`).join(', ')
}
