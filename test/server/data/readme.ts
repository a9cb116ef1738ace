import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Rows, by column name, of the table with this column in a package's README.md. */
export function readmeTable(folder: string, column: string): ReadonlyMap<string, string>[] {
  const lines = readFileSync(join(folder, 'README.md'), 'utf8').split('\n').map(cells)
  const start = lines.findIndex(line => line.includes(column))
  if (start < 0) throw new RangeError(`README.md has no table with a column "${column}"`)
  const header = lines[start] ?? []
  const end = lines.findIndex((line, at) => at > start && line.length === 0)
  // The line below the header separates it from the rows.
  return lines.slice(start + 2, end).map(line => new Map(header.map((name, at) => [name, line[at] ?? ''])))
}

function cells(line: string): string[] {
  if (!line.startsWith('|')) return []
  return line
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim())
}
