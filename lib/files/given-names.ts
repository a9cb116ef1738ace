/** Folder of the files of the snapshot before, among the files that a process which seals is given. */
export const BEFORE = 'before'

/** Name of the file of a table, among the files that a process which seals is given. */
export function fileOf(table: string, format: string): string {
  return `${table}.${format === 'parquet' ? format : 'csv'}`
}

/** File with the entity ids of a snapshot: 16 bytes per id, ascending. */
export const ENTITIES_FILE = 'entities.ids'

/**
 * Names of the files that are written of a table: `<table>.parquet`, or `<table>-0001.parquet` and so on, after those
 * of the table before. The files that are `kept` have names already.
 */
export function storedNames(
  table: string,
  before: readonly { file: string }[],
  { kept, files }: { kept: number; files: number },
): string[] {
  if (kept === 0 && files === 1) return [`${table}.parquet`]
  const last = Math.max(0, ...before.map(({ file }) => numberOf(table, file)))
  return Array.from(
    { length: files },
    (_, at) => `${table}-${String(last + at + 1).padStart(4, '0')}.parquet`,
  )
}

/** The number in the name of a file of a table. */
function numberOf(table: string, file: string): number {
  return file === `${table}.parquet` ? 1 : Number(/-(\d+)\.parquet$/.exec(file)?.[1] ?? 0)
}
