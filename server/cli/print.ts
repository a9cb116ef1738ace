import type { SnapshotManifest } from 'foldgate/sealing'
import { ofTable, type PackageProblem, problemLines } from '../import/problems.js'
import { formatInstant } from '../input/instants.js'
import { quoted } from '../input/names.js'
import type { Words } from '../settings/words.js'
import type { CommonOptions } from './command.js'

/** Prints the result of a command: `value` as one line of JSON with `--json`, else `text`. */
export function print(options: CommonOptions, value: unknown, text: string): void {
  process.stdout.write(`${options.json ? JSON.stringify(value) : text}\n`)
}

/**
 * Prints a list: a JSON array with `--json`, else a table; `columns` maps headings to the cells of an item.
 */
export function printList<Item>(
  options: CommonOptions,
  items: readonly Item[],
  columns: Readonly<Record<string, (item: Item) => string>>,
): void {
  const rows = items.map(item => Object.values(columns).map(cell => cell(item)))
  print(options, items, table([Object.keys(columns), ...rows]))
}

/** Prints warnings about tables on standard error. */
export function reportWarnings(warnings: readonly PackageProblem[]): void {
  if (warnings.length === 0) return
  const lines = ['Warnings (the tables can still be sealed):', ...problemLines(warnings)]
  process.stderr.write(`${lines.join('\n')}\n`)
}

/** Prints the names of files that are not tables on standard error. */
export function reportLeftOut(files: readonly string[]): void {
  if (files.length > 0) process.stderr.write(`Not a table, left out: ${files.map(quoted).join(', ')}\n`)
}

/** Prints the id of a snapshot that was sealed, and on standard error its warnings and what was left out. */
export function reportSealed(
  options: CommonOptions,
  { manifest, leftOut, name }: { manifest: SnapshotManifest; leftOut: readonly string[]; name: string },
  words: Words,
): void {
  reportWarnings((manifest.warnings ?? []).map(ofTable))
  reportLeftOut(leftOut)
  print(options, { ...manifestAsJson(manifest, name, words), leftOut }, manifest.snapshotId)
}

/** What commands print as JSON about a snapshot of the project with this name. */
export function manifestAsJson(
  manifest: SnapshotManifest,
  project: string,
  { hasAssessments }: Pick<Words, 'hasAssessments'>,
) {
  const { snapshotId: id, projectId, assessmentId, sealedAt, tables, warnings = [] } = manifest
  const assessment = hasAssessments && assessmentId !== undefined ? { assessmentId } : {}
  const counts = tables.map(table => ({ name: table.name, rows: table.rows }))
  return { id, name: `${project}, ${sealedAt}`, projectId, ...assessment, sealedAt, tables: counts, warnings }
}

/** A number with its noun. */
export function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`
}

/** Formats an instant for JSON. */
export function instantOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : formatInstant(epochMs)
}

/** Formats rows of cells as aligned columns; the first row has the headings. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
