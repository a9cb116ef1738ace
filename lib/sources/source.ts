/** What sealing tells a source when it reads the rows of a table. */
export interface SourceRequest {
  /** Name of the table in the catalogue. */
  table: string
  /** Types of its columns in the catalogue, by their names; null when it declares none. */
  columns: Readonly<Record<string, string>> | null
  /** Name of the column that says whose the rows are, if they may lack it. Default: they have all columns. */
  optional?: string
  /**
   * Name of the column that tells tenants apart, when many are sealed at once: each may have a version of its own. Absent for
   * a table that is the same for all, and with `shared: 'where-missing'`.
   */
  by?: string
  /**
   * Values of the column `by`, as text, whose rows are sealed; rows without a value are wanted with them, and others may be left
   * out. A CSV whose columns the catalogue does not declare should tell their types then. Default: all rows are wanted.
   */
  only?: readonly string[]
  /** What `begin` of the session returned; undefined for a source without a session. */
  session: unknown
  /** Fires when the sealing is aborted or has failed: whatever the source holds must be given back. */
  signal: AbortSignal
}

/** The rows of a table, as the bytes of a file. */
export interface SourceRows {
  /**
   * The format of the bytes. CSV is UTF-8 with a header line, commas and double quotes. It is `csv` when an empty
   * field is NULL with quotes too, as in files, and `csv-with-empty-text` when one with quotes is an empty text.
   */
  format: 'csv' | 'csv-with-empty-text' | 'parquet'
  /** The bytes, in pieces of any size. They are read once, and no faster than they are stored. */
  chunks: AsyncIterable<Uint8Array>
  /**
   * Types of the columns in SQL of DuckDB, by their names, as far as they are known when all chunks were read: they
   * count where the catalogue declares none. A column of CSV without one is text. Default: as in a file, the values of
   * CSV tell.
   */
  types?(): Readonly<Record<string, string>>
}

/**
 * The state that several sources read in, such as a transaction of a database: the sources of one snapshot that have
 * the same session see the same rows. These sources are read one after the other.
 */
export interface SourceSession<Handle = unknown> {
  /** Begins before the first of its sources is read. When it throws, it has to release its own resources first. */
  begin(signal: AbortSignal): Promise<Handle>
  /** Ends after the last source was read, also when a source has failed; does not throw. */
  end(handle: Handle, failed: boolean): Promise<void>
}

/**
 * Versions of the rows of each tenant, by the value of the column that tells them apart, as text; in a Map, null stands for
 * rows without one.
 */
export type TenantVersions = ReadonlyMap<string | null, string> | Readonly<Record<string, string>>

/**
 * Where the rows of a table come from. A host may implement it; `sourceContract` of `foldgate-contracts` checks that
 * it does what sealing relies on.
 */
export interface TableSource {
  /**
   * Whether the order of the rows says something, so that it is kept. Otherwise they are stored in the order of the
   * unique key of the table, so that the same rows make the same file. Default: false.
   */
  readonly isOrdered?: boolean
  /** Milliseconds in which it has to deliver the next bytes, which the first may need most of. Default: 60,000 (60 s). */
  readonly idleMs?: number
  /** What it is read in; sources with the same object share it. */
  readonly session?: SourceSession
  /**
   * Tells which rows the source would deliver now: a text of at most 256 characters, another one whenever they may be
   * others, or null when it cannot tell. When the sources of all tables answer what they did before the newest snapshot was
   * sealed, nothing is read: a text that stays the same while rows change hides the change. With `by`, it may tell such a text
   * for each tenant, of which those with other texts are read, and those that it does not name. Asked before the rows are
   * read, in a session of its own. When it rejects, sealing throws a `SealerError` of the reason `source`. Default: rows
   * are always read.
   */
  version?(request: SourceRequest): Promise<string | TenantVersions | null>
  /** Begins to read the rows. A source that can be read only once rejects the second time. */
  read(request: SourceRequest): Promise<SourceRows>
}

/** Options of the sources that this library makes. */
export interface SourceOptions {
  /** Whether the order of the rows says something, so that it is kept. Default: false. */
  isOrdered?: boolean
}
