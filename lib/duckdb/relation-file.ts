import type { Job } from './jobs.js'

/** A relation in a form that statements read. */
export interface RelationFile {
  relation: string
  /** Name of the database in which it is. */
  alias: string
  /**
   * Names of its files in the folder of its project, or of the process that builds it: a database, or the Parquet files
   * of a stored table, which a statement reads as they are.
   */
  files: readonly string[]
}

/** What the name of the file of a built relation ends with. */
export const BUILT_SUFFIX = '.duckdb'

/** Whether a relation was built into a database. */
export function isBuilt({ files }: Pick<RelationFile, 'files'>): boolean {
  return files[0]?.endsWith(BUILT_SUFFIX) ?? false
}

/** Whether a job builds files, and does not only check those of stored tables. */
export function buildsFiles(job: Job): boolean {
  return job.kind === 'build' && job.steps.some(({ file }) => isBuilt(file))
}
