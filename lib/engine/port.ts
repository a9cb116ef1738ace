import type { Limits } from '../call/limits.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { CatalogueProblem } from '../catalogue/catalogue-problem.js'
import type { SeenRows } from '../catalogue/row-limits.js'
import type { AnalyticsEvent } from '../events.js'
import type { Work } from '../flow/work.js'
import type {
  Column,
  ExportFormat,
  OwnershipView,
  ParameterValue,
  QueryExample,
  ReadRelation,
} from '../model.js'
import type { SandboxState } from '../sandbox/walls.js'
import type { Snapshot } from '../snapshots/manifest.js'
import type { ColumnStatistics } from '../snapshots/statistics.js'
import type { BoundParameter } from '../values/parameters.js'
import type { Claim } from './claim.js'
import type { RowsBefore } from './rows-before.js'

export { type Phase, Phases, type Work } from '../flow/work.js'
export type { Snapshot } from '../snapshots/manifest.js'
export type { ListType, ParameterKind, ParameterType, PlainType } from '../values/parameter-types.js'
export type { BoundParameter, BoundValue } from '../values/parameters.js'
export type { ScalarValue } from '../values/read-scalar.js'
export type { DecimalType, Integer, Interval, TimeWithZone } from '../values/vector.js'
export { cancelled, EngineFailure, type FailureKind, rowTooLarge } from './failure.js'
export { type RowsBefore, RowsLeftOut } from './rows-before.js'

/**
 * Opens an engine for a service, which closes it. Throws when its options are wrong; it starts in the
 * background.
 */
export type OpenEngine<Opened extends Engine = Engine> = (host: EngineHost) => Opened

/** What a service tells its engine. */
export interface EngineHost {
  /** The relations that statements may read. */
  catalogue: Catalogue
  /** The limits in force. An engine enforces all but those of requests, answers and links. */
  limits: Limits
  /** Takes events of type `dependency`, `engine` and `build`. It never throws. */
  onEvent(event: AnalyticsEvent): void
}

/**
 * What a query looks at: a snapshot, the root of a subtree (null: the whole project), and how ownership
 * counts.
 */
export interface PointOfView {
  /** The sealed snapshot. */
  snapshot: Snapshot
  /**
   * Key of the organization that owns the project. An engine never lets two organizations share memory or
   * files.
   */
  organization: string
  /** UUID of the root of the subtree, lower case; null for the whole project. */
  entityId: string | null
  /** How ownership counts. */
  ownershipView: OwnershipView
  /**
   * The rows that the caller sees, by row limits of the catalogue: all relations have these alone, and no process that
   * runs a statement of the caller holds others. Default: all rows.
   */
  rows?: SeenRows
}

/** Whom a check of a statement is for, and the signal that ends its wait. */
export interface Asker {
  /** Key of the organization that owns the project: statements wait round-robin across organizations. */
  organization: string
  /** Id of the owner of the key: within an organization, statements wait round-robin across owners. */
  ownerId: string
  /**
   * The only relations that the statement may read; the engine answers all others as relations that do not exist.
   * Default: all that callers see.
   */
  readable?: readonly string[]
  /** Fires when the outcome is no longer wanted. */
  signal: AbortSignal
}

/**
 * A statement that has passed the check of an engine, which tells what it reads. Before it runs, methods add a value for
 * each of its parameters, and the name and the columns of a named query.
 */
