import {
  absent,
  type Infer,
  list,
  type ObjectOf,
  record,
  type SchemaFields,
  type TypedSchema,
} from '../json-schema.js'
import type { Page } from '../model.js'
import { integer, named, nullable, object, optional, text } from '../schema.js'

/** Items per page when the caller sets no limit. */
export const DEFAULT_PAGE_LIMIT = 100
/** Most items per page. */
const MAX_PAGE_LIMIT = 500

const cursorSchema = named(
  'Cursor',
  text('A position in a list, signed by the service. Pass it back unchanged.'),
)

export const pageParamsSchema = named(
  'PageParams',
  object(
    {
      /** Maximum number of items on the page, 1 to 500. Default: 100. */
      limit: optional(integer(1, MAX_PAGE_LIMIT, 'Maximum number of items on the page.'), DEFAULT_PAGE_LIMIT),
      /** The `nextCursor` of the previous page. Default: the first page. */
      cursor: optional(
        nullable(cursorSchema, 'The nextCursor of the previous page; absent or null for the first page.'),
      ),
    },
    'The page to return; the first one when absent.',
  ),
)

/** Which page to return. */
export interface PageParams extends Infer<typeof pageParamsSchema> {}

/** Schema of a page of items, which may have more members. */
export function pageOf<Item, More extends SchemaFields = Record<never, never>>(
  title: string,
  description: string,
  item: TypedSchema<Item>,
  more = {} as More,
): TypedSchema<Page<Item> & ObjectOf<More>> {
  const { json } = cursorSchema
  return record(title, description, {
    items: list(item, 'The items; an empty list on an empty page.', { maxItems: MAX_PAGE_LIMIT }),
    nextCursor: absent<string>({ json }, 'Where the next page starts; absent on the last page.'),
    ...more,
  }) as TypedSchema<Page<Item> & ObjectOf<More>>
}
