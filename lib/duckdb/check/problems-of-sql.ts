import { type Catalogue, POINT_OF_VIEW } from '../../catalogue/catalogue.js'
import type { FoundProblem, ProblemKind } from '../../catalogue/catalogue-problem.js'
import type { FoldDefinition } from '../../catalogue/definitions.js'
import { JobFailed } from '../../flow/parent.js'
import { type EngineFault, faultIn } from '../../guard/engine-faults.js'
import type { Column } from '../../model.js'
import { literal } from '../../values/quote.js'
import type { JobFailure } from '../jobs.js'
import { closure, type PlannedRelation } from '../plan.js'
import { openDifferences } from './differing-columns.js'
import { readsOfRule, ruleName } from './empty-relations.js'
import type { Trial } from './trial.js'

/** What building the relations of a catalogue over tables without rows has shown. */
interface CheckedSql {
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

/** What the engine's parser reads in a piece of SQL. */
interface ParsedSql {
  /** Number of statements. */
  statements: number
  /** Names in FROM, lower case, as far as no WITH defines them. */
  names: ReadonlySet<string>
  /** Whether its columns are those that the rows have values for, as those of a PIVOT without IN are. */
  isDynamic: boolean
  /** A form that the engine answers wrongly. */
  fault: EngineFault | null
}

interface Tree {
  error: boolean
  error_message?: string
  statements?: unknown[]
}

/** Parses SQL; null for what does not parse. */
async function parseSql(trial: Trial, sql: readonly string[]): Promise<(ParsedSql | null)[]> {
  if (sql.length === 0) return []
  const list = sql.map(literal).join(', ')
  const trees = await trial.rows(
    `SELECT place, CAST(json_serialize_sql(statement) AS VARCHAR) AS tree
     FROM (SELECT unnest(range(${sql.length})) AS place, unnest([${list}]) AS statement) ORDER BY place`,
    [],
    sql.length,
  )
  return trees.map((row, at) => {
    const { error, error_message: said = '', statements = [] } = JSON.parse(String(row.tree)) as Tree
    const names = new Set<string>()
    // The engine reads a PIVOT without IN as several statements, and shows no tree of it.
    if (error && said.startsWith('Only SELECT') && /\bpivot/i.test(sql[at] ?? ''))
      return { statements: 1, names, isDynamic: true, fault: null }
    if (error) return null
    collect(statements, new Set(), names)
    return { statements: statements.length, names, isDynamic: false, fault: faultIn(statements) }
  })
}

function collect(node: unknown, common: ReadonlySet<string>, names: Set<string>): void {
  if (Array.isArray(node)) for (const each of node) collect(each, common, names)
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return
  const { type, table_name: table, schema_name: schema, cte_map: ctes, ...more } = node as ParsedNode
  if (type === 'BASE_TABLE' && typeof table === 'string' && !schema && !common.has(table.toLowerCase()))
    names.add(table.toLowerCase())
  const visible = new Set(common)
  for (const { key, value } of ctes?.map ?? []) {
    // A name of WITH is visible to what comes after it, and to its own query only if that is recursive.
    const own = JSON.stringify(value).includes('"RECURSIVE_CTE_NODE"') ? [key.toLowerCase()] : []
    collect(value, new Set([...visible, ...own]), names)
    visible.add(key.toLowerCase())
  }
  for (const each of Object.values(more)) collect(each, visible, names)
}

interface ParsedNode {
  type?: unknown
  table_name?: unknown
  schema_name?: unknown
  cte_map?: { map?: { key: string; value: unknown }[] }
}

/** The relations that could be built, and why others could not. */
interface AllBuilt {
  columns: Map<string, readonly Column[]>
  /** Why the engine refuses relations, by their names, without the relations that read a refused one. */
  refused: Map<string, string>
}

/**
 * Builds all at once, and again without what is refused and its readers; one by one when that does not tell which
 * one fails. `isWritten` tells whether the SQL of a relation is the catalogue's own.
 */
async function buildAll(
  trial: Trial,
  relations: readonly PlannedRelation[],
  isWritten: (name: string) => boolean,
): Promise<AllBuilt> {
  const refused = new Map<string, string>()
  const reading = (aliases: ReadonlySet<string>) =>
    relations.filter(relation => ![...closure([relation]).keys()].some(alias => aliases.has(alias)))
  const wrong = new Set<string>()
  for (let wanted = relations; ; wanted = reading(wrong)) {
    try {
      return { columns: await trial.build(wanted), refused }
    } catch (cause) {
      if (!(cause instanceof JobFailed)) throw cause
      const { kind, text } = cause.failure as JobFailure
      const culprit = relations.find(({ alias }) => kind === 'relation' && alias === text)
      if (!culprit) return buildInTurn(trial, relations, isWritten)
      refused.set(culprit.name, messageOf(cause.failure as JobFailure))
      wrong.add(culprit.alias)
    }
  }
}

/** For failures that do not name their relation, such as one of memory. */
async function buildInTurn(
  trial: Trial,
  relations: readonly PlannedRelation[],
  isWritten: (name: string) => boolean,
): Promise<AllBuilt> {
  const columns = new Map<string, readonly Column[]>()
  const refused = new Map<string, string>()
  for (const relation of relations) {
    if ([...closure([relation]).values()].some(({ name }) => refused.has(name))) continue
    try {
      for (const [name, found] of await trial.build([relation])) columns.set(name, found)
    } catch (cause) {
      if (!(cause instanceof JobFailed)) throw cause
      const { kind, isFull } = cause.failure as JobFailure
      // A full disk says nothing about the SQL, and neither does a table that cannot be built.
      if (isFull || (isOutside(kind) && !isWritten(relation.name))) throw cause
      refused.set(relation.name, messageOf(cause.failure as JobFailure))
    }
  }
  return { columns, refused }
}

/** What SQL meets that leaves its tables: files, settings, other programs. */
function isOutside(kind: JobFailure['kind']): boolean {
  return kind === 'disk' || kind === 'fault'
}

function messageOf({ kind, text, cause, atBinding }: JobFailure): string {
  if (isOutside(kind)) return 'its SQL reads a file, or does something else that the engine does not allow'
  if (kind !== 'relation') return `the engine cannot run its SQL: ${onOneLine(text)}`
  const said = onOneLine(cause ?? text)
  return atBinding ? `the engine refuses its SQL: ${said}` : `its SQL fails over tables without rows: ${said}`
}

const MOST_SAID = 300

function onOneLine(text: string): string {
  const said = text.replace(/\s+/g, ' ').replace(/\.$/, '')
  return said.length > MOST_SAID ? `${said.slice(0, MOST_SAID)}…` : said
}
