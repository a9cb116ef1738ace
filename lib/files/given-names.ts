/** Folder of the files of the snapshot before, among the files that a process which seals is given. */
export const BEFORE = 'before'

/** Name of the file of a table, among the files that a process which seals is given. */
export function fileOf(table: string, format: string): string {
  return `${table}.${format === 'parquet' ? format : 'csv'}`
}
