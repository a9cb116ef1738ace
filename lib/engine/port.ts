/**
 * What an engine is: it checks the statements of callers, and runs them over a sealed snapshot from a point of view. The
 * library has one, `duckdbEngine`; a package may bring another. Everything that an engine of your own is built on is
 * exported here.
 *
 * @module foldgate/engine
 */

import type { Limits } from '../call/limits.js'
import type { Asker, CheckedStatement, Work } from '../call/work.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { AnalyticsEvent } from '../events.js'
import type { Column, ExportFormat, OwnershipView, QueryExample } from '../model.js'
import type { Snapshot } from '../snapshots/manifest.js'

export { type Asker, type CheckedStatement, Phases, type Work } from '../call/work.js'
export type { Snapshot } from '../snapshots/manifest.js'
export { uniqueNames } from './unique-names.js'

/** Opens an engine for a service, which closes it. Throws when its options are wrong; it starts in the background. */
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

/** What a query looks at: a snapshot, the root of a subtree (null: the whole project), and how ownership counts. */
export interface PointOfView {
  /** The sealed snapshot. */
  snapshot: Snapshot
  /** Key of the organization that owns the project. An engine never lets two organizations share memory or files. */
  organization: string
  /** UUID of the root of the subtree, lower case; null for the whole project. */
  entityId: string | null
  /** How ownership counts. */
  ownershipView: OwnershipView
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
  /** Time for the statement alone, in milliseconds: not for the wait for a connection, nor for building relations. */
  timeoutMs: number
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
  /** Byte offset of every `stride`-th line, followed by the end of the last line. */
  index: { stride: number; starts: Float64Array }
  /** Names of the columns, of a chunk without rows. */
  columns?: string[]
}

/** The form of an exported file. */
export interface ExportForm {
  /** Its format. */
  format: ExportFormat
  /** Whether texts in CSV that spreadsheets would run as formulas are escaped. */
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
  /** Connections that have a worker process, busy or idle. */
  ready: number
  /** Running jobs: up to one more than `connections` when one organization or project holds them all. */
  busy: number
  /** Queued jobs. */
  waiting: number
  /** Worker processes started since the engine opened to replace one that had ended. */
  restarts: number
}

/** Load of an engine, and what it holds of the machine. */
export interface EngineStats extends PoolStats {
  /** Bytes of built relations on the disk of this machine. */
  cacheBytes: number
  /** Process ids of its processes on this machine, to monitor their memory. */
  pids: readonly number[]
}

/**
 * An engine. Its verbs throw an {@link EngineFailure}, except for `check`, which throws an `AnalyticsError` of class
 * INVALID_QUERY or UNAVAILABLE. Work whose signal is aborted ends soon and throws `cancelled()`. Files that an engine
 * writes are the caller's, who removes them.
 */
export interface Engine {
  /** Names the engine and its version. Pages of rows keep their ETags only as long as it is the same. */
  readonly version: string
  /** Name of the SQL that it speaks, as in "DuckDB's SQL": `DuckDB`. */
  readonly dialect: string
  /** Worked queries in its dialect, which `projects/describe` returns. */
  readonly examples: readonly QueryExample[]
  /** Most bytes of stored rows of results on disk. */
  readonly resultBytes: number
  /**
   * Digests of what the relations of a snapshot are made of: its files, and the SQL of the catalogue. Pages of rows keep
   * their ETags only as long as these are the same.
   */
  digests(snapshot: Snapshot): readonly string[]
  /** Checks a statement, without a project; throws an `AnalyticsError` when it is refused or cannot be read. */
  check(sql: string, asker: Asker): Promise<CheckedStatement>
  /** Columns of each of these relations of the snapshot. */
  columns(point: PointOfView, relations: readonly string[], work: Work): Promise<Column[][]>
  /** A page of a checked statement's rows, which ends early at `pageBytes`. */
  rows(point: PointOfView, statement: CheckedStatement, range: PageRange, work: TimedWork): Promise<RowsPage>
  /** Writes rows of a checked statement to a file, one JSON object per line. */
  write(point: PointOfView, statement: CheckedStatement, range: RowRange, work: TimedWork): Promise<WrittenChunk>
  /** Writes every row of a checked statement to a file. */
  export(point: PointOfView, statement: CheckedStatement, work: TimedWork, form: ExportForm): Promise<ExportedFile>
  /** Resolves when the engine can take calls or has failed to start. Never rejects. */
  ready(): Promise<void>
  /** Its load. */
  stats(): EngineStats
  /** How many connections, and whether what checks statements, are busy or answer within this time. */
  answering(withinMs: number): Promise<{ workers: number; guard: boolean }>
  /** Ends its processes. Work in progress fails. */
  close(): Promise<void>
}

