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

/** Columns of a table of which the two files differ. */
export interface ColumnDifference {
  added: string[]
  removed: string[]
  retyped: { name: string; from: string; to: string }[]
  /**
   * Columns with changed values, and the number of rows in which they changed; empty for rows without a key.
   */
  changed: { name: string; rows: number }[]
}

/** Numbers of rows. `changed` is null when no key tells which rows belong together. */
export interface RowDifference {
  from: number
  to: number
  added: number
  removed: number
  changed: number | null
}

/** Values by column, as DuckDB writes them; long ones are cut and end in an ellipsis. */
export type Values = Record<string, string | null>

/** Rows that differ, at most `limit` of each kind, in the order of the key. */
export interface ShownRows {
  /** Rows of one file only; without a key, equal rows are one entry, which `times` counts. */
  added: { values: Values; times: number }[]
  removed: { values: Values; times: number }[]
  changed: { key: Values; columns: { name: string; from: string | null; to: string | null }[] }[]
}

/** What differs between two versions of a table. */
export interface TableDifference {
  name: string
  /** The columns by which rows were matched; null when whole rows were compared. */
  key: string[] | null
  rows: RowDifference
  columns: ColumnDifference
  /** Present if rows were asked for. */
  shown?: ShownRows
}

/** What the comparing process is asked. */
export interface ComparisonJob {
  tables: readonly TablePair[]
  /** Most rows of each kind to show; 0 shows none. */
  limit: number
}
