import type { Hierarchy, ValueRange } from '../catalogue/definitions.js'
import type { CatalogueRule } from '../catalogue/rules.js'
import type { Column } from '../model.js'
import type { SealProblem, StoredFile, StoredTable } from '../snapshots/manifest.js'
import type { SourceRows } from '../sources/source.js'

/** A table of a package to be sealed. */
export interface SealTable {
  name: string
  format: SourceRows['format']
  /** Types of columns that its source tells; null for a file. */
  told: Readonly<Record<string, string>> | null
  /** Whether its rows are stored in their order, and not in that of the unique key. */
  isOrdered: boolean
  /** The table in the snapshot before, to which these rows are added; null when they are all. */
  before: TableBefore | null
  columns: Readonly<Record<string, string>> | null
  required: readonly string[]
  unique: readonly string[]
  /** Columns that the catalogue refers to: they must exist, even in a table without declared `columns`. */
  named: readonly string[]
  /** Maps a column to the `table.column` that must contain each of its values other than NULL. */
  references: Readonly<Record<string, string>>
  /** Maps a column of numbers to the range that must contain each of its values other than NULL. */
  ranges: Readonly<Record<string, ValueRange>>
  /** Maps a column to the list that must contain each of its values other than NULL. */
  values: Readonly<Record<string, readonly string[]>>
  /** Whether it has rows of a single project, since it refers to entities, perhaps by way of other tables. */
  isOfProject: boolean
  /** Columns of which a broken reference, range or list of values is a warning. */
  warnings: readonly string[]
  /** Columns of which a value that the type holds only in part is a warning. */
  lossy: readonly string[]
}

/** A table of a snapshot, to which rows are added. */
export interface TableBefore {
  rows: number
  columns: readonly Column[]
  /** Its files in the order of rows, each with its size. */
  files: readonly (StoredFile & { bytes: number })[]
}

/** The column that separates the projects of a package. */
export interface Partition {
  /** Name of the column; it is not stored. */
  column: string
  /**
   * Only rows with this value are sealed. Without it, the column must have a single value in each table that
   * has it.
   */
  value?: string
  /**
   * All values that the column may have, when `value` is given: a row with another value, or none, is a
   * problem, and so is a table of projects without the column: one that refers to entities, or, in a catalogue
   * without a hierarchy, any table.
   */
  known?: readonly string[]
}

/** Seals the files that the process is given. */
export interface SealJob {
  /** Whether nothing is written. */
  isCheck: boolean
  /** Size at which a Parquet file of a table ends and the next one begins. */
  fileBytes: number
  tables: SealTable[]
  rules: readonly CatalogueRule[]
  hierarchy: Hierarchy | null
  partition?: Partition
  /** Problems found before: the other tables are still checked, and nothing is written. */
  problems: SealProblem[]
}

/** Reads the rows of many tenants from the files that the process is given; its result is {@link TenantsFound}. */
export interface TenantsJob
  extends Pick<SealJob, 'fileBytes' | 'tables' | 'rules' | 'hierarchy' | 'problems'> {
  /** The column that separates the tenants. */
  by: string
  /** Names of the tables that are the same for all tenants. */
  shared: readonly string[]
}

/** What was read: all problems found, or the tables that are the same for all, and the rows of each tenant. */
export type TenantsFound =
  | { problems: SealProblem[] }
  | {
      problems: null
      shared: StoredTable[]
      /** Numbers of rows, by the value of the column, which may be missing. */
      rows: { table: string; keys: (readonly [key: string | null, rows: number])[] }[]
    }

/** Seals the rows of a tenant, after a {@link TenantsJob}; its result is a {@link SealOutcome}. */
export interface TenantJob {
  key: string
  /** Folder of the process for what is written. */
  folder: string
}

/**
 * Reads the footers of Parquet files of a snapshot; its result is what is wrong with them, one sentence each.
 */
export interface InspectJob {
  /** Names of the files that the process is given. */
  inspected: readonly string[]
}

/** What a package holds, and the warnings about it. */
export interface CheckedPackage {
  /** The tables, each with the number of its rows. */
  tables: { name: string; rows: number }[]
  /** What the catalogue declares to be a warning: the package can be sealed all the same. */
  warnings: SealProblem[]
}

/** What a seal job wrote. */
export interface SealedPackage extends CheckedPackage {
  tables: StoredTable[]
  /** Names of files that are those of the snapshot before. */
  kept: string[]
  /** Absent without a hierarchy. */
  rootId?: string
  /** Absent without a hierarchy. */
  entities?: { file: string; count: number; sha256: string }
}

/** The result of a seal job: all problems found, or what was checked, or written. */
export type SealOutcome =
  | { problems: SealProblem[] }
  | { problems: null; checked: CheckedPackage }
  | { problems: null; sealed: SealedPackage }
