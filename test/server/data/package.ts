import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { groupBy } from './group.js'

/** A row of a table, with null for empty cells. */
export type Cells = ReadonlyMap<string, string | null>

/** A project of a package, with its tables as the CSV files have them. */
export interface PackageProject {
  key: string
  id: string
  state: string
  /** The rows of a table for this project; empty if the package lacks the table. */
  rows(table: string): readonly Cells[]
}

/** Reads the projects of a package; each table is read once, on first use. */
export function readPackage(folder: string): PackageProject[] {
  const tables = new Map<string, Map<string | null, Cells[]>>()
  const table = (name: string) => {
    const known = tables.get(name)
    if (known) return known
    const read = groupBy(readTable(folder, name), row => row.get('project_key') ?? null)
    tables.set(name, read)
    return read
  }
  return readTable(folder, 'projects').map(project => {
    const key = text(project, 'project_key')
    const rows = (name: string) => [...(table(name).get(key) ?? []), ...(table(name).get(null) ?? [])]
    return { key, id: text(project, 'project_id'), state: text(project, 'state'), rows }
  })
}

/** Reads one CSV file of a package; empty if there is no such file. */
export function readTable(folder: string, name: string): Cells[] {
  const path = join(folder, `${name}.csv`)
  const records: Record<string, string>[] = existsSync(path)
    ? parse(readFileSync(path), { bom: true, columns: true })
    : []
  return records.map(record => new Map(Object.entries(record).map(([column, cell]) => [column, cell || null])))
}

/** A cell that must not be empty. */
export function text(row: Cells, column: string): string {
  const cell = row.get(column)
  if (cell == null) throw new TypeError(`the cell of ${column} is empty or missing`)
  return cell
}

/** A cell as a number; null if empty. */
export function amount(row: Cells, column: string): number | null {
  const cell = row.get(column)
  return cell == null ? null : Number(cell)
}
