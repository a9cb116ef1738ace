import type { Hierarchy, ValueRange } from '../catalogue/catalogue.js'
import type { Column } from '../model.js'

/** A table of a package to be sealed. */
export interface SealTable {
  name: string
  format: 'csv' | 'parquet'
  columns: Record<string, string> | null
  required: readonly string[]
  unique: readonly string[]
  /** Columns that the catalogue refers to: they must exist, even in a table without declared `columns`. */
  named: readonly string[]
  /** Maps a column to the `table.column` that must contain each of its values other than NULL. */
  references: Readonly<Record<string, string>>
  /** Maps a column of numbers to the range that must contain each of its values other than NULL. */
  ranges: Readonly<Record<string, ValueRange>>
}

export interface SealJob {
  source: string
  target: string
  tables: SealTable[]
  hierarchy: Hierarchy
  partition?: { column: string; value?: string }
  /** Problems found before: the other tables are still checked, and nothing is written. */
  problems: SealProblem[]
}

/** A problem with a package. */
export interface SealProblem {
  /** Name of the table. */
  table: string
  /** Name of the column, or of several with commas between them; absent when the problem is the table as a whole. */
  column?: string
  /** What is wrong, in English. When several rows are wrong, it names one of them and counts the others. */
  message: string
}

export interface SealedTable {
  name: string
  file: string
  rows: number
  columns: Column[]
  sha256: string
}

/** The result of a seal job: the tables written, or all problems found. */
export type SealOutcome =
  | { ok: true; tables: SealedTable[]; rootId: string; entities: { file: string; count: number; sha256: string } }
  | { ok: false; problems: SealProblem[] }
