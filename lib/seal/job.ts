import type { Hierarchy, TableDefinition } from '../catalogue/definitions.js'
import type { CatalogueRule } from '../catalogue/rules.js'
import { COLUMNS, STATISTICS } from '../duckdb/jobs.js'
import type { FromJson, Outcome } from '../flow/messages.js'
import type { Infer } from '../json-schema.js'
import type { Column, SealProblem } from '../model.js'
import {
  count,
  integer,
  listOf,
  nullable,
  object,
  optional,
  pairOf,
  type Schema,
  text,
  textLike,
} from '../schema.js'
import type { StoredFile } from '../snapshots/manifest.js'
import type { TableStatistics } from '../snapshots/statistics.js'
import type { SourceRows } from '../sources/source.js'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Most files of a table. */
const MOST_FILES = 1_000_000

/** A table of a package to be sealed, with what the catalogue says about it. */
export interface SealTable
  extends Pick<
    TableDefinition,
    'name' | 'required' | 'unique' | 'references' | 'ranges' | 'values' | 'warnings' | 'lossy'
  > {
  format: SourceRows['format']
  /** Types of columns as the source has them; null for a file. */
  sourceTypes: Readonly<Record<string, string>> | null
  /** Whether its rows are stored in their order, and not in that of the unique key. */
  isOrdered: boolean
  /** The table in the snapshot before, to which these rows are added; null when they are all. */
  before: TableBefore | null
  columns: Readonly<Record<string, string>> | null
  /** Columns that the catalogue refers to: they must exist, even in a table without declared `columns`. */
  named: readonly string[]
  /** Columns that carry the units of others. */
  units: readonly string[]
  /** Whether its rows are of a single project: the table refers to entities, perhaps by way of other tables. */
  isOfProject: boolean
}

/** A table of a snapshot, to which rows are added. */
export interface TableBefore {
  rows: number
  columns: readonly Column[]
  /** Its files in the order of rows. */
  files: readonly StoredFile[]
  statistics?: TableStatistics
}

/** Seals the files that the process is given. */
export interface SealJob {
  /** Whether the tables are only checked, and no file is written. */
  isCheck: boolean
  /** Size at which a Parquet file of a table ends and the next one begins. */
  fileBytes: number
  tables: SealTable[]
  rules: readonly CatalogueRule[]
  hierarchy: Hierarchy | null
  /** A column that is not stored, and has a single value in all tables that have it. */
  by?: string
  /** Problems found before: the other tables are still checked, and nothing is written. */
  problems: SealProblem[]
}

/** Reads the rows of many tenants from the files that the process is given; its result is {@link TenantsFound}. */
export interface TenantsJob
  extends Pick<SealJob, 'isCheck' | 'fileBytes' | 'tables' | 'rules' | 'hierarchy' | 'problems'> {
  /** The column that separates the tenants. */
  by: string
  /**
   * Names of the tables that are the same for all tenants; null when these are the tables without `by` that are of no
   * project.
   */
  shared: readonly string[] | null
}

/** Seals or checks the rows of a tenant, after a {@link TenantsJob}; its result is a {@link SealOutcome}. */
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

const numberOfRows = count('Number of rows.')

const problems = listOf(
  object(
    {
      table: text('Name of the table.'),
      column: optional(text('Name of the column, or of several.')),
      message: text('What is wrong.'),
      rows: optional(numberOfRows),
    },
    'A problem.',
  ) as Schema<SealProblem>,
  'Problems.',
)

const sealedTable = object(
  {
    rows: numberOfRows,
    columns: COLUMNS,
    guessed: optional(listOf(text('Its name.'), 'Names of the columns whose types follow from texts.')),
    statistics: STATISTICS,
    kept: integer(
      0,
      MOST_FILES,
      'Number of its files in the snapshot before that stay as they are, the first ones.',
    ),
    files: integer(0, MOST_FILES, 'Number of files that were written, named by `storedNames`.'),
  },
  'A table that was written.',
)

/** A table that was written. */
export type SealedTable = FromJson<Infer<typeof sealedTable>>

const SEALED_TABLE = sealedTable as Schema<SealedTable>

const sealed = object(
  {
    tables: listOf(
      nullable(SEALED_TABLE),
      'The tables in the order of the job; null for one that is the same for all tenants.',
    ),
    rootId: optional(textLike(UUID, 'UUID of the root of the tree, whose ids are in a file.')),
    warnings: problems,
  },
  'What was written.',
)

