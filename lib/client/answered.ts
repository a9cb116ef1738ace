import type { Warning } from '../model.js'

/** A result, with warnings about the params. */
export type Answered<Result> = Result & {
  /** One for each field of the params that the method did not read; empty when it read all. */
  warnings: Warning[]
  /** The snapshot that was read. Absent over a WebSocket and from `list()`, which reads none. */
  snapshot?: {
    /** Its id. */
    snapshotId: string
    /** When it was sealed, as an RFC 3339 timestamp in UTC. */
    sealedAt: string
  }
  /** Milliseconds that the service spent, by phase, as its `Server-Timing` says. Only with REST. */
  spentMs?: Record<string, number>
}

/** The columns of a page of a query. */
export interface QueryColumns {
  /**
   * Names of the columns. With REST, in the order of the query, also without rows unless the names take more
   * than 4 KiB: then null. With other transports, names that are whole numbers come first, and a page without
   * rows has null.
   */
  columns: string[] | null
}
