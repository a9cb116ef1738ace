import type { BoundStatement, ExportForm, RowsBefore } from '../engine/port.js'
import type { Column } from '../model.js'
import type { BoundParameter } from '../values/parameters.js'
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

/** A built relation. */
export interface RelationFile {
  relation: string
  /** Database name under which the file is attached. */
  alias: string
  /** Name of the file in the folder of its project, or of the process that builds it. */
  file: string
}

/** The relations of one statement, all from one snapshot. */
export interface View {
  /** Name of the folder of the project's built relations, the only given one that a statement can access. */
  folder: string
  files: RelationFile[]
}

/** A caller's statement. */
export interface Statement {
  sql: string
  /** Of all its parameters, in the order of their names. */
  values: readonly BoundParameter[]
  /** Columns that the catalogue declares for it: their SQL types by their names, in order. */
  columns?: Readonly<Record<string, string>>
}

/** A statement as jobs have it. */
export function statementOf({ statement, values = [], columns }: BoundStatement): Statement {
  return { sql: statement, values, ...(columns ? { columns } : {}) }
}

/** One page of rows. */
export interface RowsJob {
  kind: 'rows'
  view: View
  statement: Statement
  limit: number
  offset: number
  pageBytes: number
  rowBytes: number
}

/** Writes a whole result to a file of its own. */
export interface ExportJob extends ExportForm {
  kind: 'export'
  view: View
  /** The statement, or rows of another engine, whose `path` is the name of a given file. */
  statement: Statement | GivenRows
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
  statement: Statement
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
 * A relation to build, by SQL or from the Parquet files of a stored table, whose digests are checked first. Steps
 * are ordered so that each comes after the relations that it reads.
 */
export interface BuildStep {
  file: RelationFile
  /** Aliases of the relations that its SQL can name. */
  reads: readonly string[]
  from: { sql: string } | { source: readonly SourceFile[] }
}

export interface BuildJob {
  kind: 'build'
  view: View
  steps: BuildStep[]
}

export interface BuiltRelation {
  alias: string
  columns: Column[]
}

/** Tells the columns of a statement without running it. */
export interface BindJob {
  kind: 'bind'
  /** The relations that are built. */
  view: View
  /** Those that are not, and what they are made from: the statement finds them without rows. */
  unbuilt: BuildStep[]
  /** Aliases of the relations that the statement can name. */
  reads: readonly string[]
  statement: Statement
}

export type Job = RowsJob | BindJob | ChunkJob | ExportJob | BuildJob

/** What went wrong in a job: `text` for the caller, `cause` for the host. */
export interface JobFailure {
  kind:
    | 'query'
    | 'memory'
    | 'interrupted'
    | 'row-bytes'
    | 'file-bytes'
    /** A package that the format of the file needs is not installed. */
    | 'format'
    /**
     * A file of the view is gone or damaged: the one whose alias is `text`, or an unknown one when that is
     * empty.
     */
    | 'view'
    /** A stored table of the snapshot is gone or damaged. */
    | 'snapshot'
    /** A file of the host cannot be read or written, perhaps because the disk `isFull`. */
    | 'disk'
    /** The SQL of a relation to build is refused: the one whose alias is `text`. */
    | 'relation'
    | 'assertion'
    | 'fault'
  text: string
  /** Byte offset in the statement. */
  offset?: number
  isFull?: boolean
  /** The statement was refused before any of it ran. */
  atBinding?: boolean
  cause?: string
}
