/** How ownership counts: `net` weights an entity by its share along the path from the entity read, `gross` by 100 %. */
export type OwnershipView = 'net' | 'gross'

/**
 * Whether the analytics of a project can be read now: `computed` once an assessment has completed, even while the next
 * one runs; `computing` while the first one runs; `notComputed` otherwise.
 */
export type ProjectState = 'computed' | 'computing' | 'notComputed'

/** A project that the key can read. */
export interface ProjectSummary {
  /** UUID in lower case. */
  projectId: string
  /** Display name. */
  name: string
  /** Key of the organization that owns the project. */
  organization: string
  /** Whether its analytics can be read now. */
  state: ProjectState
}

/** One page of a list. */
export interface Page<Item> {
  /** At most `page.limit` items; fewer on the last page, or when the page reaches the limit `pageBytes`. */
  items: Item[]
  /** Cursor of the next page, to be sent as `page.cursor`; absent on the last page. */
  nextCursor?: string
}

/** `fold`: computed for the point of view of the query; `table`: a table of the assessment, as stored. */
export type RelationKind = 'fold' | 'table'

/** A relation that a query may name. */
export interface RelationSummary {
  /** Name, as written in FROM. */
  name: string
  /** Whether the relation is computed or stored. */
  kind: RelationKind
  /** What one row stands for; only folds have it. */
  about?: string
}

/** An example query, and the question that it answers. */
export interface QueryExample {
  /** The question, in one sentence. */
  question: string
  /** One SELECT that answers the question. */
  sql: string
}

/** A column of a relation. */
export interface Column {
  /** Name, as written in SQL. */
  name: string
  /** SQL type, such as `DECIMAL(18,3)`. */
  type: string
}

/** Result of `projects/describe`. */
export interface ProjectDescription {
  /** Relations that a query may name, folds first. */
  relations: RelationSummary[]
  /** Example queries, to start from. */
  examples: QueryExample[]
  /** Columns of the relation in the params, in order; absent when the params name none. */
  columns?: Column[]
}

/** A row of a query: JSON values by column name. */
export type Row = Record<string, unknown>

/** Format of an exported file; `arrow` is an IPC stream. */
export type ExportFormat = 'parquet' | 'csv' | 'ndjson' | 'arrow' | 'xlsx'

/** Result of `projects/export`. */
export interface ProjectExport {
  /** URL of the file. It works with every key of the same owner that can read the project. */
  url: string
  /** When the URL expires, as an RFC 3339 timestamp in UTC. */
  expiresAt: string
  /** Rows in the file. */
  rows: number
  /** Size of the file, in bytes. */
  bytes: number
}

/** A field of the params that the method did not read. */
export interface Warning {
  /** Path of the field, with dots: `page.size`. */
  path: string
  /** What is wrong with the field, in English. */
  message: string
}

/** The answer of a call that succeeded. */
export interface CallAnswer<Result = unknown> {
  /** Result of the method. */
  result: Result
  /** Fields of the params that the method did not read; absent when it read all of them. */
  warnings?: Warning[]
}
