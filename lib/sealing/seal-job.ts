import type { Hierarchy } from '../catalogue/catalogue.js'
import type { Column } from '../model.js'

/** A table of a package to be sealed. */
export interface SealTable {
  name: string
  format: 'csv' | 'parquet'
  columns: Record<string, string> | null
  required: readonly string[]
  unique: readonly string[]
  /** Columns that the catalogue names here or elsewhere: they must be there, also in a table that is stored as it comes. */
  named: readonly string[]
  /** Column to `table.column`: where each value must stand. */
  references: Readonly<Record<string, string>>
}

export interface SealJob {
  source: string
  target: string
  tables: SealTable[]
  hierarchy: Hierarchy
  partition?: { column: string; value?: string }
}

/** One thing that is wrong with a package. */
export interface SealProblem {
  /** Name of the table. */
  table: string
  /** Absent where the table as a whole is wrong. */
  column?: string
  /** What is wrong, in English; of wrong rows, with the first. */
  message: string
}

export interface SealedTable {
  name: string
  file: string
  rows: number
  columns: Column[]
  sha256: string
}

/** What sealing gives: the tables written, or everything that is wrong with them. */
export type SealOutcome =
  | { ok: true; tables: SealedTable[]; rootId: string; entities: { file: string; count: number; sha256: string } }
  | { ok: false; problems: SealProblem[] }