/** What a seal job wrote. */
export type Sealed = FromJson<Infer<typeof sealed>>

const sealOutcome = object(
  {
    problems: nullable(problems),
    checked: optional(
      object(
        { rows: listOf(numberOfRows, 'Rows of each table of the job.'), warnings: problems },
        'What was found.',
      ),
    ),
    sealed: optional(sealed as Schema<Sealed>),
  },
  'All problems found, or what was checked, or written.',
)

/** The result of a seal job: all problems found, or what was checked, or written. */
export type SealOutcome = FromJson<Infer<typeof sealOutcome>>

const tenantsFound = object(
  {
    problems: nullable(problems),
    tables: listOf(
      object(
        {
          shared: optional(SEALED_TABLE),
          rows: optional(
            listOf(
              pairOf(
                nullable(text('Value of the column.')),
                pairOf(numberOfRows, numberOfRows, 'The number of its rows, and of the first of them.'),
                'A tenant.',
              ),
              'Rows of each tenant.',
            ),
          ),
        },
        'What was written of a table that is the same for all, unless it is only checked, or the rows of another; nothing when it has problems.',
      ),
      'The tables in the order of the job.',
    ),
  },
  'What was read.',
)

/** What is wrong with whole tables, and the tables that are the same for all, or the rows of each tenant. */
export type TenantsFound = FromJson<Infer<typeof tenantsFound>>

/**
 * Most bytes of an outcome about tables, and of one about the rows of each tenant: half a million tenants in one table.
 */
const [SEALED_BYTES, TENANTS_BYTES] = [8 * 1024 ** 2, 32 * 1024 ** 2]

/**
 * The outcome that the host accepts of a job that seals or checks tables; the tables of `shared` are sealed already.
 */
export function sealOutcomeOf(
  { isCheck, tables, hierarchy }: Pick<SealJob, 'isCheck' | 'tables' | 'hierarchy'>,
  shared: readonly string[] = [],
): Outcome<SealOutcome> {
  const holds = ({ problems, checked, sealed }: SealOutcome) => {
    if (problems) return problems.length > 0
    if (isCheck) return checked?.rows.length === tables.length
    return (
      sealed?.tables.length === tables.length &&
      (sealed.rootId === undefined) === (hierarchy === null) &&
      tables.every((table, at) => {
        const stored = sealed.tables[at] ?? null
        return shared.includes(table.name) ? stored === null : stored !== null && isStored(table, stored)
      })
    )
  }
  return { schema: sealOutcome as Schema<SealOutcome>, holds, headBytes: SEALED_BYTES }
}

/** The outcome that the host accepts of a job that reads the rows of many tenants. */
export function tenantsOutcomeOf({ isCheck, tables, shared }: TenantsJob): Outcome<TenantsFound> {
  const isWhole = (table: SealTable, found: TenantsFound['tables'][number]) => {
    const isShared = found.rows === undefined
    const mayBe = shared ? shared.includes(table.name) === isShared : !isShared || !table.isOfProject
    if (!mayBe || !isShared || isCheck) return mayBe && !found.shared
    return found.shared !== undefined && isStored(table, found.shared)
  }
  const holds = ({ problems, tables: found }: TenantsFound) =>
    found.length === tables.length &&
    (problems ? problems.length > 0 : tables.every((table, at) => isWhole(table, found[at] ?? {})))
  return { schema: tenantsFound as Schema<TenantsFound>, holds, headBytes: TENANTS_BYTES }
}

/** Whether a table is in files that it can be in. */
function isStored(
  { before }: SealTable,
  { rows, kept, files, columns, guessed = [], statistics }: SealedTable,
): boolean {
  const isOfIt = statistics.rows === rows && statistics.columns.length === columns.length
  const names = new Set(columns.map(({ name }) => name))
  return (
    isOfIt &&
    kept + files > 0 &&
    kept <= (before?.files.length ?? 0) &&
    guessed.every(name => names.has(name))
  )
}

/** The outcome that the host accepts of an {@link InspectJob}. */
export const INSPECTED: Outcome<string[]> = {
  schema: listOf(text('What is wrong with a file.'), 'One sentence each.'),
}
