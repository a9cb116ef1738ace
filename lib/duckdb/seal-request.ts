import type { SealSource } from '../sources/source.js'
import type { Partition } from './seal-job.js'

/** A package to seal. */
export interface SealRequest {
  /** UUID of the project, lower case. */
  projectId: string
  /** What the tables come from, such as the run of an assessment: any string. Default: nothing is stored. */
  assessmentId?: string
  /** Folder with one `<table>.parquet` or `<table>.csv` per table. */
  source?: string
  /**
   * Where the rows of tables come from, by the names of the tables, instead of files in a folder or beside them. A
   * source is read once.
   */
  tables?: Readonly<Record<string, SealSource>>
  /**
   * Tables whose rows are added to those in the newest snapshot of the project. Throws a `SealerError` of the reason
   * `outdated` when another snapshot of the project is published meanwhile. Default: none.
   */
  append?: readonly string[]
  /** The column that separates projects, when the folder holds several. */
  partition?: Partition
  /** Digest of the package, stored in the manifest so that the host can recognise the same package. */
  sourceDigest?: string
  /** Aborts the sealing, which then leaves nothing behind. */
  signal?: AbortSignal
}
