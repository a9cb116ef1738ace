import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { Catalogue } from '../../catalogue/catalogue.js'
import type { CatalogueProblem, FoundProblem } from '../../catalogue/catalogue-problem.js'
import { rowLimitsOf, whyUnknown } from '../../catalogue/row-limits.js'
import { AnalyticsError } from '../../errors.js'
import { isNoSpace, noSpaceIn } from '../../files/no-space.js'
import { makeOwnFolder } from '../../files/own-folder.js'
import { JobFailed, ProcessDied } from '../../flow/parent.js'
import { needsQuotes, quotedIfNeeded, RESERVED_WORDS } from '../../guard/quoting.js'
import type { Column } from '../../model.js'
import { removeTree } from '../../sandbox/remove-tree.js'
import { openSandbox, SandboxMissing, type SandboxMode } from '../../sandbox/sandbox.js'
import { checkOptions } from '../../values/known-options.js'
import { describedRelations } from '../guard.js'
import type { JobFailure } from '../jobs.js'
import { addedFunctions, type GuardSettings, sandboxMode } from '../settings.js'
import { emptyRelations } from './empty-relations.js'
import { problemsOfSql } from './problems-of-sql.js'
import { problemsOfExamples, problemsOfMeasures, problemsOfQueries } from './problems-of-statements.js'
import { Trial } from './trial.js'

const OPTIONS = { folder: true, guard: true, sandbox: true, signal: true, onNote: true }

/** Options of {@link checkCatalogue}. */
export interface CheckCatalogueOptions {
  /** Folder for scratch files, created when missing. Default: the temporary folder of the system. */
  folder?: string
  /** What the check of statements accepts, as given to `duckdbEngine`. Default: its defaults. */
  guard?: GuardSettings
  /** Whether the processes run behind walls of the operating system, as for `duckdbEngine`. Default: `auto`. */
  sandbox?: SandboxMode
  /** Aborts the check, which then rejects with the reason of the signal. */
  signal?: AbortSignal
  /**
   * Called with notes on the catalogue that are no mistakes, one sentence each: tables without `columns`, whose readers
   * are checked only when they are built from a snapshot; names in `reads` that the SQL does not use; named queries
   * without `columns`; names that need quotes in SQL; and what callers with each row limit read, and why not the rest. Default: nothing is told.
   */
  onNote?: (note: string) => void
}

/**
 * Finds the mistakes in a catalogue that `defineCatalogue` cannot see, and resolves to an empty list when there are
 * none. It builds every relation over tables without rows in processes of the engine, runs the rules, measures and examples
 * there, and binds the named queries: in well under a second. `openSealer` does it before its first seal.
 *
 * @param catalogue - What `defineCatalogue` has returned.
 * @param options - Where the check runs, what aborts it, and who is told of notes.
 * @returns Resolves to the mistakes, each with its place and what to write instead; an empty list when there are none.
 * @throws TypeError when an option is wrong, the reason of `signal` when that is aborted, and an Error when the check
 * itself cannot run, for instance on a full disk.
 *
 * @example
 * ```ts
 * const problems = await checkCatalogue(catalogue, { onNote: note => console.log(note) })
 * for (const { place, message } of problems) console.error(`${place}: ${message}`)
 * if (problems.length > 0) process.exit(1)
 * ```
 */
export async function checkCatalogue(
  catalogue: Catalogue,
  options: CheckCatalogueOptions = {},
): Promise<CatalogueProblem[]> {
  const found = await findProblems(catalogue, options)
  return found.map(({ place, message }) => ({ place, message }))
}

/** The problems, as {@link checkCatalogue} finds them, with their kinds. */
export async function findProblems(
  catalogue: Catalogue,
  options: CheckCatalogueOptions,
): Promise<FoundProblem[]> {
  checkOptions('checkCatalogue', options, OPTIONS)
  checkOptions('guard', options.guard, { functions: true })
  const { signal, onNote = () => {} } = options
  const mode = sandboxMode(options.sandbox ?? 'auto', 'sandbox')
  const functions = addedFunctions(options.guard?.functions ?? [], 'guard.functions')
  signal?.throwIfAborted()
  const parent = resolve(options.folder ?? tmpdir())
  let folder = parent
  let trial: Trial | null = null
  const end = () => void trial?.close()
  try {
    const sandbox = await openSandbox(mode)
    folder = await makeOwnFolder(parent, 'check')
    signal?.throwIfAborted()
    const relations = catalogue.summaries.map(({ name }) => name)
    const described = describedRelations(catalogue)
    trial = new Trial({ folder: await realpath(folder), sandbox, relations, functions, described })
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
    return await checkIn(trial, catalogue, onNote)
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw cause instanceof SandboxMissing ? cause : await cannotRun(cause, folder)
  } finally {
    signal?.removeEventListener('abort', end)
    await trial?.close()
    if (folder !== parent) await removeTree(folder).catch(() => {}) // or its failure would hide the cause
  }
}