/** Why an engine returned nothing: a job failed, or none could run. */
export type FailureKind =
  /** The statement fails as it is written or on its rows: INVALID_QUERY, with the text of the failure. */
  | 'query'
  /** It needs more memory than there is: QUERY_TOO_LARGE. */
  | 'memory'
  /** It ran longer than `timeoutMs`: QUERY_TIMEOUT. */
  | 'timeout'
  /** A row is larger than `limits.rowBytes`, see {@link rowTooLarge}. */
  | 'row-bytes'
  /** A file would be larger than `limits.exportBytes`, or than what a chunk may have: QUERY_TOO_LARGE. */
  | 'file-bytes'
  /** A package that the format of the file needs is not installed: INVALID_PARAMS. */
  | 'format'
  /** No connection was free in time: UNAVAILABLE, like all kinds below up to `cancelled`. */
  | 'no-connection'
  /** The relations are still being built. */
  | 'building'
  /** They cannot be built. */
  | 'unbuilt'
  /** A built relation is gone or damaged. */
  | 'view'
  /** A stored table of the snapshot is gone or damaged. */
  | 'snapshot'
  /** A file of the host cannot be read or written, or a service that the engine needs does not answer. */
  | 'disk'
  /** The outcome is no longer wanted. */
  | 'cancelled'
  /** The rows of a run are too many to be kept, or are no longer kept. */
  | 'run-too-large'
  | 'run-gone'
  /** An assertion inside the engine failed on the statement: INVALID_QUERY. */
  | 'assertion'
  /** The engine refuses the catalogue's SQL of a relation, which the text names, until the snapshot changes: INTERNAL. */
  | 'relation'
  /** A bug: INTERNAL. */
  | 'interrupted'
  | 'fault'

/** What an engine throws. Callers see the text of the kinds that are about their statement or its rows. */
export class EngineFailure extends Error {
  /** What has failed. */
  readonly kind: FailureKind
  /** Byte offset in the statement. */
  readonly offset: number | undefined
  /** Whether the worker ended with the job. */
  readonly processDied: boolean

  constructor(
    kind: FailureKind,
    text: string,
    options: { offset?: number | undefined; cause?: unknown; processDied?: boolean } = {},
  ) {
    super(text, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.offset = options.offset
    this.processDied = options.processDied ?? false
  }
}

/**
 * The failure of work whose outcome is no longer wanted.
 *
 * @example
 * ```ts
 * const onlyIfWanted = ({ signal }: { signal: AbortSignal }) => {
 *   if (signal.aborted) throw cancelled()
 * }
 * ```
 */
export function cancelled(): EngineFailure {
  return new EngineFailure('cancelled', 'The caller has left.')
}

/**
 * Message for a row larger than `rowBytes`; `offset` counts rows from 0.
 *
 * @example
 * ```ts
 * const tooLarge = new EngineFailure('row-bytes', rowTooLarge(41, 4_194_304))
 * ```
 */
export function rowTooLarge(offset: number, rowBytes: number): string {
  return `Row ${offset + 1} is larger than ${rowBytes} bytes as JSON. Select fewer or shorter columns.`
}
