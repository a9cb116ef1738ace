/** How ownership counts: `net` at the share along the path, `gross` at 100 %. */
export type OwnershipView = 'net' | 'gross'

/** Whether the analytics methods can read a project now. */
export type ProjectState = 'computed' | 'computing' | 'notComputed'

/** One project that the key may read. */
export interface ProjectSummary {
  projectId: string
  name: string
  organization: string
  state: ProjectState
}

/** One page of a list; `nextCursor` is absent on the last one. */
export interface Page<Item> {
  items: Item[]
  nextCursor?: string
}

/** `fold`: computed for the point of view; `table`: a table of the assessment as stored. */
export type RelationKind = 'fold' | 'table'

/** A relation that a query may name. */
export interface RelationSummary {
  name: string
  kind: RelationKind
  about?: string
}

/** A worked query and the question it answers. */
export interface QueryExample {
  question: string
  sql: string
}

/** A column of a relation; `type` is its SQL type. */
export interface Column {
  name: string
  type: string
}

/** Result of `projects/describe`. */
export interface ProjectDescription {
  relations: RelationSummary[]
  examples: QueryExample[]
  columns?: Column[]
}

/** A row of a query: column names to JSON values. */
export type Row = Record<string, unknown>

/** Result of `projects/export`. */
export interface ProjectExport {
  url: string
  expiresAt: string
  rows: number
  bytes: number
}

/** A field of the params that the method did not read. */
export interface Warning {
  path: string
  message: string
}

/** What a call answers when it succeeds. */
export interface CallAnswer<Result = unknown> {
  result: Result
  warnings?: Warning[]
}