async function checkIn(
  trial: Trial,
  catalogue: Catalogue,
  onNote: (note: string) => void,
): Promise<FoundProblem[]> {
  const empty = emptyRelations(catalogue)
  if (empty.untyped.length > 0)
    onNote(
      `What reads ${listed(empty.untyped)} is checked only when it is built from a snapshot: the table has no columns in the catalogue.`,
    )
  const built = await problemsOfSql(trial, catalogue, empty.planned)
  for (const note of built.notes) onNote(note)
  const sound = { planned: empty.planned, sound: built.columns }
  const measures = await problemsOfMeasures(trial, catalogue, sound)
  const examples = await problemsOfExamples(trial, catalogue, sound)
  const queries = await problemsOfQueries(trial, catalogue, sound)
  for (const note of queries.notes) onNote(note)
  const names = await quotedNames(trial, catalogue, built.columns)
  if (names !== null) onNote(names)
  for (const note of notesOfRowLimits(catalogue)) onNote(note)
  return [...built.problems, ...measures, ...examples, ...queries.problems]
}

/** What callers with each row limit read, unless no relation has anything to do with it. */
function notesOfRowLimits(catalogue: Catalogue): string[] {
  const { relations, summaries } = catalogue
  if ([...relations.values()].every(relation => relation.rowLimits === undefined)) return []
  return [...rowLimitsOf(catalogue).keys()].map(limit => {
    const known = summaries.map(({ name }) => ({ name, why: whyUnknown(catalogue, name, [limit]) }))
    const read = known.filter(({ why }) => why === null).map(({ name }) => name)
    const not = known.flatMap(({ name, why }) => (why === null ? [] : [`"${name}" (${why})`]))
    const others = not.length > 0 ? `, and not ${not.join(', ')}` : ''
    return `Callers with the row limit "${limit}" read ${listed(read) || 'nothing'}${others}.`
  })
}

function listed(names: readonly string[]): string {
  return names.map(name => `"${name}"`).join(', ')
}

async function cannotRun(thrown: unknown, folder: string): Promise<Error> {
  const cause = thrown instanceof AnalyticsError ? thrown.cause : thrown // the guard tells callers no more
  const isFull = cause instanceof JobFailed && (cause.failure as JobFailure).isFull
  if (isFull || isNoSpace(cause)) return noSpaceIn([folder], cause)
  const said = cause instanceof ProcessDied ? cause.exit.stderr.trim() : ''
  const why = said || (cause instanceof Error ? cause.message : String(cause))
  return new Error(`The catalogue could not be checked: ${why}`, { cause })
}

/** Far more words than the parser reserves. */
const MOST_WORDS = 10_000

/** A note with all names of relations and columns that callers have to quote; null when there are none. */
async function quotedNames(
  trial: Trial,
  { summaries }: Catalogue,
  columns: ReadonlyMap<string, readonly Column[]>,
): Promise<string | null> {
  const words = await trial.rows(RESERVED_WORDS, [], MOST_WORDS)
  const reserved = new Set(words.map(({ keyword_name: word }) => String(word)))
  const found = new Map<string, string[]>()
  const add = (name: string, place: string) => {
    if (needsQuotes(name, reserved)) found.set(name, [...(found.get(name) ?? []), place])
  }
  for (const { name } of summaries) {
    add(name, 'a relation')
    for (const column of columns.get(name) ?? []) add(column.name, `a column of ${name}`)
  }
  if (found.size === 0) return null
  const list = [...found].map(([name, places]) => `${quotedIfNeeded(name, reserved)} (${places.join(', ')})`)
  return `These names need double quotes in SQL: ${list.join(', ')}. Callers write fewer mistakes with other names.`
}
