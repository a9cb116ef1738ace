import type { QueryExample } from '../model.js'
import type { ColumnMeaning, FoldDefinition, Hierarchy, TableDefinition, ValueRange } from './definitions.js'
import type { CatalogueRule } from './rules.js'

/** Name under which folds read the point of view: `point_of_view(entity_key, share)`. */
export const POINT_OF_VIEW = 'point_of_view'

/** Throws a TypeError whose message names the relation first. */
type Wrong = (message: string) => never

type Tables = ReadonlyMap<string, TableDefinition | FoldDefinition>

const NAME = /^[a-z][a-z0-9_]{0,62}$/

/** Types that a sealed column may have; lists of them are allowed too. */
const TYPES = new Set(
  (
    'BIGINT BIT BLOB BOOL BOOLEAN DATE DECIMAL DOUBLE FLOAT HUGEINT INT INTEGER INTERVAL JSON NUMERIC REAL SMALLINT ' +
    'TEXT TIME TIMESTAMP TIMESTAMPTZ TIMESTAMP_MS TIMESTAMP_NS TIMESTAMP_S TINYINT UBIGINT UHUGEINT UINTEGER USMALLINT ' +
    'UTINYINT UUID VARCHAR'
  ).split(' '),
)
const TYPE = /^(\w+)(?:\((\d{1,2})(?:, ?(\d{1,2}))?\))?(?: WITH TIME ZONE)?(?:\[\d*\])*$/i

/** Throws a TypeError when a relation is invalid, by itself or after the relations before it. */
export function checkRelation(
  relation: TableDefinition | FoldDefinition,
  before: Tables,
  hierarchy: Hierarchy | null,
): void {
  const { name, kind } = relation ?? {}
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(`relation "${name}": a name is a-z, 0-9 and _, and begins with a letter`)
  if (name === POINT_OF_VIEW) throw new TypeError(`relation "${name}" is built in`)
  if (before.has(name)) throw new TypeError(`relation "${name}" is defined twice`)
  const wrong: Wrong = message => {
    throw new TypeError(`${kind} "${name}": ${message}`)
  }
  if (relation.kind === 'table') checkTable(relation, wrong)
  else if (relation.kind === 'fold') checkFold(relation, before, hierarchy, wrong)
  else throw new TypeError(`relation "${name}" is neither a table nor a fold: use defineTable or defineFold`)
}

/** Checks the columns of a relation, and what they are said to mean. */
function checkColumns({ columns, meanings }: TableDefinition | FoldDefinition, wrong: Wrong): void {
  if (columns === undefined) return
  if (!isObject(columns) || Object.keys(columns).length === 0) wrong('columns must be names with their types')
  for (const [column, type] of Object.entries(columns)) {
    if (column.trim() !== column || column === '' || column === '#')
      wrong(`"${column}" is no name for a column`)
    if (type === undefined)
      wrong(`column "${column}" has no type: write its SQL type, or { type, about, unit }`)
    if (typeof type !== 'string') wrong(`column "${column}" is of type "${type}", which is none`)
  }
  for (const [column, meaning] of Object.entries<ColumnMeaning>(meanings))
    for (const [place, text] of Object.entries(meaning)) {
      if (place !== 'about' && place !== 'unit')
        wrong(`column "${column}" has "${place}", which is none of type, about and unit`)
      if (typeof text !== 'string' || text === '') wrong(`${place} of column "${column}" must be a string`)
    }
}

function checkTable(table: TableDefinition, wrong: Wrong): void {
  const { about, columns, required, unique, references, ranges, values, warnings } = table
  if (about !== undefined && (typeof about !== 'string' || about === ''))
    wrong('about must say what one row is')
  checkColumns(table, wrong)
  for (const [column, type] of Object.entries(columns ?? {}))
    if (!isType(type)) wrong(`column "${column}" is of type "${type}", which is none`)
  for (const column of isTexts(warnings) ? warnings : [])
    if (![references, ranges, values].some(checks => isObject(checks) && Object.hasOwn(checks, column)))
      wrong(`warnings names "${column}", which has no reference, range or list of values`)
  for (const [place, names] of Object.entries({ required, unique, warnings })) {
    if (!isTexts(names)) wrong(`${place} must be a list of columns`)
    const twice = names.find((column, index) => names.indexOf(column) !== index)
    if (twice !== undefined) wrong(`${place} names "${twice}" twice`)
    for (const column of names)
      if (!hasColumn(table, column)) wrong(`${place} names "${column}", which is no column`)
  }
  if (!isObject(references)) wrong('references must be columns with the "table.column" that they refer to')
  for (const [column, target] of Object.entries(references)) {
    if (!hasColumn(table, column)) wrong(`references names "${column}", which is no column`)
    if (typeof target !== 'string' || target.split('.').length !== 2)
      wrong(`references.${column} must be "table.column", not "${target}"`)
  }
  if (!isObject(ranges)) wrong('ranges must be columns with the least and the most that their values may be')
  for (const [column, range] of Object.entries(ranges)) {
    if (!hasColumn(table, column)) wrong(`ranges names "${column}", which is no column`)
    if (!isObject(range) || Object.keys(range).length === 0)
      wrong(`ranges.${column} must have a least or a most`)
    if (!isRange(range))
      wrong(`ranges.${column} must have numbers as least or most, the least not above the most`)
  }
  if (!isObject(values)) wrong('values must be columns with the lists of what they may be')
  for (const [column, list] of Object.entries(values)) {
    if (!hasColumn(table, column)) wrong(`values names "${column}", which is no column`)
    if (!isTexts(list) || list.length === 0) wrong(`values.${column} must be a list of strings`)
  }
}