export interface Statement {
  /** The caller's SQL, without a trailing semicolon and what follows it. */
  sql: string
  /** Relations of the catalogue that it reads, and perhaps some that it does not. */
  relations: readonly string[]
  /** The only relations that it may read, if the engine looks at them where it runs. Default: all that callers see. */
  readable?: readonly string[]
  /** Names of its parameters, without the `$`; names that differ in case alone are one. Default: none. */
  parameters?: readonly string[]
  /** Whether its rows may differ from run to run. */
  volatile: boolean
  /** What it does that may be wrong for what its relations hold, from which hints are made. Default: nothing is told. */
  claims?: readonly Claim[]
  /** A value for each parameter. Default: none, as it has no parameters. */
  values?: readonly BoundParameter[]
  /** The values as JSON, as the caller sent them, for the metadata of files. Default: none. */
  sent?: Readonly<Record<string, ParameterValue>>
  /** Name and version of the query of the catalogue that it is, which files have instead of its SQL. Default: none. */
  named?: string
  /**
   * Columns that the catalogue declares for that query: their SQL types by their names, in order. An engine that can
   * compare them refuses a statement with others, as one that does not bind. Default: no columns are declared.
   */
  columns?: Readonly<Record<string, string>>
}

/** What a statement would return. */
export interface BoundResult {
  /** Its columns, with their SQL types as `projects/describe` writes them. */
  columns: Column[]
  /** The relations that it reads. */
  relations: ReadRelation[]
}

/** What the values of a relation are. */
export interface RelationStatistics {
  /** Number of rows. */
  rows: number
  /** Its columns, in order, each with what its values are; without that where the type is nested or binary. */
  columns: (Column & { statistics?: ColumnStatistics })[]
}

/** A range of rows of a result. */
export interface RowRange {
  /** Rows to skip. */
  offset: number
  /** Most rows. */
  limit: number
}

/** A range of rows that ends early at `pageBytes`; by default, at `limits.pageBytes`. */
export type PageRange = RowRange & {
  /** Most bytes of the rows as JSON. */
  pageBytes?: number
}

/** Work with a time limit. */
export interface TimedWork extends Work {
  /**
   * Time for the statement alone, in milliseconds: not for the wait for a connection, nor for building
   * relations.
   */
  timeoutMs: number
}

/** The rows of a chunk. */
export interface ChunkRange extends RowRange {
  /**
   * Rows that earlier pages and chunks of the result have. Each of them is left out once, wherever it comes, and
   * `offset` skips some of the others. Default: none.
   */
  before?: readonly RowsBefore[]
  /** Bytes after which the file ends, with the row that passes them. Default: 512 MiB. */
  mostBytes?: number
  /**
   * Whether the rows must come in an order that does not depend on the range. An engine that cannot promise that
   * leaves out `settledAt`. Default: the order that is had soonest.
   */
  isStable?: boolean
}

/** A page: its rows as JSON objects separated by commas, without the brackets of an array. */
export interface RowsPage {
  /** UTF-8. The contract says how each type is written. */
  json: Uint8Array
  /** Number of rows. */
  rows: number
  /** Whether rows follow. */
  more: boolean
  /** Names of the columns, of a page without rows: the rows of other pages have them. */
  columns?: string[]
}

/** A file with a range of rows: one JSON object per line. */
export interface WrittenChunk {
  /** Absolute path. */
  path: string
  /** Number of rows. */
  rows: number
  /** Size of the file. */
  bytes: number
  /** Whether rows follow. */
  more: boolean
  /**
   * After how many rows of the statement all rows of `before` had come, in a stable order: chunks that begin there or
   * later need no `before`. Default: not known.
   */
  settledAt?: number
  /** Names of the columns, of a chunk without rows. */
  columns?: string[]
}

/** The form of an exported file. */
export interface ExportForm {
  /** Its format. */
  format: ExportFormat
  /** Whether strings in CSV that spreadsheets would run as formulas are escaped. */
  escapesFormulas: boolean
}

/** An exported file. */
export interface ExportedFile {
  /** Absolute path. */
  path: string
  /** Number of rows. */
  rows: number
  /** Size of the file. */
  bytes: number
}

/** Load of an engine. */
export interface PoolStats {
  /** Jobs that can run at once, as configured in `engine.connections`. */
  connections: number
  /** Connections that have a worker, busy or idle. */
  ready: number
  /** Running jobs: up to one more than `connections` when one organization or project holds them all. */
  busy: number
  /** Queued jobs. */
  waiting: number
  /** Worker processes started since the engine opened to replace one that had ended. */
  restarts: number
}

