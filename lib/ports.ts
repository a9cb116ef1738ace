/**
 * The interfaces that a host implements. They deal with data and where it is stored, never with the engine.
 * The `AbortSignal` that a method takes is aborted when its result is no longer needed.
 */

import type { Phase } from './flow/work.js'
import type { ExportFormat, MethodName, ParameterValue } from './model.js'

/** The caller behind an API key: the key's id, its owner, and the organizations that it can read now. */
export interface Caller {
  /** Identifies the key in quota, usage and events. Never the key itself. */
  keyId: string
  /** Identifies the owner of the key. An export link works with every key of the same owner. */
  ownerId: string
  /** Keys of the organizations whose projects the API key can read. */
  organizations: readonly string[]
  /** What the key can do at most. Default: whatever its organizations allow. */
  only?: CallerLimits
  /** Calls per window of the key at most; it lowers what the quota allows a key, and never raises it. Default: no limit. */
  quota?: number
}

/**
 * Limits of a key. Each member limits one thing to what it lists, and an empty list allows none of it; a member that
 * is absent limits nothing. What a key cannot reach is answered as if it did not exist. A caller whose limits are
 * malformed, with an unknown member for instance, is answered UNAVAILABLE, and the host gets a `dependency` event that
 * names the member.
 */
export interface CallerLimits {
  /** Ids of projects, in lower case. Others are neither listed nor read. */
  projects?: readonly string[]
  /** Methods that can be called; others are answered FORBIDDEN. */
  methods?: readonly MethodName[]
  /**
   * Named queries that can be run, as `name` for all versions or `name@version`; others are answered as if they did not
   * exist. Without `methods`, the key can call nothing else but `projects/list`; with `methods` and without `queries`,
   * it can run no named query.
   */
  queries?: readonly string[]
  /** Relations that statements can read; others are neither described nor found, as are named queries that read them. */
  relations?: readonly string[]
  /**
   * Values of parameters by name, as in the params of `projects/query`. They are bound in every statement that names
   * them, and cannot be sent. A named query reads them as the types that it declares, and is answered UNAVAILABLE, with
   * a `dependency` event, when one does not fit.
   */
  parameters?: Readonly<Record<string, ParameterValue>>
  /**
   * Values of row limits of the catalogue, by their names, as JSON has values of their types: relations have only rows
   * of these. Several limits hold together. A list is never empty; an unknown value has no rows. Relations that the
   * catalogue does not limit by each of them are unknown.
   */
  rows?: Readonly<Record<string, readonly (string | number | boolean)[]>>
}

/**
 * Looks up API keys. When it rejects, or takes longer than `limits.dependencyTimeoutMs`, the call fails with
 * UNAVAILABLE, and `onEvent` gets the cause in a `dependency` event.
 */
export interface KeyPort {
  /**
   * Returns the caller behind a key, or null when the key is unknown, revoked or expired. `key` is what the
   * caller sent: 1 to 8192 characters without whitespace.
   */
  authenticate(key: string, signal: AbortSignal): Promise<Caller | null>
}

/** A project as the host stores it. */
export interface ProjectRecord {
  /** UUID in lower case. */
  projectId: string
  /** Display name. */
  name: string
  /** Key of the organization that owns the project. */
  organization: string
  /**
   * Position in the order of registration: a whole number above 0, greater than that of every earlier
   * project.
   */
  sequence: number
  /** Whether a snapshot was completed: callers may read the newest one. */
  completed: boolean
  /** Whether the next snapshot is being prepared, as by an assessment that is running. */
  running: boolean
  /** The engine of the option `engines` that runs its queries. Default: the engine of the option `engine`. */
  engine?: string | null
}

/**
 * Looks up projects. When it rejects, or takes longer than `limits.dependencyTimeoutMs`, the call fails with
 * UNAVAILABLE, and `onEvent` gets the cause in a `dependency` event.
 */
export interface ProjectPort {
  /** Returns the project with this id, or null. */
  find(projectId: string, signal: AbortSignal): Promise<ProjectRecord | null>
  /**
   * Returns the first `limit` projects of these organizations with `sequence > after`, ordered by `sequence`.
   */
  list(
    query: { organizations: readonly string[]; after: number; limit: number },
    signal: AbortSignal,
  ): Promise<ProjectRecord[]>
}

