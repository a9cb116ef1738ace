/** Folder of the files of the snapshot before, among the files that a process which seals is given. */
export const BEFORE = 'before'

/** Name of the file of a table, among the files that a process which seals is given. */
export function fileOf(table: string, format: string): string {
  return `${table}.${format === 'parquet' ? format : 'csv'}`
}

/** File with the entity ids of a snapshot: 16 bytes per id, ascending. */
export const ENTITIES_FILE = 'entities.ids'

/** Names of the files that are written of a table: `<table>.parquet`, or `<table>-0001.parquet` and so on. */
export function storedNames(table: string, files: number): string[] {
  if (files === 1) return [`${table}.parquet`]
  return Array.from({ length: files }, (_, at) => `${table}-${String(at + 1).padStart(4, '0')}.parquet`)
}
