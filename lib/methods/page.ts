import { integer, type JsonSchema, named, nullable, object, optional, sent, text } from '../schema.js'

/** Items of a page when the caller does not say. */
export const DEFAULT_PAGE_LIMIT = 100
/** The most items of a page. */
const MAX_PAGE_LIMIT = 500

const cursor = named(
  'Cursor',
  text('A place in a list, sealed by the service. It is passed back as it came, never built.'),
)

/** The `page` field of the methods that answer in pages. */
export const pageField = optional(
  named(
    'PageParams',
    object(
      {
        limit: optional(integer(1, MAX_PAGE_LIMIT, 'The most items that the page may have.'), DEFAULT_PAGE_LIMIT),
        cursor: optional(nullable(cursor, 'The nextCursor of the page before; left out or null for the first page.')),
      },
      'Which page is wanted; left out for the first one.',
    ),
  ),
  { limit: DEFAULT_PAGE_LIMIT },
)

/** JSON Schema of a page of items. */
export function pageOf(title: string, description: string, item: JsonSchema): JsonSchema {
  const items = {
    type: 'array',
    items: item,
    maxItems: MAX_PAGE_LIMIT,
    description: 'The items, none on an empty page.',
  }
  const next = nullable(cursor, 'Where the next page starts; absent on the last page.').json
  return sent(title, description, { items, nextCursor: next }, ['nextCursor'])
}