/** A lease on files of a sealed snapshot: they stay as they are until `release()` is called. */
export interface SnapshotLease {
  /** Id of the snapshot, as passed to {@link SnapshotPort.open}. */
  snapshotId: string
  /** Absolute path of the folder in which the files are, under their names in the manifest. */
  folder: string
  /**
   * Ends the lease. Calling it again does nothing. It should not reject: a call that waits for it would be INTERNAL.
   */
  release(): Promise<void>
}

/**
 * Finds and opens sealed snapshots. When it rejects, or takes longer than `limits.dependencyTimeoutMs`, the call fails
 * with UNAVAILABLE, and `onEvent` gets the cause in a `dependency` event. A snapshot that does not exist is null, or
 * missing from the list, and no reason to reject, whatever its id looks like.
 */
export interface SnapshotPort {
  /**
   * Returns the ids of the sealed snapshots of a project, newest first. Callers can read each of them by its id,
   * and no other one.
   */
  list(projectId: string, signal: AbortSignal): Promise<readonly string[]>
  /** Returns the text of the manifest of a snapshot, or null when there is no such snapshot. */
  manifestOf(projectId: string, snapshotId: string, signal: AbortSignal): Promise<string | null>
  /**
   * Takes a lease on files of a snapshot, by their names in its manifest: a statement waits for the tables that it reads,
   * and not for all. Returns null when there is no such snapshot. It is called for snapshots that `list` has just
   * returned; for one that was removed since, it may still return a lease when it has the files.
   */
  open(
    projectId: string,
    snapshotId: string,
    files: readonly string[],
    signal: AbortSignal,
  ): Promise<SnapshotLease | null>
}

/** A stored export file. */
export interface StoredExport {
  /** Exact size, in bytes. */
  bytes: number
  /** Returns a new stream of the whole file on each call. Cancelling the stream frees its resources. */
  body(): ReadableStream<Uint8Array>
}

/**
 * Stores exported files, and removes each file when its retention period ends, even after a restart. When it rejects,
 * or takes too long, the call or download fails with UNAVAILABLE, and `onEvent` gets the cause in a `dependency` event.
 */
export interface ExportPort {
  /**
   * Retention period in milliseconds; absent when unknown. `createAnalyticsApi` throws a TypeError when it is
   * shorter than `limits.linkValidityMs`.
   */
  readonly retentionMs?: number
  /**
   * Stores the finished file at `path` under `exportId`. Moving the file is allowed; the API deletes `path`
   * afterwards. The timeout is `limits.exportTimeoutMs`. Once `signal` is aborted, no link is issued: the
   * file should not be kept. `format` is for stores that name or label files; the link remembers it.
   * `projectId`, and `ownerId` as in {@link Caller}, are for stores that remove exports with their project or
   * owner; the API gives both.
   */
  put(
    file: {
      exportId: string
      path: string
      bytes: number
      format?: ExportFormat
      projectId?: string
      ownerId?: string
    },
    signal: AbortSignal,
  ): Promise<void>
  /** Returns the export with this id, or null when it does not exist or has been removed. */
  open(exportId: string, signal: AbortSignal): Promise<StoredExport | null>
}

/** What a limit on calls is for: one key, all keys of an owner, or all keys that read an organization. */
export type QuotaLevel = 'key' | 'owner' | 'organization'

/**
 * The quota of a caller after one unit was requested: of all limits that apply, the one with the fewest calls
 * left.
 */
export interface QuotaState {
  /** Whether a unit was left at every level. When false, the call fails with RATE_LIMITED. */
  allowed: boolean
  /** The level of this limit. Default: `key`. */
  level?: QuotaLevel
  /** Calls per window. */
  limit: number
  /** Calls left in the current window. */
  remaining: number
  /** Length of a window, in milliseconds. */
  windowMs: number
  /** Time until the current window ends, in milliseconds. */
  resetMs: number
}

/**
 * Limits the calls per key and, if the host wants to, per owner and organization. When it rejects, or takes longer than
 * `limits.dependencyTimeoutMs`, the call fails with UNAVAILABLE: no call runs uncounted.
 */
