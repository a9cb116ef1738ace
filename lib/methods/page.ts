import { integer, type JsonSchema, named, nullable, object, optional, sent, text } from '../call/schema.js'

/** Items per page when the caller sets no limit. */
export const DEFAULT_PAGE_LIMIT = 100
/** Most items per page. */
const MAX_PAGE_LIMIT = 500

const cursor = named('Cursor', text('A position in a list, signed by the service. Pass it back unchanged.'))

/** The `page` field of the methods that answer in pages. */
export const pageField = optional(
  named(
    'PageParams',
    object(
      {
        limit: optional(integer(1, MAX_PAGE_LIMIT, 'Maximum number of items on the page.'), DEFAULT_PAGE_LIMIT),
        cursor: optional(nullable(cursor, 'The nextCursor of the previous page; absent or null for the first page.')),
      },
      'The page to return; the first one when absent.',
    ),
  ),
)

/** JSON Schema of a page of items. */
export function pageOf(title: string, description: string, item: JsonSchema): JsonSchema {
  const items = {
    type: 'array',
    items: item,
    maxItems: MAX_PAGE_LIMIT,
    description: 'The items; an empty list on an empty page.',
  }
  const next = nullable(cursor, 'Where the next page starts; absent on the last page.').json
  return sent(title, description, { items, nextCursor: next }, ['nextCursor'])
}
