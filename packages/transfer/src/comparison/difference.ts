import {
  count,
  type FromJson,
  type Infer,
  listOf,
  nullable,
  type Outcome,
  object,
  optional,
  recordOf,
  type Schema,
  text,
} from 'foldgate/internal'

/**
 * Two versions of a table to compare: a Parquet file each, or the files that the rows are in, by absolute
 * path.
 */
export interface TablePair {
  name: string
  from: string | readonly string[]
  to: string | readonly string[]
  /** Columns that together identify a row; empty if the catalogue declares none. */
  key: readonly string[]
}

const names = (description: string) => listOf(text('Its name.'), description)
const value = nullable(text('As DuckDB writes it; a long one is cut and ends in an ellipsis.'))
const values = recordOf(value, 'Values by column.')

const columns = object(
  {
    added: names('Columns that the older version lacks.'),
    removed: names('Columns that the newer version lacks.'),
    retyped: listOf(
      object(
        { name: text('Its name.'), from: text('Its type before.'), to: text('Its type after.') },
        'A column.',
      ),
      'Columns of another type.',
    ),
    changed: listOf(
      object({ name: text('Its name.'), rows: count('Rows in which it has changed.') }, 'A column.'),
      'Columns with changed values; empty for rows without a key.',
    ),
  },
  'Columns of which the two versions differ.',
)

const rows = object(
  {
    from: count('Rows of the older version.'),
    to: count('Rows of the newer version.'),
    added: count('Rows of the newer version only.'),
    removed: count('Rows of the older version only.'),
    changed: nullable(count('Rows that have changed; null when no key tells which rows belong together.')),
  },
  'Numbers of rows.',
)

const ofOne = (description: string) =>
  listOf(
    object({ values, times: count('How often it is there: equal rows without a key are one.') }, 'A row.'),
    description,
  )

const shown = object(
  {
    added: ofOne('Rows of the newer version only.'),
    removed: ofOne('Rows of the older version only.'),
    changed: listOf(
      object(
        {
          key: values,
          columns: listOf(
            object({ name: text('Its name.'), from: value, to: value }, 'A column.'),
            'What has changed.',
          ),
        },
        'A row.',
      ),
      'Rows that have changed.',
    ),
  },
  'Rows that differ, at most so many of each kind as were asked for, in the order of the key.',
)

const difference = object(
  {
    key: nullable(names('The columns by which rows were matched; null when whole rows were compared.')),
    rows,
    columns,
    shown: optional(shown),
  },
  'What differs between two versions of a table.',
)

/** Values by column, as DuckDB writes them; long ones are cut and end in an ellipsis. */
export type RowValues = Infer<typeof values>
/** Columns of a table of which the two versions differ. */
export type ColumnDifference = Infer<typeof columns>
/** Numbers of rows. `changed` is null when no key tells which rows belong together. */
export type RowDifference = Infer<typeof rows>
/** Rows that differ, at most `limit` of each kind, in the order of the key. */
export type ShownRows = Infer<typeof shown>
/** What differs between two versions of a table; `shown` is there if rows were asked for. */
export type Difference = FromJson<Infer<typeof difference>>

/** What differs between two versions of a table, by its name. */
export type TableDifference = Difference & { name: string }

/** What the comparing process is asked. */
export interface ComparisonJob {
  tables: readonly TablePair[]
  /** Most rows of each kind to show; 0 shows none. */
  limit: number
}

/** Most bytes of all that differs: a thousand rows of each kind, with many columns. */
const MOST_BYTES = 256 * 1024 ** 2

/** The outcomes of a job: the differences between the versions of each table, in turn. */
export function differencesOf({ tables }: ComparisonJob): Outcome<Difference[]> {
  return {
    schema: listOf(difference as Schema<Difference>, 'A difference for each table.'),
    holds: found => found.length === tables.length,
    headBytes: MOST_BYTES,
  }
}