export interface QuotaPort {
  /**
   * Takes one unit of every limit that applies to the caller, or none if one of them has none left, and
   * returns the resulting state.
   */
  take(caller: Caller, signal: AbortSignal): Promise<QuotaState>
}

/** What statements of an organization have taken, or may take. */
export interface TakenBudget {
  /** Processor time of the engine, in milliseconds, as in {@link UsageRecord}. */
  engineMs: number
  /** Rows of exported files. */
  exportRows: number
  /** Bytes of exported files. */
  exportBytes: number
}

/** The budget of an organization at this moment. */
export interface BudgetState {
  /** Statements that may run or wait at once in this process; a further one fails with UNAVAILABLE. Default: no limit. */
  callsAtOnce?: number
  /** Limits of a window: once a limit is reached, statements fail with RATE_LIMITED. Default of each: no limit. */
  limits: Partial<TakenBudget>
  /** Time, rows and bytes that statements have taken in the current window. */
  taken: TakenBudget
  /** Length of a window, in milliseconds. */
  windowMs: number
  /** Time until the current window ends, in milliseconds. */
  resetMs: number
}

/**
 * Limits what statements over the projects of an organization take, beside the quota of calls. Statements that run are
 * not ended, so a budget is passed by what runs at that moment. When `of` rejects, or takes longer than
 * `limits.dependencyTimeoutMs`, the call fails with UNAVAILABLE.
 */
export interface BudgetPort {
  /** Returns the budget of an organization; asked before each statement runs. */
  of(organization: string, signal: AbortSignal): Promise<BudgetState>
  /**
   * Called when a statement has ended that took anything, whatever its outcome. When it throws or rejects, no call
   * fails: `onEvent` gets the cause in a `dependency` event.
   */
  spend(organization: string, taken: TakenBudget): void | Promise<void>
}

/** One call or download, as counted for its key. */
export interface UsageRecord {
  /** Id of the call, as in its event. */
  callId: string
  /** Id of the key, as in {@link Caller}. */
  keyId: string
  /** Id of the owner of the key, as in {@link Caller}. */
  ownerId: string
  /**
   * Name of the method, `download`, `catalogue`, a name that the host gave to `adapter.answerAs`, or `unknown` when the
   * call was refused before it named one. A named query has its version, also when the caller named none:
   * `queries/revenue@2`.
   */
  method: string
  /**
   * Key of the organization that owns the project; null when the call reads none, or the caller may not read
   * it.
   */
  organization: string | null
  /** Id of the project that the params name; null when there is none. */
  projectId: string | null
  /** Id of the snapshot that was read; null when none was. */
  snapshotId: string | null
  /** Relations of the catalogue that the statement reads; empty when there is no statement, or it was refused. */
  relations: readonly string[]
  /** Id of the file that was exported or downloaded, by which its downloads are found; absent otherwise. */
  exportId?: string
  /** `OK`, or the error class of the failure. */
  outcome: string
  /** Rows or projects in the answer, or rows in the exported file; 0 otherwise. */
  rows: number
  /**
   * Size of the query rows as JSON, of the exported file, or of the downloaded file, in bytes; 0 otherwise.
   */
  bytes: number
  /** Time from the request to its answer, in milliseconds. */
  durationMs: number
  /** Time spent in each phase, in milliseconds. */
  phasesMs: Partial<Record<Phase, number>>
  /**
   * Processor time of the engine for the statement, in milliseconds, in steps of 10 as Linux tells it from outside; the
   * time that it ran where the system does not tell it. Builds of relations, which calls share, are in nobody's.
   */
  processorMs: number
  /** Time of the record, in epoch milliseconds. */
  at: number
}

/** Records usage. When it throws or rejects, no call fails: `onEvent` gets the cause in a `dependency` event. */
export interface UsagePort {
  /**
   * Called once per authenticated call when the call ends, and once per download when the download begins.
   */
  record(usage: UsageRecord): void | Promise<void>
}

/** Source of the current time. */
export interface Clock {
  /** Returns the current time in epoch milliseconds, like `Date.now()`. */
  now(): number
}
