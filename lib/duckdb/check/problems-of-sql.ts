import { type Catalogue, POINT_OF_VIEW } from '../../catalogue/catalogue.js'
import type { FoundProblem, ProblemKind } from '../../catalogue/catalogue-problem.js'
import type { FoldDefinition } from '../../catalogue/definitions.js'
import type { Column } from '../../model.js'
import { closure, type PlannedRelation } from '../plan.js'
import { buildAll } from './build-all.js'
import { openDifferences } from './differing-columns.js'
import { readsOfRule, ruleName } from './empty-relations.js'
import { type ParsedSql, parseSql } from './names-in-sql.js'
import type { Trial } from './trial.js'

/** What building the relations of a catalogue over tables without rows has shown. */
export interface CheckedSql {
  problems: FoundProblem[]
  notes: string[]
  /** Columns of those that could be built, by their names. */
  columns: ReadonlyMap<string, readonly Column[]>
}

/** A piece of SQL in the catalogue: that of a fold, or of a rule. */
interface CatalogueSql {
  place: string
  /** Name under which it is planned. */
  name: string
  sql: string
  /** The fold that it is of; null for a rule. */
  fold: FoldDefinition | null
  /** What `reads` has. */
  reads: readonly string[]
  /** What it can name. */
  known: readonly string[]
}

/** Builds the planned relations, and returns problems of those that cannot be built or are defined wrongly. */
export async function problemsOfSql(
  trial: Trial,
  catalogue: Catalogue,
  planned: ReadonlyMap<string, PlannedRelation>,
): Promise<CheckedSql> {
  const written = writtenIn(catalogue).filter(({ name }) => planned.has(name))
  const statements = written.map(({ sql }) => sql)
  const parsed = await parseSql(trial, statements)
  const dynamic = new Set(written.filter((_, at) => parsed[at]?.isDynamic).map(({ name }) => name))
  const fixed = [...planned.values()].filter(
    relation => ![...closure([relation]).values()].some(({ name }) => dynamic.has(name)),
  )
  const hasSql = new Set(written.map(({ name }) => name))
  const { columns, refused } = await buildAll(trial, fixed, name => hasSql.has(name))
  const differenceOf = await openDifferences(
    trial,
    written.flatMap(({ fold }) => fold ?? []),
  )
  const problems: FoundProblem[] = []
  const notes: string[] = []
  for (const [name, why] of refused)
    if (!hasSql.has(name)) {
      const place = name === POINT_OF_VIEW ? 'hierarchy' : `table "${name}"`
      problems.push({ kind: 'sql', place, message: why })
    }
  for (const [at, each] of written.entries()) {
    const { place, name, fold, reads } = each
    const sql = parsed[at] ?? null
    const why = refused.get(name)
    const yielded = columns.get(name)
    if (sql?.isDynamic) {
      notes.push(`${place}: ${DYNAMIC}`)
      continue
    }
    const unused = sql ? reads.filter(read => !sql.names.has(read)) : []
    const wrong = (kind: ProblemKind, message: string) =>
      problems.push({ kind: fold ? kind : 'rule', place, message })
    const lacking = why === undefined ? null : lackingRead(catalogue, each, sql)
    const difference = fold && yielded ? differenceOf(fold, yielded) : null
    if (lacking !== null) wrong('reads', lacking)
    else if (why !== undefined) wrong('sql', why)
    else if (sql && sql.statements > 1) wrong('sql', 'its SQL is more than one statement: write one SELECT')
    else if (sql?.fault)
      wrong('sql', `the engine would answer its SQL wrongly. ${sql.fault.message} ${sql.fault.hint}`)
    else if (difference !== null) wrong('columns', difference)
    if (why === undefined)
      for (const read of unused)
        notes.push(`${place}: its SQL does not name "${read}": leave it out of reads.`)
  }
  return { problems, notes, columns }
}

const DYNAMIC =
  'its columns are found in the rows, so it and what reads it are checked only when they are built from a snapshot. Write the values of PIVOT … IN (…) out to have it checked.'

function writtenIn({ relations, rules }: Catalogue): CatalogueSql[] {
  const folds = [...relations.values()].flatMap(relation => (relation.kind === 'fold' ? relation : []))
  return [
    ...folds.map(fold => ({ place: `fold "${fold.name}"`, ...fold, fold, known: fold.reads })),
    ...rules.map((rule, at) => {
      const { table, column, wrong: sql, reads } = rule
      const place = `rule ${at + 1} (${table}.${column})`
      return { place, name: ruleName(at), sql, fold: null, reads, known: readsOfRule(rule) }
    }),
  ]
}

/** What to write when the SQL names a relation of the catalogue that it cannot read; null when it names none. */
function lackingRead(
  { relations, hierarchy }: Catalogue,
  { name, fold, reads, known }: CatalogueSql,
  sql: ParsedSql | null,
): string | null {
  const isDefined = (each: string) => relations.has(each) || (each === POINT_OF_VIEW && hierarchy !== null)
  const lacking = [...(sql?.names ?? [])].find(each => !known.includes(each) && isDefined(each))
  if (lacking === undefined) return null
  if (lacking === name)
    return `its SQL names "${name}", which is the fold itself: it can read only what is defined before it`
  if (!fold && relations.get(lacking)?.kind !== 'table')
    return `its SQL names "${lacking}", and the SQL of a rule reads tables alone`
  const order = [...relations.keys()]
  const isLater = fold !== null && order.indexOf(lacking) > order.indexOf(name)
  const first = isLater ? `define "${lacking}" before it, and ` : ''
  const list = [...reads, lacking].map(each => `'${each}'`).join(', ')
  return `its SQL names "${lacking}", which is not in reads: ${first}write reads: [${list}]`
}
