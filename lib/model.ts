/** How ownership counts: `net` at the share along the path, `gross` at 100 %. */
export type OwnershipView = 'net' | 'gross'

/**
 * Whether the analytics methods can read a project now: `computed` once an assessment has completed, also while the next
 * one runs; `computing` while the first one runs; `notComputed` otherwise.
 */
export type ProjectState = 'computed' | 'computing' | 'notComputed'

/** One project that the key may read. */
export interface ProjectSummary {
  /** UUID, lower case. */
  projectId: string
  /** For people. */
  name: string
  /** Key of the organization that owns it. */
  organization: string
  /** Whether its analytics can be read. */
  state: ProjectState
}

/** One page of a list. */
export interface Page<Item> {
  /** At most as many as `page.limit` asked for; fewer where the page would grow too large. */
  items: Item[]
  /** Sent as `page.cursor` it gives the next page; absent on the last one. */
  nextCursor?: string
}

/** `fold`: computed for the point of view; `table`: a table of the assessment as stored. */
export type RelationKind = 'fold' | 'table'

/** A relation that a query may name. */
export interface RelationSummary {
  /** As it stands in FROM. */
  name: string
  /** Whether the point of view matters. */
  kind: RelationKind
  /** What one row is; folds alone have it. */
  about?: string
}

/** A worked query and the question it answers. */
export interface QueryExample {
  /** One sentence. */
  question: string
  /** One SELECT that answers it. */
  sql: string
}

/** A column of a relation. */
export interface Column {
  /** As it stands in SQL. */
  name: string
  /** SQL type, for instance `DECIMAL(18,3)`. */
  type: string
}

/** Result of `projects/describe`. */
export interface ProjectDescription {
  /** What a query may name, folds first. */
  relations: RelationSummary[]
  /** Worked queries, to begin with. */
  examples: QueryExample[]
  /** Columns of the relation that was asked for, in their order; absent where none was. */
  columns?: Column[]
}

/** A row of a query: column names to JSON values. */
export type Row = Record<string, unknown>

/** Result of `projects/export`. */
export interface ProjectExport {
  /** Where the file is, for whoever brings a key of the same owner. */
  url: string
  /** Until when the link holds, RFC 3339. */
  expiresAt: string
  /** Rows of the file. */
  rows: number
  /** Size of the file. */
  bytes: number
}

/** A field of the params that the method did not read. */
export interface Warning {
  /** The field, with dots: `page.size`. */
  path: string
  /** What it was taken for, in English. */
  message: string
}

/** What a call answers when it succeeds. */
export interface CallAnswer<Result = unknown> {
  /** What the method answers. */
  result: Result
  /** Fields of the params that the method did not read; absent when it read all. */
  warnings?: Warning[]
}
