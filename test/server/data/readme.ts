import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The rows, by the names of the columns, of the table in a package's README.md that has this column. */
export function readmeTable(folder: string, column: string): ReadonlyMap<string, string>[] {
  const lines = readFileSync(join(folder, 'README.md'), 'utf8').split('\n').map(cells)
  const start = lines.findIndex(line => line.includes(column))
  if (start < 0) throw new RangeError(`README.md has no table with a column "${column}"`)
  const header = lines[start] ?? []
  const end = lines.findIndex((line, at) => at > start && line.length === 0)
  // The line below the header draws a rule.
  return lines.slice(start + 2, end).map(line => new Map(header.map((name, at) => [name, line[at] ?? ''])))
}

function cells(line: string): string[] {
  if (!line.startsWith('|')) return []
  return line
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim())
}
