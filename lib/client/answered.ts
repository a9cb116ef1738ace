import type { Column, ReadRelation, RowPage, Warning } from '../model.js'

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

/** A page of a query: its rows, and what `include` or a dry run asked for. */
export interface RowsAnswer<R> extends Omit<RowPage, 'items'> {
  /** The rows; empty in a dry run. */
  items: R[]
  /**
   * Names of the columns, in the order of the query with `include: ['columns']` and in a dry run. Otherwise names
   * that are whole numbers come first, and a page without rows has null; with REST, it has the names in the order
   * of the query unless they take more than 4 KiB.
   */
  columnNames: string[] | null
}

/** A result whose params have asked for columns. */
export type Described<Result> = Result & {
  /** Columns of the result, in order: their names, and their types as `describe()` writes them. */
  columns: Column[]
}

/** What a dry run answers: the columns of a statement and the relations that it reads, and no rows. */
export type DryRun = Described<RowsAnswer<never>> & {
  /** Relations that the statement reads, and whether they are built. */
  relations: ReadRelation[]
}
