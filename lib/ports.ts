/**
 * What a host supplies. Ports speak of data and places, never of the engine. Each method takes an `AbortSignal` that
 * fires when its answer is no longer wanted; a rejection means that the dependency is down (UNAVAILABLE).
 */

/** Who calls: the key, its owner, and the organizations that the key reads at this moment. */
export interface Caller {
  /** Names the key in quota, usage and events; never the key itself. */
  keyId: string
  /** Whose key it is: links of exports hold for every key of the same owner. */
  ownerId: string
  /** Keys of organizations. */
  organizations: readonly string[]
}

/** API keys. */
export interface KeyPort {
  /** The caller behind a key as sent, or null when the key is unknown, revoked or expired. */
  authenticate(key: string, signal: AbortSignal): Promise<Caller | null>
}

/** A project as the host knows it. */
export interface ProjectRecord {
  /** UUID, lower case. */
  projectId: string
  /** For people. */
  name: string
  /** Key of the organization that owns it. */
  organization: string
  /** Place in the order of registration: it only grows, and no two projects share one. */
  sequence: number
  /** An assessment of the project has completed. */
  completed: boolean
  /** An assessment of the project is running. */
  running: boolean
}

/** Projects. */
export interface ProjectPort {
  /** The project of this id, or null. */
  find(projectId: string, signal: AbortSignal): Promise<ProjectRecord | null>
  /** At most `limit` projects of these organizations with `sequence > after`, in the order of `sequence`. */
  list(
    query: { organizations: readonly string[]; after: number; limit: number },
    signal: AbortSignal,
  ): Promise<ProjectRecord[]>
}

/** A sealed snapshot held open: its folder stays whole and in place until `release`. */
export interface SnapshotLease {
  /** The one that was asked for. */
  snapshotId: string
  /** Absolute path of the folder that holds `manifest.json`. */
  folder: string
  /** Gives it back; calling it again does nothing. */
  release(): Promise<void>
}

/** Sealed snapshots. */
export interface SnapshotPort {
  /** Ids of the sealed snapshots of a project, the newest first. */
  list(projectId: string, signal: AbortSignal): Promise<readonly string[]>
  /** Hold a snapshot open, in the moment in which it is found; null when it is gone or never was. */
  open(projectId: string, snapshotId: string, signal: AbortSignal): Promise<SnapshotLease | null>
}

/** A stored export. */
export interface StoredExport {
  /** Exact size. */
  bytes: number
  /** The bytes from the first to the last, each time anew; cancelling the stream frees everything. */
  body(): ReadableStream<Uint8Array>
}

/** Storage of exported files. It removes a file once its retention is over, also after a restart. */
export interface ExportPort {
  /**
   * How long a stored file is kept, milliseconds; left out when it is not known. `createAnalyticsApi` throws a TypeError when
   * it is shorter than `limits.linkValidityMs`.
   */
  readonly retentionMs?: number
  /**
   * Take over the finished file at `path` (moving it is fine: it is removed afterwards) and keep it under `exportId`. It has
   * the time of `exportTimeoutMs`; once the signal has fired nobody gets a link, so that nothing should be kept.
   */
  put(file: { exportId: string; path: string; bytes: number }, signal: AbortSignal): Promise<void>
  /** The file of this id, or null when there is none (any more). */
  open(exportId: string, signal: AbortSignal): Promise<StoredExport | null>
}

/** What one unit of quota left. */
export interface QuotaState {
  /** Whether the unit was there; false is answered RATE_LIMITED. */
  allowed: boolean
  /** Calls that a window holds. */
  limit: number
  /** Calls left in this window. */
  remaining: number
  /** Length of a window, milliseconds. */
  windowMs: number
  /** Time until the window ends, milliseconds. */
  resetMs: number
}

/** Call quota, counted a key. */
export interface QuotaPort {
  /** Take one unit for this key. */
  take(keyId: string, signal: AbortSignal): Promise<QuotaState>
}

/** One finished call or download, for the usage of its key. */
export interface UsageRecord {
  /** As the port of keys named it. */
  keyId: string
  /** A method name, or `download`. */
  method: string
  /** `OK` or the class of the failure. */
  outcome: string
  /** Rows of the answer or of the exported file; 0 for anything else. */
  rows: number
  /** Bytes of the answer's rows, of the exported file, or of the file downloaded. */
  bytes: number
  /** Epoch milliseconds. */
  at: number
}

/** Usage accounting. Its failures never fail a call: they go to `onEvent`. */
export interface UsagePort {
  /** Called once for each call and download that has ended. */
  record(usage: UsageRecord): void | Promise<void>
}

/** The clock: epoch milliseconds. */
export interface Clock {
  /** The time, as `Date.now()` tells it. */
  now(): number
}
