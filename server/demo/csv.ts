/** A cell; null is written as an empty one. */
export type Cell = string | number | null

/** A file of the package: its name without `.csv`, its columns in order, and its rows. */
export interface Sheet {
  name: string
  columns: readonly string[]
  rows: readonly (readonly Cell[])[]
}

/** A sheet; `columns` separated by spaces. A row of another width throws: it would shift every cell behind it. */
export function sheet(name: string, columns: string, rows: readonly (readonly Cell[])[]): Sheet {
  const names = columns.split(' ')
  const odd = rows.find(row => row.length !== names.length)
  if (odd) throw new RangeError(`${name}: ${odd.length} cells for ${names.length} columns: ${odd.join(', ')}`)
  return { name, columns: names, rows }
}

/** The sheet as RFC 4180 text: a header, lines ended by CRLF, quotes only where they are needed. */
export function toCsv({ columns, rows }: Sheet): string {
  const lines = [columns.join(',')]
  for (const row of rows) lines.push(row.map(toField).join(','))
  return `${lines.join('\r\n')}\r\n`
}

function toField(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  // An empty text would read back as NULL, so it is quoted like the ones that would break the line.
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
