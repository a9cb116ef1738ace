import { formatInstant } from '../store/instants.js'
import type { CommonOptions } from './command.js'

/** Prints what a command made: one line of JSON for programs, or the text for people. */
export function print(options: CommonOptions, value: unknown, text: string): void {
  process.stdout.write(`${options.json ? JSON.stringify(value) : text}\n`)
}

/** Prints a list: an array of JSON objects for programs, or a table of the columns, heading to cell, for people. */
export function printList<Item>(
  options: CommonOptions,
  items: readonly Item[],
  columns: Readonly<Record<string, (item: Item) => string>>,
): void {
  const rows = items.map(item => Object.values(columns).map(cell => cell(item)))
  print(options, items, table([Object.keys(columns), ...rows]))
}

/** An instant as JSON has it. */
export function instantOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : formatInstant(epochMs)
}

/** Rows of cells with their columns aligned; the first row has the headings. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
