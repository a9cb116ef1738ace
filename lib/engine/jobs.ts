import type { Column } from '../model.js'

/** What an engine process is started with. */
export interface EngineSettings {
  threads: number
  memoryLimitBytes: number
  spillBytes: number
  /** The process's own folder: spills, and exports before they are handed over. */
  scratch: string
}

/** Snapshots that an engine process keeps open, each in an instance of its own. */
export const MOST_OPEN = 16

/** A built relation on disk. */
export interface RelationFile {
  relation: string
  /** Name under which the file is attached. */
  alias: string
  path: string
}

/** The relations of one statement, all of one snapshot. */
export interface View {
  /** Folder of the snapshot's built relations: with its scratch folder all that the process can reach. */
  folder: string
  files: RelationFile[]
}

/** One page of rows. */
export interface RowsJob {
  kind: 'rows'
  view: View
  statement: string
  limit: number
  offset: number
  pageBytes: number
  rowBytes: number
}

/** A page: the rows as JSON objects with commas between them, without the brackets. */
export interface RowsPage {
  json: Uint8Array
  rows: number
  /** Rows follow. */
  more: boolean
}

/** One result as a Parquet file in the scratch folder. */
export interface ExportJob {
  kind: 'export'
  view: View
  statement: string
  /** Name of the file, within the scratch folder. */
  file: string
  maxBytes: number
}

export interface ExportedFile {
  path: string
  rows: number
  bytes: number
}

/** Rows of a result as lines of JSON in a file of the scratch folder. */
export interface ChunkJob {
  kind: 'chunk'
  view: View
  statement: string
  offset: number
  rows: number
  /** A row that passes it is in no page. */
  rowBytes: number
  maxBytes: number
  file: string
}

/** What was written: one JSON object a line. */
export interface WrittenChunk {
  path: string
  rows: number
  bytes: number
  /** Rows follow. */
  more: boolean
  /** Where every `stride`-th line starts, in bytes; then the end of the last one. */
  index: { stride: number; starts: Float64Array }
}

/** A relation to be built, in the order in which others read it. */
export interface BuildStep {
  file: RelationFile
  sql: string
  /** Stored table whose Parquet file the step reads; its digest is checked first. */
  source?: { path: string; sha256: string }
}

export interface BuildJob {
  kind: 'build'
  view: View
  steps: BuildStep[]
}

export interface BuiltRelation {
  alias: string
  columns: Column[]
  bytes: number
}

export type Job = RowsJob | ChunkJob | ExportJob | BuildJob

/** What went wrong in a job. `text` says what the caller may be told, `cause` what the host may. */
export interface JobFailure {
  kind:
    | 'query'
    | 'memory'
    | 'interrupted'
    | 'row-bytes'
    | 'file-bytes'
    /** A file of the view is gone or damaged: the one whose alias is the text, or nobody knows which. */
    | 'view'
    /** A stored table of the snapshot is gone or damaged. */
    | 'snapshot'
    /** Files of the host cannot be read or written. */
    | 'disk'
    | 'assertion'
    | 'fault'
  text: string
  /** Byte offset in the statement. */
  offset?: number
  /** The statement was refused before any of it ran. */
  atBinding?: boolean
  cause?: string
}
