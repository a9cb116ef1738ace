import type { Infer } from '../json-schema.js'
import {
  EXPORT_FORMATS,
  OWNERSHIP_VIEWS,
  type Page,
  type ParameterValue,
  type ProjectDescription,
  type ProjectExport,
  type ProjectSummary,
  type RowPage,
} from '../model.js'
import { choice, flag, listOf, named, nullable, object, openObject, optional, text, uuid } from '../schema.js'
import type { Words } from '../words.js'
import { MAX_SQL_BYTES } from './limits.js'
import { type PageParams, pageParamsSchema } from './page-params.js'

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

const pinnedSnapshot = optional(
  nullable(
    text(
      'Id of a sealed snapshot that is kept, as the header Foldgate-Snapshot and projects/describe tell it; the latest ' +
        'when absent or null.',
    ),
  ),
  null,
)

export const describeParamsSchema = named(
  'ProjectDescribeParams',
  object(
    {
      /** UUID of the project. */
      projectId: uuid('Id of the project, from projects/list.'),
      /** Relation whose columns are returned. Default: no columns are returned. */
      relation: optional(nullable(text('The relation of the catalogue whose columns to return.')), null),
      /**
       * What to return besides: `snapshots`, those that are kept; `warnings`, with which the snapshot was sealed; `dialect`,
       * the SQL that the project speaks; `statistics`, what the values of the columns of the relation are. Default: nothing.
       */
      include: optional(
        listOf(
          choice(
            ['snapshots', 'warnings', 'dialect', 'statistics'] as const,
            'snapshots: those that are kept, newest first. warnings: what sealing found wrong with the snapshot and let ' +
              'pass. dialect: the name of the SQL that the project speaks. statistics: the rows of the relation, and the ' +
              'NULLs, the values where there are at most 50, and the smallest and largest value of its columns.',
          ),
          'What to return besides.',
        ),
      ),
      /** Id of the snapshot whose columns are returned. Default: the latest one. */
      snapshot: pinnedSnapshot,
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

/** Values for a statement. */
const valueFields = {
  /**
   * Values of the parameters that the statement names as `$name`: JSON scalars, or `{ type, value }` with an SQL
   * type, such as `DATE` or `VARCHAR[]`, and the value as rows of that type have it. Default: none.
   */
  parameters: optional(
    openObject<Record<string, ParameterValue>>(
      'Values of the parameters that the statement names as $name. Each is a JSON scalar, or an object with the members ' +
        'type, an SQL type such as DATE or VARCHAR[], and value, as rows of that type have it. Whole numbers are BIGINT, ' +
        'other numbers DOUBLE, strings VARCHAR.',
    ),
  ),
}

/** The snapshot of a statement. */
const snapshotFields = {
  /** Id of the snapshot to read. Default: the latest one. */
  snapshot: pinnedSnapshot,
}

const COLUMNS =
  'columns: name and type of each column of the result. hints: what is probably wrong with the statement.'

export const queryParamsSchema = (words: Words) =>
  named(
    'ProjectQueryParams',
    object(
      {
        ...statementFields(words),
        /** Which page of the rows to return. Default: the first 100 rows. */
        page: optional<PageParams>(pageParamsSchema),
        ...valueFields,
        /** What to return besides: `columns`, `total`, the number of rows of the whole result; `hints`, what is probably wrong. Default: nothing. */
        include: optional(
          listOf(
            choice(
              ['columns', 'total', 'hints'] as const,
              `${COLUMNS} total: the number of rows of the whole result.`,
            ),
            'What to return besides.',
          ),
        ),
        /** Whether the statement is only checked and bound, which returns its columns and no rows. Default: false. */
        dryRun: optional(
          flag(
            'Whether to check and bind the statement without running it: the result has its columns and no rows.',
          ),
          false,
        ),
        ...snapshotFields,
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
        ...valueFields,
        /** What to return besides: `columns`; `hints`, what is probably wrong. Default: nothing. */
        include: optional(listOf(choice(['columns', 'hints'] as const, COLUMNS), 'What to return besides.')),
        ...snapshotFields,
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
  'projects/query': { params: QueryParams; result: RowPage }
  /** A file behind an expiring link. */
  'projects/export': { params: ExportParams; result: ProjectExport }
}
