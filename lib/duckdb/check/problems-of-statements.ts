import type { Catalogue } from '../../catalogue/catalogue.js'
import type { FoundProblem } from '../../catalogue/catalogue-problem.js'
import { measureOf } from '../../catalogue/define.js'
import type { RelationDefinition } from '../../catalogue/definitions.js'
import { type QueryDefinition, versioned } from '../../catalogue/queries.js'
import type { Statement } from '../../engine/port.js'
import { AnalyticsError } from '../../errors.js'
import { JobFailed } from '../../flow/parent.js'
import type { Column } from '../../model.js'
import { exampleOf } from '../../values/json-schemas.js'
import { type BoundParameter, readParameters } from '../../values/parameters.js'
import type { JobFailure } from '../jobs.js'
import type { PlannedRelation } from '../plan.js'
import { openDifferences } from './differing-columns.js'
import type { Trial } from './trial.js'

/** What the check of named queries has found. */
interface CheckedQueries {
  problems: FoundProblem[]
  notes: string[]
}

/** The relations of a catalogue that were built. */
interface BuiltCatalogue {
  planned: ReadonlyMap<string, PlannedRelation>
  /** Relations that could be built, by their names. */
  sound: ReadonlyMap<string, unknown>
}

/**
 * Binds every named query as the statement of a caller, with values of the declared types, and tells which of them fail,
 * which name other parameters than they declare, and whose columns differ from their description.
 */
export async function problemsOfQueries(
  trial: Trial,
  { queries }: Catalogue,
  built: BuiltCatalogue,
): Promise<CheckedQueries> {
  const problems: FoundProblem[] = []
  const notes: string[] = []
  const differenceOf = await openDifferences(trial, queries)
  for (const query of queries) {
    const place = `query "${versioned(query)}"`
    const wrong = (message: string) => void problems.push({ kind: 'query', place, message })
    try {
      const checked = await trial.guard.check(query.sql, ASKER)
      const names = differingNames(query, checked)
      if (names !== null) {
        wrong(names)
        continue
      }
      const columns = await bound(trial, query, checked, built)
      const difference = columns && differenceOf(query, columns)
      if (difference) wrong(difference)
      if (columns && query.columns === undefined) notes.push(`${place}: ${untyped(columns)}`)
    } catch (cause) {
      wrong(refusalOf(cause))
    }
  }
  return { problems, notes }
}

const ASKER = { organization: '', ownerId: '', signal: new AbortController().signal }

/** What to write when a query declares other parameters than its SQL names; null when they are the same. */
function differingNames({ parameters }: QueryDefinition, { parameters: named = [] }: Statement) {
  const names = named.map(name => name.toLowerCase()) // the engine ignores their case
  const undeclared = names.find(name => !Object.hasOwn(parameters, name))
  if (undeclared !== undefined)
    return `its SQL names $${undeclared}, which is not in parameters: write ${undeclared}: { type, about }`
  const unused = Object.keys(parameters).find(name => !names.includes(name))
  return unused === undefined ? null : `its SQL does not name $${unused}: leave "${unused}" out of parameters`
}

/** The columns of a query; null when it reads a relation that could not be built. */
async function bound(
  trial: Trial,
  query: QueryDefinition,
  statement: Statement,
  { planned, sound }: BuiltCatalogue,
): Promise<Column[] | null> {
  const { relations } = statement
  const read = relations.flatMap(name => (sound.has(name) ? (planned.get(name) ?? []) : []))
  if (read.length < relations.length) return null
  const columns = await trial.bind({ ...statement, values: valuesFor(query, false) }, read)
  // A NULL has no type when the engine binds it.
  const defaults = valuesFor(query, true)
  if (defaults.some(({ value }) => value === null)) await trial.bind({ ...statement, values: defaults }, read)
  return columns
}

