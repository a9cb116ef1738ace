import type { ColumnMeaning, TableColumnDefinition } from './definitions.js'

/** Throws a TypeError for what is no object of fields. */
export function mustBeFields(given: unknown, message: string): void {
  if (typeof given !== 'object' || given === null) throw new TypeError(message)
}

/** Separates the types of the columns of a table from what they mean, and from those that are lossy. */
export function readTableColumns(columns: Readonly<Record<string, TableColumnDefinition>> | undefined) {
  const { meanings, ...rest } = readColumns(columns)
  const lossy: string[] = []
  for (const [name, meaning] of Object.entries<ColumnMeaning & { lossy?: unknown }>(meanings)) {
    if (typeof meaning.lossy !== 'boolean') continue // is left for `defineCatalogue` to refuse
    if (meaning.lossy) lossy.push(name)
    delete meaning.lossy
    if (Object.keys(meaning).length === 0) delete meanings[name]
  }
  return { ...rest, meanings, lossy }
}

/** Separates the types of columns from what they mean. `defineCatalogue` refuses columns that are no object. */
export function readColumns(columns: Readonly<Record<string, TableColumnDefinition>> | undefined) {
  const meanings: Record<string, ColumnMeaning> = {}
  if (columns === undefined) return { meanings }
  if (columns === null || typeof columns !== 'object' || Array.isArray(columns))
    return { columns, meanings } as never
  const types: Record<string, string> = {}
  for (const [name, column] of Object.entries(columns)) {
    const { type, ...meaning } = typeof column === 'object' && column !== null ? column : { type: column }
    types[name] = type
    if (Object.keys(meaning).length > 0) meanings[name] = meaning
  }
  return { columns: types, meanings }
}
