/** A cell; null is written as an empty field. */
export type Cell = string | number | null

/** A file of the package: its name without `.csv`, its columns in order, and its rows. */
export interface Sheet {
  name: string
  columns: readonly string[]
  rows: readonly (readonly Cell[])[]
}

/**
 * Creates a sheet; `columns` are separated by spaces. Throws a RangeError when a
 * row has another number of cells.
 */
export function sheet(name: string, columns: string, rows: readonly (readonly Cell[])[]): Sheet {
  const names = columns.split(' ')
  const odd = rows.find(row => row.length !== names.length)
  if (odd) throw new RangeError(`${name}: ${odd.length} cells for ${names.length} columns: ${odd.join(', ')}`)
  return { name, columns: names, rows }
}

/** Formats a sheet as RFC 4180 CSV: a header, CRLF after each line, quotes only where needed. */
export function toCsv({ columns, rows }: Sheet): string {
  const lines = [columns.join(',')]
  for (const row of rows) lines.push(row.map(toField).join(','))
  return `${lines.join('\r\n')}\r\n`
}

function toField(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  // An empty string is quoted too: without quotes it would be read back as NULL.
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
