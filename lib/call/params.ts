import { absent, type Infer, list, record, type Told } from '../json-schema.js'
import {
  EXPORT_FORMATS,
  OWNERSHIP_VIEWS,
  type Page,
  type ProjectDescription,
  type ProjectExport,
  type ProjectSummary,
  type Row,
} from '../model.js'
import type { Words } from '../words.js'
import { MAX_SQL_BYTES } from './limits.js'
import { choice, integer, named, nullable, object, optional, text, uuid } from './schema.js'

/** Items per page when the caller sets no limit. */
export const DEFAULT_PAGE_LIMIT = 100
/** Most items per page. */
const MAX_PAGE_LIMIT = 500

const cursorSchema = named(
  'Cursor',
  text('A position in a list, signed by the service. Pass it back unchanged.'),
)

const pageParamsSchema = named(
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

/** Schema of a page of items. */
export function pageOf<Item>(title: string, description: string, item: Told<Item>): Told<Page<Item>> {
  const { json } = cursorSchema
  return record(title, description, {
    items: list(item, 'The items; an empty list on an empty page.', { maxItems: MAX_PAGE_LIMIT }),
    nextCursor: absent<string>({ json }, 'Where the next page starts; absent on the last page.'),
  })
}

export const listParamsSchema = named(
  'ProjectListParams',
  object(
    {
      /** Which page of the projects to return. Default: the first 100. */
      page: optional<PageParams>(pageParamsSchema),
    },
    'The page of the list to return.',
  ),
)

/** Params of `projects/list`. */
export interface ListParams extends Infer<typeof listParamsSchema> {}

export const describeParamsSchema = named(
  'ProjectDescribeParams',
  object(
    {
      /** UUID of the project. */
      projectId: uuid('Id of the project, from projects/list.'),
      /** Relation whose columns are returned. Default: no columns are returned. */
      relation: optional(nullable(text('The relation of the catalogue whose columns to return.')), null),
    },
    'The project to describe, and optionally one of its relations.',
  ),
)

/** Params of `projects/describe`. */
export interface DescribeParams extends Infer<typeof describeParamsSchema> {}

/** Fields that choose a point of view. */
const pointFields = {
  /** UUID of the entity whose subtree is read. Default: the whole project. */
  entityId: optional(
    nullable(uuid('Entity whose subtree is read; the whole project when absent or null.')),
    null,
  ),
  /** How ownership counts. Default: `net`. */
  ownershipView: optional(
    named(
      'OwnershipView',
      choice(
        OWNERSHIP_VIEWS,
        'How ownership counts. net: each entity at its share along the path from the root of what is read. gross: ' +
          'each entity at 100 %.',
      ),
    ),
    'net',
  ),
}

/** Fields of a statement and, where callers choose one, its point of view. */
const statementFields = ({ hasPointOfView }: Words) => ({
  /** UUID of the project. */
  projectId: uuid('Id of the project, from projects/list.'),
  ...(hasPointOfView ? pointFields : ({} as typeof pointFields)),
  /** One SELECT over the relations that `projects/describe` lists. */
  sql: text(
    'One SELECT over the relations of projects/describe, or a UNION, EXCEPT or INTERSECT of SELECTs, optionally with ' +
      `WITH. At most ${MAX_SQL_BYTES / 1024} KiB of UTF-8. Anything else is answered INVALID_QUERY.`,
  ),
})

export const queryParamsSchema = (words: Words) =>
  named(
    'ProjectQueryParams',
    object(
      {
        ...statementFields(words),
        /** Which page of the rows to return. Default: the first 100 rows. */
        page: optional<PageParams>(pageParamsSchema),
      },
      words.queryParams,
    ),
  )

/** Params of `projects/query`: a statement, its point of view, and a page of its rows. */
export interface QueryParams extends Infer<ReturnType<typeof queryParamsSchema>> {}

export const exportParamsSchema = (words: Words) =>
  named(
    'ProjectExportParams',
    object(
      {
        ...statementFields(words),
        /** Format of the file. Default: `parquet`. */
        format: optional(
          named(
            'ExportFormat',
            choice(
              EXPORT_FORMATS,
              'Format of a file. parquet; csv: RFC 4180 with a header; ndjson: a JSON object per line; arrow: an IPC ' +
                'stream; xlsx: an Excel workbook of at most 1,048,576 rows.',
            ),
          ),
          'parquet',
        ),
        /**
         * What becomes of strings in a CSV file that spreadsheets would run as formulas. `keep` (default):
         * nothing; `escape`: an apostrophe is put before each formula, also behind `;`, tabs, line breaks and
         * characters that are not seen. Files of other formats hold no formulas.
         */
        csvInjection: optional(
          choice(
            ['keep', 'escape'] as const,
            'Strings in a CSV file that begin with =, +, -, @, a tab or a line break, which spreadsheets run as formulas, ' +
              'also behind what is not seen, and inside a string behind ";", a tab or a line break. keep: as they are. ' +
              'escape: with an apostrophe before each formula. Files of other formats hold no formulas.',
          ),
          'keep',
        ),
      },
      words.exportParams,
    ),
  )

/** Params of `projects/export`: a statement, its point of view, and the format of the file. */
export interface ExportParams extends Infer<ReturnType<typeof exportParamsSchema>> {}

/** Params and result of each method. */
export interface MethodTypes {
  /** A page of the projects that the key can read. */
  'projects/list': { params: ListParams; result: Page<ProjectSummary> }
  /** The relations of a project, and the columns of one of them. */
  'projects/describe': { params: DescribeParams; result: ProjectDescription }
  /** A page of rows. */
  'projects/query': { params: QueryParams; result: Page<Row> }
  /** A file behind an expiring link. */
  'projects/export': { params: ExportParams; result: ProjectExport }
}

/** Name of a method. */
export type MethodName = keyof MethodTypes

/** Names of the methods, in the order in which they are described. */
export const METHOD_NAMES: readonly MethodName[] = [
  'projects/list',
  'projects/describe',
  'projects/query',
  'projects/export',
]