/** A value for each parameter: its default, even if that is NULL, or any of its type. */
function valuesFor({ parameters }: QueryDefinition, withNulls: boolean): BoundParameter[] {
  const given = Object.entries(parameters).map(([name, { type, values, default: fallback }]) => {
    const known = fallback === null && !withNulls ? undefined : fallback
    return [name, { type, value: known === undefined ? (values?.[0] ?? exampleOf(type)) : known }] as const
  })
  return readParameters(Object.fromEntries(given))
}

function untyped(columns: readonly Column[]): string {
  const list = columns
    .map(({ name, type }) => `${/^\w+$/.test(name) ? name : `'${name}'`}: '${type}'`)
    .join(', ')
  return `generated clients get rows without types. Write columns: { ${list} }.`
}

const MOST_SHOWN = 60

/**
 * Runs every example as the statement of a caller, and tells which of them fail. Examples that read a relation that
 * could not be built are left out: the relation has a problem of its own already.
 */
export async function problemsOfExamples(
  trial: Trial,
  { examples }: Catalogue,
  { planned, sound }: BuiltCatalogue,
): Promise<FoundProblem[]> {
  const problems: FoundProblem[] = []
  for (const [at, { question, sql }] of examples.entries()) {
    const place = `example ${at + 1} ("${clip(question)}")`
    try {
      const statement = await trial.guard.check(sql, ASKER)
      const { relations } = statement
      const read = relations.flatMap(name => (sound.has(name) ? (planned.get(name) ?? []) : []))
      if (read.length === relations.length) await trial.rows(statement.sql, read, 1)
    } catch (cause) {
      problems.push({ kind: 'example', place, message: refusalOf(cause) })
    }
  }
  return problems
}

/**
 * Runs every measure over the rows of its relation, and tells which of them fail, read anything else, or are no aggregates:
 * those yield no row where there is none.
 */
export async function problemsOfMeasures(
  trial: Trial,
  { relations, summaries }: Catalogue,
  { planned, sound }: BuiltCatalogue,
): Promise<FoundProblem[]> {
  const problems: FoundProblem[] = []
  for (const { name } of summaries.filter(({ name }) => sound.has(name)))
    for (const measure of Object.keys(relations.get(name)?.measures ?? {})) {
      const wrong = (message: string) =>
        void problems.push({ kind: 'measure', place: `measure "${measure}" of ${name}`, message })
      try {
        const of = measureOf(relations.get(name) as RelationDefinition, measure)
        // In a CASE and a line of its own, text that is more than one expression is an error.
        const alone = `CASE WHEN true THEN ${of}\nEND`
        const sql = `SELECT count(*)::INTEGER AS rows FROM (SELECT ${alone} AS measure FROM "${name}")`
        const statement = await trial.guard.check(sql, ASKER)
        const other = statement.relations.find(read => read !== name)
        if (other !== undefined)
          wrong(`it reads ${other}: a measure reads its own relation alone, so write a fold`)
        else if ((statement.parameters ?? []).length > 0)
          wrong('it names a parameter, for which nobody has a value')
        else if ((await trial.rows(statement.sql, [planned.get(name) as PlannedRelation], 1))[0]?.rows !== 1)
          wrong('it is no aggregate, such as sum(paid): it has a value for each row')
      } catch (cause) {
        wrong(refusalOf(cause))
      }
    }
  return problems
}

/** Why a statement of the catalogue fails. Rethrows what tells nothing about the statement. */
function refusalOf(cause: unknown): string {
  if (cause instanceof AnalyticsError && cause.class === 'INVALID_QUERY')
    return `the check of statements refuses it: ${cause.message}`
  if (!(cause instanceof JobFailed)) throw cause
  const { kind, text } = cause.failure as JobFailure
  if (kind === 'disk' || kind === 'fault' || kind === 'view') throw cause
  return `it fails: ${text.replace(/\s+/g, ' ')}`
}

function clip(question: string): string {
  return question.length > MOST_SHOWN ? `${question.slice(0, MOST_SHOWN)}…` : question
}
