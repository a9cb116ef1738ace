/** Pages of one result that were read. The API's cursors lead only forward, so going back needs the earlier ones. */
export interface Trail {
  /** Every page that can be read: the number of rows before it, and its cursor. The first page has none. */
  pages: readonly { from: number; cursor?: string }[]
  /** Index of the displayed page. */
  at: number
  /** Number of rows of the result; null until the last page was read. */
  total: number | null
}

/** The trail before the first page was read. */
export const START: Trail = { pages: [{ from: 0 }], at: 0, total: null }

/** The trail after page `at` was read, which has `count` rows. */
export function arrived({ pages, total }: Trail, at: number, count: number, nextCursor: string | undefined): Trail {
  const read = pages.slice(0, at + 1)
  const end = (pages[at]?.from ?? 0) + count
  if (nextCursor === undefined) return { pages: read, at, total: end }
  return { pages: [...read, { from: end, cursor: nextCursor }], at, total }
}

/** Which rows are displayed, in words. */
export function told({ pages, at, total }: Trail, count: number): string {
  const from = pages[at]?.from ?? 0
  if (count === 0 && from === 0) return 'No rows'
  const [first, last] = [from + 1, from + count].map(each => each.toLocaleString('en'))
  const shown = count === 1 ? `Row ${first}` : `Rows ${first} to ${last}`
  if (total !== null) return `${shown} of ${total.toLocaleString('en')}`
  return `${shown}, and there are more`
}
