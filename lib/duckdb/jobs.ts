import { isUtf8 } from 'node:buffer'
import type { ExportForm, RowsBefore, Statement } from '../engine/port.js'
import type { FromJson, Outcome } from '../flow/messages.js'
import type { Infer } from '../json-schema.js'
import { choice, count, flag, listOf, nullable, object, optional, type Schema, text } from '../schema.js'
import type { ColumnStatistics, TableStatistics } from '../snapshots/statistics.js'
import type { GivenRows } from './given-rows.js'

/** Settings of a process, and the folders of its world. */
export interface EngineSettings {
  threads: number
  memoryLimitBytes: number
  spillBytes: number
  /** The folder that it starts in: spilled data, and what it makes, until the host takes it. */
  own: string
  /** The folder with what the host gives it. Names of files in jobs are relative to it. */
  given: string
}

/** What a worker, unlike a process that seals, is also told. */
export interface WorkerSettings extends EngineSettings {
  /** Most projects that it keeps open, each in an instance of its own. */
  mostOpen: number
}

/** A relation in a form that statements read. */
export interface RelationFile {
  relation: string
  /** Name of the database in which it is. */
  alias: string
  /** Built into a database, or as a stored table was sealed. */
  form: 'built' | 'sealed'
  /**
   * Names of its files in the folder of its project, or of the process that builds it: the database, or the Parquet
   * files of the table.
   */
  files: readonly string[]
}

/** The relations of one statement, all from one snapshot. */
export interface View {
  /** Name of the folder of the project's built relations, the only given one that a statement can access. */
  folder: string
  files: RelationFile[]
}

/** What a worker needs of a statement. */
export type JobStatement = Pick<Statement, 'sql' | 'values' | 'columns'>

/** The part of a statement that is sent to a worker: the values as a caller sent them stay. */
export function jobStatement({ sql, values, columns }: Statement): JobStatement {
  return { sql, ...(values ? { values } : {}), ...(columns ? { columns } : {}) }
}

/** One page of rows. */
export interface RowsJob {
  kind: 'rows'
  view: View
  statement: JobStatement
  limit: number
  offset: number
  pageBytes: number
  rowBytes: number
}

/** Writes a whole result to a file of its own. */
export interface ExportJob extends ExportForm {
  kind: 'export'
  view: View
  /** The statement, or the rows that another engine has made of it; their `path` is the name of a given file. */
  statement: JobStatement | GivenRows
  /** Name of the file to write. */
  file: string
  maxBytes: number
  /** What the rows are, for formats that have room for it. */
  metadata: Readonly<Record<string, string>>
}

/** Writes rows of a result to a file of its own, one JSON object per line. */
export interface ChunkJob {
  kind: 'chunk'
  view: View
  statement: JobStatement
  offset: number
  rows: number
  /** Rows of earlier pages, which are left out before `offset` is counted; paths are names of given files. */
  before: readonly RowsBefore[]
  /** Whether the rows must come in the same order each time, whatever the range. */
  isStable: boolean
  /** A longer row fits on no page, so its JSON need not be valid. */
  rowBytes: number
  maxBytes: number
  /** Name of the file to write. */
  file: string
}

/** A Parquet file of a snapshot, and its digest in the manifest. */
export interface SourceFile {
  /** Name of the given file, or in the folder of the snapshot. */
  name: string
  sha256: string
}

/**
 * A relation to build, by SQL or from the Parquet files of a stored table, whose digests are checked first; tables
 * that stay as they were sealed are checked alone. Steps are ordered so that each comes after the relations that it reads.
 */
export interface BuildStep {
  file: RelationFile
  /** Aliases of the relations that its SQL can name. */
  reads: readonly string[]
  from: { sql: string } | { source: readonly SourceFile[] }
  /** Columns that carry the units of others. Default: none. */
  units?: readonly string[]
}

export interface BuildJob {
  kind: 'build'
  view: View
  steps: BuildStep[]
}

/** Tells the columns of a statement without running it. */
export interface BindJob {
  kind: 'bind'
  /** The relations that are built. */
  view: View
  /** Relations that are not built, and what they are made from: the statement finds them without rows. */
  unbuilt: BuildStep[]
  /** Aliases of the relations that the statement can name. */
  reads: readonly string[]
  statement: JobStatement
}

export type Job = RowsJob | BindJob | ChunkJob | ExportJob | BuildJob

/** A job of a kind. */
export type JobOf<Kind extends Job['kind']> = Extract<Job, { kind: Kind }>

const rows = count('Number of rows.')
const more = flag('Whether rows follow.')
const columns = optional(listOf(text('Name of a column.'), 'Names of the columns, where no row has them.'))

/** Columns as a process tells them. */
export const COLUMNS = listOf(
  object({ name: text('Its name.'), type: text('Its SQL type.') }, 'A column.'),
  'Columns, in order.',
)

