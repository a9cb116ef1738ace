import type { ReadRelation, Warning } from '../model.js'

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

/** What a page of a query has besides its rows. */
export interface QueryColumns {
  /**
   * Names of the columns, in the order of the query with `include: ['columns']` and in a dry run. Otherwise names
   * that are whole numbers come first, and a page without rows has null; with REST, it has the names in the order
   * of the query unless they take more than 4 KiB.
   */
  columns: string[] | null
  /**
   * SQL types of the columns, such as `DECIMAL(18,3)`, in the order of `columns`; only with
   * `include: ['columns']` and in a dry run.
   */
  types?: string[]
  /** Rows of the whole result; only with `include: ['total']`, and absent when they cannot be counted in time. */
  total?: number
  /** Relations that the statement reads; only in a dry run. */
  relations?: ReadRelation[]
}
