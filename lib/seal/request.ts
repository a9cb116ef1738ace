import type { SealProblem } from '../model.js'
import type { PublishedSnapshot } from '../snapshots/store.js'
import type { TableSources } from '../sources/files.js'
import type { CheckedPackage } from './job.js'

/** A package to seal. */
export interface SealRequest {
  /** UUID of the project, lower case. */
  projectId: string
  /** What the tables come from, such as the run of an assessment: any string. Default: nothing is stored. */
  assessmentId?: string
  /**
   * Where the rows of tables come from: sources by the names of the tables, or `fromFolder()`. A source is read once.
   */
  tables: TableSources
  /**
   * Tables whose rows are added to those in the newest snapshot of the project. Throws a `SealerError` of the reason
   * `outdated` when another snapshot of the project is published meanwhile. Default: none.
   */
  append?: readonly string[]
  /**
   * A column that tells whose the rows are, in the tables that have it: it is not stored, and must have a single value.
   * Default: none.
   */
  by?: string
  /** Digest of the package, stored in the manifest so that the host can recognise the same package. */
  sourceDigest?: string
  /** Aborts the sealing, which then leaves nothing behind. */
  signal?: AbortSignal
}

/** Files to inspect. */
export interface InspectRequest {
  /** Path of the folder in which they are. */
  folder: string
  /** Their names. */
  files: readonly string[]
  /** Aborts the reading. */
  signal?: AbortSignal
}

/** Rows of many tenants, each of which has a project of its own. */
export interface SealManyRequest {
  /** Where the rows of tables come from, as in a `SealRequest`. */
  tables: TableSources
  /** The column that separates the tenants; it is not stored. */
  by: string
  /**
   * Tables without this column, whose rows are the same for all tenants. `where-missing`: every table without it, except
   * those that refer to the entities of the catalogue, directly or by way of other tables; in a catalogue without a tree,
   * no table may lack it then. Default: none.
   */
  shared?: readonly string[] | 'where-missing'
  /**
   * The projects of the tenants: UUIDs in lower case, by the values of the column as text. No two tenants have the same
   * project.
   */
  projects: ReadonlyMap<string, string>
  /**
   * The values that the column may have, beside those of `projects`: with a row of another one, or of none, nothing is
   * sealed, and a {@link SealError} names it. Default: such rows are `strays`.
   */
  known?: ReadonlySet<string>
  /**
   * What the tables of a tenant come from, as in a `SealRequest`; asked once its rows are right, before they are published,
   * and before they are read when sources tell the versions of its newest snapshot. A rejection fails the tenant. Default:
   * nothing is stored.
   */
  assessmentId?(key: string): string | Promise<string>
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
  /** Id of the snapshot, which is the newest of the project. */
  snapshotId: string
  /**
   * Whether that was there before, with the same rows, so that nothing was published. When versions of the sources told so,
   * the rows were not read.
   */
  unchanged: boolean
  /** Rows of its tables, without those that are the same for all. */
  rows: number
  /** What the catalogue declares to be a warning. */
  warnings: SealProblem[]
}

/** A tenant whose rows can be sealed. */
export type CheckedTenant = Omit<SealedTenant, 'snapshotId' | 'unchanged'>

/** A tenant whose rows were not sealed: its calls read the snapshot before. */
export interface FailedTenant extends Tenant {
  /** A `SealError` when the rows have problems, a `SealerError` when sealing failed for another reason. */
  error: Error
}

/** A tenant without rows, for which nothing was sealed: its calls read the snapshot before. */
export interface EmptyTenant extends Tenant {}

/** What became of a tenant. */
export type TenantOutcome = SealedTenant | FailedTenant | EmptyTenant

/** Rows of no tenant, which were not sealed. Tables that were not read tell none. */
export interface StrayRows {
  /** Name of the table. */
  table: string
  /** The value of the column, which is that of no project; null when it is missing. */
  key: string | null
  /** Number of rows. */
  rows: number
  /** Number of the first of them among the rows that the source gave, from 1. */
  firstRow: number
}

/** What became of the rows of many tenants. */
export interface ManySealed {
  /** Tenants whose rows were sealed, or are `unchanged` since they were. */
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
  checked: CheckedTenant[]
}

/** Seals packages one at a time, each in its own engine process. */
export interface Sealer {
  /**
   * Checks and seals a package, after those requested before it. Returns the manifest, and as `leftOut` the
   * names of files in the folder that belong to no table of the catalogue. When the newest snapshot of the project has the
   * same contents and the same `assessmentId`, nothing is published: the manifest is that of the newest snapshot, and
   * `unchanged` is true. Throws a {@link SealError} when
   * the package has problems, a {@link SealerError} when sealing fails for another reason, a TypeError for a
   * field that a request does not have, and the signal's reason after an abort. Before the first package of a catalogue in a process, the catalogue is checked as by
   * `checkCatalogue`; with mistakes in it, every package is refused by a SealerError of the reason `catalogue`.
   */
  seal(request: SealRequest): Promise<PublishedSnapshot & { leftOut: string[] }>
  /**
   * Seals the rows of many tenants, each of which has a project of its own: every source is read once, and each tenant
   * has a snapshot that is checked as by `seal`. While sources tell the versions of a tenant's newest snapshot, that stays as
   * `unchanged`, and its rows are not read. The problems of one tenant do not keep others from being sealed. Throws
   * a {@link SealError} when a table as a whole has problems, such as a missing column, and otherwise as `seal` does;
   * nothing was sealed then, unless the signal was aborted.
   */
  sealMany(request: SealManyRequest): Promise<ManySealed>
  /** Checks a package as `seal` does, and writes nothing. Throws what `seal` throws. */
  check(
    request: Pick<SealRequest, 'tables' | 'by' | 'signal'>,
  ): Promise<CheckedPackage & { leftOut: string[] }>
  /**
   * Checks the rows of many tenants as `sealMany` does, and writes nothing. The problems of whole tables are in its result,
   * beside those of the tenants. Throws what `sealMany` throws, except for a `SealError`.
   */
  checkMany(
    request: Pick<SealManyRequest, 'tables' | 'by' | 'shared' | 'projects' | 'signal'>,
  ): Promise<ManyChecked>
  /**
   * Reads the footers of Parquet files, such as those of a snapshot that was restored, and no page of them. Returns what
   * is wrong, one sentence each, when a file is not a regular file or has no footer, or when a column has a codec that is
   * not read.
   * Throws what `seal` throws, except for a `SealError`.
   */
  inspect(request: InspectRequest): Promise<string[]>
  /** Ends the process and removes its scratch files; a sealing in progress throws. */
  close(): Promise<void>
}
