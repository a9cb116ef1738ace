import type { PageParams } from '../call/page-params.js'
import type { Page } from '../model.js'
import { AnalyticsClientError, SnapshotReplacedError } from './errors.js'

type ReadPage<Item> = (page: PageParams) => Promise<Page<Item>>

/** The largest page that the service allows, for the fewest calls. */
const PAGE_LIMIT = 500

/** Yields the items of all pages in order. */
export async function* eachItem<Item>(
  read: ReadPage<Item>,
  first: PageParams = {},
  signal?: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  let page: PageParams = { limit: PAGE_LIMIT, ...first }
  for (;;) {
    const { items, nextCursor } = await read(page)
    for (const item of items) {
      signal?.throwIfAborted()
      yield item
    }
    if (nextCursor == null) return
    page = { ...page, cursor: nextCursor }
  }
}

/**
 * Yields the rows of all pages. Throws a {@link SnapshotReplacedError} when the snapshot is replaced in
 * between.
 */
export async function* eachRow<Item>(
  read: ReadPage<Item>,
  first: PageParams = {},
  { signal, restart = false }: { signal?: AbortSignal | undefined; restart?: boolean | undefined } = {},
): AsyncGenerator<Item, void, undefined> {
  let given = 0
  let mayRestart = restart
  const readOn: ReadPage<Item> = page => {
    return read(page).catch(async cause => {
      if (!isStale(cause) || page.cursor == null) throw cause
      if (given === 0 && mayRestart) {
        mayRestart = false
        return read({ ...page, cursor: null })
      }
      // The caller's own cursor may be wrong for other reasons: throw the error of the service.
      throw page.cursor === first.cursor ? cause : new SnapshotReplacedError(given, cause)
    })
  }
  for await (const row of eachItem(readOn, first, signal)) {
    given++
    yield row
  }
}

function isStale(cause: unknown): boolean {
  return (
    cause instanceof AnalyticsClientError &&
    cause.class === 'INVALID_PARAMS' &&
    cause.data.path === 'page.cursor'
  )
}