/** Load of an engine, and, if it has processes on this machine, what they hold. */
export interface EngineStats extends Pick<PoolStats, 'connections' | 'busy' | 'waiting'> {
  /** Connections that have a worker process. Default: all of them, as none is on this machine. */
  ready?: number
  /** Worker processes that have replaced one that had ended. Default: 0. */
  restarts?: number
  /** Bytes of built relations on the disk of this machine. Default: 0. */
  cacheBytes?: number
  /** Process ids of its processes on this machine, to monitor their memory. Default: none. */
  pids?: readonly number[]
}

/** How much of an engine responds. */
export interface EngineHealth {
  /** Connections that are busy, or whose workers responded in time. */
  workers: number
  /** Whether the process that checks statements is busy or responded. Default: true, as there is none. */
  guard?: boolean
  /** The walls that its processes run behind. Default: null, as it has no processes on this machine. */
  sandbox?: SandboxState | null
}

/**
 * An engine. Its verbs throw an {@link EngineFailure}, except for `check`, which throws an `AnalyticsError`
 * of class INVALID_QUERY or UNAVAILABLE. Work whose signal is aborted ends soon and throws `cancelled()`.
 * Files that an engine writes are the caller's, who removes them.
 */
export interface Engine {
  /** Names the engine and its version. Pages of rows keep their ETags only as long as it is the same. */
  readonly version: string
  /** Name of the SQL that it speaks, as in "DuckDB's SQL": `DuckDB`. */
  readonly dialect: string
  /** Worked queries in its dialect, which `projects/describe` returns. */
  readonly examples: readonly QueryExample[]
  /** Whether it takes values for the parameters of statements. Default: no, and calls with `parameters` are refused. */
  readonly takesParameters?: boolean
  /** Whether it keeps to the `rows` of a point of view. Default: no, and callers with row limits are refused. */
  readonly limitsRows?: boolean
  /**
   * Digests of what the relations of a snapshot are made of: its files, and the SQL of the catalogue. Pages
   * of rows keep their ETags only as long as these are the same.
   */
  digests(snapshot: Snapshot): readonly string[]
  /** Checks a statement, without a project; throws an `AnalyticsError` when it is refused or cannot be read. */
  check(sql: string, asker: Asker): Promise<Statement>
  /** Columns of each of these relations of the snapshot. */
  columns(point: PointOfView, relations: readonly string[], work: Work): Promise<Column[][]>
  /**
   * What the values of each of these relations are for a point of view, as far as it is known without reading them; null
   * for the others. Default: nothing is known.
   */
  statistics?(point: PointOfView, relations: readonly string[]): Promise<(RelationStatistics | null)[]>
  /** Binds a statement without running it, nor building what it reads. */
  bind(point: PointOfView, statement: Statement, work: TimedWork): Promise<BoundResult>
  /** A page of a statement's rows, which ends early at `pageBytes`. */
  rows(point: PointOfView, statement: Statement, range: PageRange, work: TimedWork): Promise<RowsPage>
  /** Writes rows of a statement to a file, one JSON object per line: fewer than the range has when they are large. */
  write(point: PointOfView, statement: Statement, range: ChunkRange, work: TimedWork): Promise<WrittenChunk>
  /** Writes every row of a statement to a file. */
  export(point: PointOfView, statement: Statement, work: TimedWork, form: ExportForm): Promise<ExportedFile>
  /**
   * Finds the mistakes in the catalogue, in processes of its own; null when it cannot. Throws the reason of an aborted
   * signal. Default: the catalogue is not checked.
   */
  checkCatalogue?(signal: AbortSignal): Promise<readonly CatalogueProblem[] | null>
  /** Resolves when the engine can take calls or has failed to start. Never rejects. */
  ready(): Promise<void>
  /** Its load. */
  stats(): EngineStats
  /** The parts of the engine that are busy or respond within this time, in milliseconds. */
  answering(withinMs: number): Promise<EngineHealth>
  /** Ends its processes. Work in progress fails. */
  close(): Promise<void>
}
