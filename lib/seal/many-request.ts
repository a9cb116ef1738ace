import type { SealProblem } from '../model.js'
import type { Tables } from '../sources/files.js'

/** Rows of many tenants, each of which has a project of its own. */
export interface SealManyRequest {
  /** Where the rows of tables come from, as in a `SealRequest`. */
  tables: Tables
  /** The column that separates the tenants; it is not stored. */
  by: string
  /**
   * Tables without this column, whose rows are the same for all tenants. With `where-missing`, those that turn out to lack
   * it, unless they refer to the entities of the catalogue, perhaps by way of other tables. Default: none.
   */
  shared?: readonly string[] | 'where-missing'
  /**
   * The projects of the tenants: UUIDs in lower case, by the values of the column as text. No two tenants have the same
   * project.
   */
  projects: ReadonlyMap<string, string>
  /** What the tables of a tenant come from, as in a `SealRequest`. Default: nothing is stored. */
  assessmentId?(key: string): string
  /** Digest of the rows of a tenant, stored as in a `SealRequest`. Default: nothing is stored. */
  sourceDigest?(key: string): string
  /** Told of each tenant once it is sealed, or has failed, or has no rows. An error that it throws changes nothing. */
  onOutcome?(outcome: TenantOutcome): void
  /** Aborts the sealing: published snapshots stay, and no other files are left. */
  signal?: AbortSignal
}

/** A tenant. */
interface Tenant {
  /** Its value of the column. */
  key: string
  /** UUID of its project. */
  projectId: string
}

/** A tenant whose rows were sealed. */
export interface SealedTenant extends Tenant {
  /** Id of the snapshot. */
  snapshotId: string
  /** Rows of its tables, without those that are the same for all. */
  rows: number
  /** What the catalogue declares to be a warning. */
  warnings: SealProblem[]
}

/** A tenant whose rows were not sealed: its calls read the snapshot before. */
export interface FailedTenant extends Tenant {
  /** A `SealError` when the rows have problems, a `SealerError` when sealing failed for another reason. */
  error: Error
}

/** A tenant without rows, for which nothing was sealed: its calls read the snapshot before. */
export interface EmptyTenant extends Tenant {}

/** What became of a tenant. */
export type TenantOutcome = SealedTenant | FailedTenant | EmptyTenant

/** Rows of no tenant, which were not sealed. */
export interface StrayRows {
  /** Name of the table. */
  table: string
  /** The value of the column, which is that of no project; null when it is missing. */
  key: string | null
  /** Number of rows. */
  rows: number
  /** Number of the first of them in the table, from 1. */
  firstRow: number
}

/** What became of the rows of many tenants. */
export interface ManySealed {
  /** Tenants whose rows were sealed. */
  sealed: SealedTenant[]
  /** Tenants whose rows were not sealed. */
  failed: FailedTenant[]
  /** Tenants without rows. */
  empty: EmptyTenant[]
  /** Rows of no tenant, by table and value. */
  strays: StrayRows[]
  /** Names of files of the folder that belong to no table of the catalogue. */
  leftOut: string[]
}

/** The outcome of a check of many tenants. */
export interface ManyChecked extends Omit<ManySealed, 'sealed'> {
  /** What is wrong with whole tables, of which no rows were read. */
  problems: SealProblem[]
  /** Tenants whose rows can be sealed. */
  checked: Omit<SealedTenant, 'snapshotId'>[]
}