const columnStatistics = object(
  {
    nulls: count('Number of NULLs.'),
    distinct: count('Number of values.'),
    values: optional(listOf(text('A value.'), 'The values.')),
    min: optional(text('The smallest value.')),
    max: optional(text('The largest value.')),
    determinedBy: optional(listOf(text('A column.'), 'Columns whose values tell that of this one.')),
  },
  'What the values of a column are.',
) as Schema<ColumnStatistics>

/** What the values of a relation are, as a process tells it. */
export const STATISTICS: Schema<TableStatistics> = object(
  {
    rows,
    columns: listOf(
      nullable(columnStatistics, 'Those of a column, if there are any.'),
      'Each column, in order.',
    ),
  },
  'What the values of a relation are.',
)

const builtRelation = object(
  { columns: COLUMNS, statistics: optional(STATISTICS) },
  'A relation that was built, or checked.',
)

/** A relation that was built, or a stored table that was checked, of which its snapshot has the statistics. */
export type BuiltRelation = FromJson<Infer<typeof builtRelation>>

/** What the JSON of outcomes is, by the kinds of jobs. The rows of a page follow as bytes. */
export const OUTCOMES = {
  rows: object({ rows, more, columns }, 'A page.'),
  bind: COLUMNS,
  chunk: object(
    {
      rows,
      more,
      columns,
      settledAt: optional(count('After how many rows those before the chunk had all come.')),
    },
    'Rows in a file.',
  ),
  export: object({ rows }, 'An exported file.'),
  build: listOf(builtRelation as Schema<BuiltRelation>, 'Each relation, in the order of the steps.'),
} satisfies Record<Job['kind'], Schema<unknown>>

/** What a job yields. */
export type JobResult<Kind extends Job['kind']> = FromJson<Infer<(typeof OUTCOMES)[Kind]>>

/** Room for commas between the rows of a page, and for what is not counted. */
const BESIDE_ROWS_BYTES = 64 * 1024

/** The outcome of a job that the host accepts. */
export function outcomeOf<Kind extends Job['kind']>(job: JobOf<Kind>): Outcome<JobResult<Kind>> {
  const most = job as Job
  const schema = OUTCOMES[job.kind] as Schema<unknown> as Schema<JobResult<Kind>>
  const holds = (made: JobResult<Job['kind']>, bytes: Buffer) => {
    if (Array.isArray(made)) return most.kind !== 'build' || made.length === most.steps.length
    if (!isUtf8(bytes)) return false
    return made.rows <= (most.kind === 'rows' ? most.limit : most.kind === 'chunk' ? most.rows : Infinity)
  }
  const bytes = most.kind === 'rows' ? Math.max(most.pageBytes, most.rowBytes) + BESIDE_ROWS_BYTES : 0
  return { schema, holds: holds as Outcome<JobResult<Kind>>['holds'] & {}, bodyBytes: bytes }
}

const failure = object(
  {
    /**
     * `format`: a package that the format of the file needs is not installed. `view`: a file of the view is gone or
     * damaged. `snapshot`: a stored table is gone or damaged. `disk`: a file of the host cannot be read or written,
     * perhaps because the disk `isFull`. `relation`: the SQL of a relation to build is refused.
     */
    kind: choice(
      [
        'query',
        'memory',
        'interrupted',
        'row-bytes',
        'file-bytes',
        'format',
        'view',
        'snapshot',
        'disk',
        'relation',
        'assertion',
        'fault',
      ],
      'What failed.',
    ),
    text: text('For the caller.'),
    at: optional(count('Place of the relation, in the view or in what is to be built.')),
    offset: optional(count('Byte offset in the statement.')),
    isFull: optional(flag('Whether the disk is full.')),
    atBinding: optional(flag('Whether the statement was refused before any of it ran.')),
    cause: optional(text('For the host.')),
  },
  'Why a job has failed.',
)

/** What went wrong in a job, as its process tells it. */
export const FAILURE = failure as Schema<JobFailure>

/** What went wrong in a job: `text` for the caller, `cause` for the host. */
export type JobFailure = FromJson<Infer<typeof failure>>

/** The relations among which the place in a failure of this kind is. */
export function relationsOf(job: Job, kind: JobFailure['kind']): readonly RelationFile[] {
  if (kind === 'view') return job.view.files
  if (kind !== 'relation') return []
  const steps = job.kind === 'build' ? job.steps : job.kind === 'bind' ? job.unbuilt : []
  return steps.map(({ file }) => file)
}

/** Whether a job builds files, and does not only check those of stored tables. */
export function buildsFiles(job: Job): boolean {
  return job.kind === 'build' && job.steps.some(({ file }) => file.form === 'built')
}

/** A file of the host that a job needs. */
export interface Gift {
  /** The name under which the process is given it. */
  name: string
  /** The path of the host's file. */
  from: string
  /** Another value for another file of that name. */
  version: unknown
  /** What fails when there is no such file. */
  missing: Pick<JobFailure, 'kind' | 'text'>
  /** Whether it is taken away after the job. */
  isForOneJob?: boolean
}