function isRange(range: ValueRange): boolean {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = isObject(range) ? range : {}
  return (
    typeof least === 'number' &&
    typeof most === 'number' &&
    least <= most &&
    least < Infinity &&
    most > -Infinity
  )
}

/** A fold may read only relations defined before it, so folds cannot form a cycle. */
function checkFold(fold: FoldDefinition, before: Tables, hierarchy: Hierarchy | null, wrong: Wrong): void {
  const { about, reads, sql } = fold
  if (typeof about !== 'string' || about === '') wrong('about must say what one row is')
  if (typeof sql !== 'string' || sql === '') wrong('sql must be one SELECT')
  checkColumns(fold, wrong)
  if (!isTexts(reads)) wrong('reads must be a list of relations')
  if (hierarchy === null && reads.includes(POINT_OF_VIEW))
    wrong(`reads "${POINT_OF_VIEW}", which needs a hierarchy in the catalogue`)
  for (const read of reads)
    if (read !== POINT_OF_VIEW && !before.has(read)) wrong(`reads "${read}", which is not defined before it`)
}

/** Throws a TypeError for a reference whose target table or column is not defined. */
export function checkReferences(relations: Tables): void {
  for (const relation of relations.values()) {
    if (relation.kind !== 'table') continue
    for (const [column, target] of Object.entries(relation.references)) {
      const [name = '', targetColumn = ''] = target.split('.')
      const table = relations.get(name)
      const place = `table "${relation.name}": references.${column} is "${target}"`
      if (table?.kind !== 'table')
        throw new TypeError(`${place}, and "${name}" is not a table of the catalogue`)
      if (!hasColumn(table, targetColumn))
        throw new TypeError(`${place}, and table "${name}" has no column "${targetColumn}"`)
    }
  }
}

/**
 * Throws a TypeError when the table or a column of the hierarchy is not defined, or the table is optional.
 */
export function checkHierarchy(hierarchy: Hierarchy, relations: Tables): void {
  const table = relations.get(hierarchy.table)
  if (table?.kind !== 'table')
    throw new TypeError(`hierarchy: "${hierarchy.table}" is not a table of the catalogue`)
  if (table.optional)
    throw new TypeError(`hierarchy: table "${table.name}" is optional, and every snapshot needs it`)
  for (const place of ['key', 'parent', 'id', 'share'] as const) {
    const column = hierarchy[place]
    if (typeof column !== 'string' || !hasColumn(table, column))
      throw new TypeError(`hierarchy: table "${table.name}" has no column "${column}" for ${place}`)
  }
}

/** Throws a TypeError for a rule about a table or column that is not defined, or without SQL or a message. */
export function checkRules(rules: readonly CatalogueRule[], relations: Tables): void {
  if (!Array.isArray(rules)) throw new TypeError('rules must be a list of rules: use defineRule')
  for (const [index, { table: name, column, reads, wrong, message }] of rules.entries()) {
    const table = relations.get(name)
    if (table?.kind !== 'table')
      throw new TypeError(`rules[${index}]: "${name}" is not a table of the catalogue`)
    if (!hasColumn(table, column))
      throw new TypeError(`rules[${index}]: table "${name}" has no column "${column}"`)
    const unknown = reads.find((read: string) => relations.get(read)?.kind !== 'table')
    if (unknown !== undefined) throw new TypeError(`rules[${index}] reads "${unknown}", which is not a table`)
    for (const [place, text] of Object.entries({ wrong, message }))
      if (typeof text !== 'string' || text === '')
        throw new TypeError(`rules[${index}].${place} must be a string`)
  }
}

/** Throws a TypeError unless every example has a question and SQL. */
export function checkExamples(examples: readonly QueryExample[]): void {
  if (!Array.isArray(examples)) throw new TypeError('examples must be a list of questions with their sql')
  for (const [index, example] of examples.entries())
    if (typeof example?.question !== 'string' || typeof example.sql !== 'string')
      throw new TypeError(`examples[${index}] must have a question and sql`)
}

/** Whether the table has the column; a table without declared columns may have any. */
function hasColumn({ columns }: TableDefinition, column: string): boolean {
  return columns === undefined ? column !== '' : Object.hasOwn(columns, column)
}

function isType(type: unknown): boolean {
  const [whole, name = '', width, scale] = (typeof type === 'string' && TYPE.exec(type)) || []
  if (whole === undefined || !TYPES.has(name.toUpperCase())) return false
  if (/ WITH TIME ZONE/i.test(whole) && !/^TIME(STAMP)?$/i.test(name)) return false
  if (width === undefined) return true
  return (
    /^(DECIMAL|NUMERIC)$/i.test(name) &&
    Number(width) >= 1 &&
    Number(width) <= 38 &&
    Number(scale ?? 0) <= Number(width)
  )
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(text => typeof text === 'string')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
