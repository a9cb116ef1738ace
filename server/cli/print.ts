import { once } from 'node:events'
import type { Sealer, SnapshotManifest, StoredTable } from 'foldgate/sealing'
import { formatInstant } from '../input/instants.js'
import { quoted } from '../input/names.js'
import type { ServerWords } from '../settings/words.js'
import { ofTable, type PackageProblem, problemLines } from '../snapshots/problems.js'
import type { CommonOptions } from './command.js'

/** Items of a list that are formatted together. */
const ITEMS_AT_ONCE = 1000

/** Prints the result of a command: `value` as one line of JSON with `--json`, else `text`. */
export function print(options: CommonOptions, value: unknown, text: string): void {
  process.stdout.write(`${options.json ? JSON.stringify(value) : text}\n`)
}

/**
 * Prints a list: a JSON array with `--json`, else a table; `columns` maps headings to the cells of an item. Only some
 * items are in memory at a time. The columns of a long table become wider where a cell needs it.
 */
export async function printList<Item>(
  options: CommonOptions,
  items: Iterable<Item> | AsyncIterable<Item>,
  columns: Readonly<Record<string, (item: Item) => string>>,
): Promise<void> {
  const pieces = options.json ? jsonPieces(items) : tablePieces(items, columns)
  for await (const piece of pieces) if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
}

async function* jsonPieces<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<string> {
  let before = '['
  for await (const some of inParts(items)) {
    yield before + some.map(item => JSON.stringify(item)).join(',')
    before = ','
  }
  yield before === '[' ? '[]\n' : ']\n'
}

async function* tablePieces<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  columns: Readonly<Record<string, (item: Item) => string>>,
): AsyncGenerator<string> {
  const widths: number[] = []
  let rows = [Object.keys(columns)]
  for await (const some of inParts(items)) {
    for (const item of some) rows.push(Object.values(columns).map(cell => cell(item)))
    yield `${table(rows, widths)}\n`
    rows = []
  }
  if (rows.length > 0) yield `${table(rows, widths)}\n`
}

async function* inParts<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let some: Item[] = []
  for await (const item of items) {
    some.push(item)
    if (some.length < ITEMS_AT_ONCE) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
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

/** Prints the types of columns that were guessed on standard error. */
function reportGuessed({ tables }: SnapshotManifest): void {
  const guessed = tables.flatMap(table =>
    guessedOf(table).map(({ name, type }) => `${table.name}.${name} ${type}`),
  )
  if (guessed.length > 0)
    process.stderr.write(
      `Types found in the values, since the catalogue declares none: ${guessed.join(', ')}\n`,
    )
}

function guessedOf({ columns, guessed = [] }: StoredTable): StoredTable['columns'] {
  return columns.filter(({ name }) => guessed.includes(name))
}

/** Prints the id of the newest snapshot after a sealing, and on standard error what is to be known about it. */
export function reportSealed(
  options: CommonOptions,
  { manifest, unchanged, leftOut, name }: Awaited<ReturnType<Sealer['seal']>> & { name: string },
  words: ServerWords,
): void {
  reportWarnings((manifest.warnings ?? []).map(ofTable))
  reportLeftOut(leftOut)
  reportGuessed(manifest)
  if (unchanged)
    process.stderr.write(
      `Nothing has changed since the snapshot ${manifest.snapshotId}: no other was sealed\n`,
    )
  print(options, { ...manifestAsJson(manifest, name, words), unchanged, leftOut }, manifest.snapshotId)
}

/** What commands print as JSON about a snapshot of the project with this name. */
export function manifestAsJson(
  manifest: SnapshotManifest,
  project: string,
  { hasAssessments }: Pick<ServerWords, 'hasAssessments'>,
) {
  const { snapshotId: id, projectId, assessmentId, sealedAt, tables, warnings = [] } = manifest
  const assessment = hasAssessments && assessmentId !== undefined ? { assessmentId } : {}
  const counts = tables.map(table => {
    const guessed = guessedOf(table)
    return { name: table.name, rows: table.rows, ...(guessed.length > 0 ? { guessed } : {}) }
  })
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

/**
 * Formats rows of cells as aligned columns; the first row has the headings. `widths` are those of the columns in rows
 * that come before, and become those of all.
 */
export function table(rows: readonly (readonly string[])[], widths: number[] = []): string {
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
