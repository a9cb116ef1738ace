import type { Row } from 'foldgate/client'
import { columnsOf, type RowColumn } from '#explore/script/values.js'

/** Columns of rows whose types the values suggest, except for what is given. */
export function guessedColumns(rows: readonly Row[], given: Record<string, Partial<RowColumn>> = {}): RowColumn[] {
  const names = Object.keys(rows[0] ?? {})
  const types = names.map(name => typeOf(rows.map(row => row[name]).filter(value => value !== null)))
  return columnsOf(names, types).map(column => ({ ...column, ...given[column.name] }))
}

function typeOf(values: readonly unknown[]): string {
  if (values.length === 0) return 'VARCHAR'
  if (values.some(value => typeof value === 'object')) return 'JSON'
  if (values.every(value => typeof value === 'boolean')) return 'BOOLEAN'
  if (values.every(value => typeof value === 'number')) return 'DOUBLE'
  const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\d([T ]|$)/.test(value)
  return values.every(isTime) ? 'TIMESTAMP' : 'VARCHAR'
}
