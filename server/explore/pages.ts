/** Pages of one result that were read, so that there is a way on and back: the API gives cursors forward alone. */
export interface Trail {
  /** Every page that can be read: how many rows come before it, and its cursor, which the first one has none of. */
  pages: readonly { from: number; cursor?: string }[]
  /** The page that is shown. */
  at: number
  /** How many rows there are, once the last page was read. */
  total: number | null
}

/** Before the first page was read. */
export const START: Trail = { pages: [{ from: 0 }], at: 0, total: null }

/** After a page was read that holds `count` rows. */
export function arrived({ pages, total }: Trail, at: number, count: number, nextCursor: string | undefined): Trail {
  const read = pages.slice(0, at + 1)
  const end = (pages[at]?.from ?? 0) + count
  if (nextCursor === undefined) return { pages: read, at, total: end }
  return { pages: [...read, { from: end, cursor: nextCursor }], at, total }
}

/** What of the result is shown, in words. */
export function told({ pages, at, total }: Trail, count: number): string {
  const from = pages[at]?.from ?? 0
  if (count === 0 && from === 0) return 'No rows'
  const [first, last] = [from + 1, from + count].map(each => each.toLocaleString('en'))
  const shown = count === 1 ? `Row ${first}` : `Rows ${first} to ${last}`
  if (total !== null) return `${shown} of ${total.toLocaleString('en')}`
  return `${shown}, and there are more`
}
