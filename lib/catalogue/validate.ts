import { insteadOf, isType, NUMBERS, STRINGS, typeName } from './column-types.js'
import type {
  ColumnMeaning,
  FoldDefinition,
  Hierarchy,
  RelationDefinition,
  TableDefinition,
  ValueRange,
} from './definitions.js'

/** Name under which folds read the point of view: `point_of_view(entity_key, share)`. */
export const POINT_OF_VIEW = 'point_of_view'

/** Throws a TypeError whose message names the place first. */
export type Wrong = (message: string) => never

/** Relations by name. */
export type RelationMap = ReadonlyMap<string, RelationDefinition>

const NAME = /^[a-z][a-z0-9_]{0,62}$/

/** Throws a TypeError when a relation is invalid, by itself or after the relations before it. */
export function checkRelation(
  relation: RelationDefinition,
  before: RelationMap,
  hierarchy: Hierarchy | null,
): void {
  const { name, kind } = relation ?? {}
  if (relation === undefined || relation === null)
    throw new TypeError(`relations[${before.size}] is ${relation}: is it imported, and by its name?`)
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(`relation "${name}": a name is a-z, 0-9 and _, and begins with a letter`)
  if (name === POINT_OF_VIEW) throw new TypeError(`relation "${name}" is built in`)
  if (before.has(name)) throw new TypeError(`relation "${name}" is defined twice`)
  const wrong: Wrong = message => {
    throw new TypeError(`${kind} "${name}": ${message}`)
  }
  if (kind !== 'table' && kind !== 'fold')
    throw new TypeError(`relation "${name}" is neither a table nor a fold: use defineTable or defineFold`)
  checkFields(relation, FIELDS[kind], wrong)
  checkColumns(relation, wrong)
  checkMeasures(relation, wrong)
  if (relation.kind === 'table') checkTable(relation, wrong)
  else checkFold(relation, before, hierarchy, wrong)
}

/** Fields of both kinds; the first two are set by defineTable and defineFold. */
const COMMON = ['kind', 'meanings', 'name', 'about', 'columns', 'unique', 'references', 'values', 'measures']
const FIELDS = {
  table: [...COMMON, 'required', 'ranges', 'warnings', 'lossy', 'optional', 'rowLimits'],
  fold: [...COMMON, 'reads', 'sql', 'internal', 'rowLimits'],
}

/** A misspelt field would be ignored, and what it says with it. */
export function checkFields(given: object, fields: readonly string[], wrong: Wrong): void {
  const unknown = Object.keys(given).find(field => !fields.includes(field))
  const known = fields.filter(field => !['kind', 'meanings', 'lossy'].includes(field)).join(', ')
  if (unknown !== undefined) wrong(`it has "${unknown}", which is none of ${known}`)
}

/** Checks columns, and what they are said to mean. */
export function checkColumns(
  { columns, meanings }: Pick<RelationDefinition, 'columns' | 'meanings'>,
  wrong: Wrong,
): void {
  if (columns === undefined) return
  if (!isObject(columns) || Object.keys(columns).length === 0) wrong('columns must be names with their types')
  const seen = new Set<string>()
  for (const [column, type] of Object.entries(columns)) {
    if (seen.has(column.toLowerCase()))
      wrong(`two columns have the name "${column}", which SQL does not tell apart`)
    seen.add(column.toLowerCase())
    if (column.trim() !== column || column === '' || column === '#')
      wrong(`"${column}" is no name for a column`)
    if (type === undefined)
      wrong(`column "${column}" has no type: write its SQL type, or { type, about, unit }`)
    if (typeof type !== 'string') wrong(`column "${column}" is of type "${type}", which is none`)
  }
  for (const [column, meaning] of Object.entries<ColumnMeaning>(meanings))
    for (const [place, text] of Object.entries(meaning)) {
      if (place === 'lossy')
        wrong(`lossy of column "${column}" must be true or false, and only columns of tables have it`)
      if (!Object.hasOwn(MEANINGS, place))
        wrong(`column "${column}" has "${place}", which is none of type, ${Object.keys(MEANINGS).join(', ')}`)
      MEANINGS[place as keyof typeof MEANINGS](text, column, columns, wrong)
    }
}

/** Checks of what a column means. */
const MEANINGS = {
  about: checkText('about'),
  unit(unit: unknown, column: string, columns: object, wrong: Wrong) {
    if (!isObject(unit)) return checkText('unit')(unit, column, columns, wrong)
    checkFields(unit, ['column'], message => wrong(`unit of column "${column}": ${message}`))
    const { column: named } = unit as { column?: unknown }
    if (typeof named !== 'string' || named === column || !Object.hasOwn(columns, named))
      wrong(`unit of column "${column}" names "${named}", which is no other column`)
  },
  additive(additive: unknown, column: string, columns: object, wrong: Wrong) {
    if (additive === false) return
    const { over } = (isObject(additive) ? additive : {}) as { over?: unknown }
    if (isObject(additive))
      checkFields(additive, ['over'], message => wrong(`additive of column "${column}": ${message}`))
    if (!isTexts(over) || over.length === 0)
      wrong(
        `additive of column "${column}" must be false, or { over } with the columns over which it is summed`,
      )
    for (const name of over as readonly string[])
      if (!Object.hasOwn(columns, name))
        wrong(`additive of column "${column}" names "${name}", which is no column`)
  },
  order(order: unknown, column: string, columns: Readonly<Record<string, string>>, wrong: Wrong) {
    if (!isTexts(order) || order.length < 2 || new Set(order).size < order.length)
      wrong(`order of column "${column}" must be a list of different strings, the least first`)
    if (!STRINGS.has(typeName(columns[column] ?? '')))
      wrong(
        `order of column "${column}" is of type ${columns[column]}, and only strings have an order of their own`,
      )
  },
}

function checkText(place: string) {
  return (text: unknown, column: string, _: object, wrong: Wrong) => {
    if (typeof text !== 'string' || text === '') wrong(`${place} of column "${column}" must be a string`)
  }
}

function checkTable(table: TableDefinition, wrong: Wrong): void {
  const { about, columns, required, references, ranges, values, warnings, lossy, optional } = table
  if (about !== undefined && (typeof about !== 'string' || about === ''))
    wrong('about must say what one row is')
  for (const [column, type] of Object.entries(columns ?? {}))
    if (!isType(type)) wrong(`column "${column}" is of type "${type}", which is none${insteadOf(type)}`)
  for (const column of isTexts(warnings) ? warnings : [])
    if (![references, ranges, values].some(checks => isObject(checks) && Object.hasOwn(checks, column)))
      wrong(`warnings names "${column}", which has no reference, range or list of values`)
  checkNames(table, { required, warnings, lossy }, wrong)
  checkKeys(table, 'table.column', wrong)
  if (!isObject(ranges)) wrong('ranges must be columns with the least and the most that their values may be')
  for (const [column, range] of Object.entries(ranges)) {
    if (!hasColumn(table, column)) wrong(`ranges names "${column}", which is no column`)
    if (isObject(range))
      checkFields(range, ['least', 'most'], message => wrong(`ranges.${column}: ${message}`))
    if (!isObject(range) || Object.keys(range).length === 0)
      wrong(`ranges.${column} must have a least or a most`)
    if (isTypedOtherwise(table, column, NUMBERS))
      wrong(`ranges.${column} is of type ${columns?.[column]}, and only numbers have ranges`)
    if (!isRange(range))
      wrong(`ranges.${column} must have numbers as least or most, the least not above the most`)
  }
  if (typeof optional !== 'boolean') wrong('optional must be true or false')
}

/** Checks lists of columns, by the fields that have them. */
function checkNames(
  relation: RelationDefinition,
  lists: Readonly<Record<string, readonly string[]>>,
  wrong: Wrong,
): void {
  for (const [place, names] of Object.entries(lists)) {
    if (!isTexts(names)) wrong(`${place} must be a list of columns`)
    const twice = names.find((column, index) => names.indexOf(column) !== index)
    if (twice !== undefined) wrong(`${place} names "${twice}" twice`)
    for (const column of names)
      if (!hasColumn(relation, column)) wrong(`${place} names "${column}", which is no column`)
  }
}

/** Checks what tables and folds alike say of their keys and values. `target` is the form of a reference. */
function checkKeys(relation: RelationDefinition, target: string, wrong: Wrong): void {
  const { unique, references, values } = relation
  checkNames(relation, { unique }, wrong)
  if (!isObject(references)) wrong(`references must be columns with the "${target}" that they refer to`)
  for (const [column, reference] of Object.entries(references)) {
    if (!hasColumn(relation, column)) wrong(`references names "${column}", which is no column`)
    if (typeof reference !== 'string' || reference.split('.').length !== 2)
      wrong(`references.${column} must be "${target}", not "${reference}"`)
  }
  if (!isObject(values)) wrong('values must be columns with the lists of what they may be')
  for (const [column, list] of Object.entries(values)) {
    if (!hasColumn(relation, column)) wrong(`values names "${column}", which is no column`)
    if (!isTexts(list) || list.length === 0) wrong(`values.${column} must be a list of strings`)
    if (isTypedOtherwise(relation, column, STRINGS))
      wrong(
        `values.${column} is of type ${relation.columns?.[column]}, and only strings have lists of values`,
      )
  }
}

function checkMeasures(relation: RelationDefinition, wrong: Wrong): void {
  const { measures, columns = {} } = relation
  if (!isObject(measures)) wrong('measures must be names with { sql, about, unit }')
  for (const [name, measure] of Object.entries(measures)) {
    const place = `measures.${name}`
    if (!NAME.test(name)) wrong(`${place}: a name is a-z, 0-9 and _, and begins with a letter`)
    if (Object.keys(columns).some(column => column.toLowerCase() === name))
      wrong(`${place} has the name of a column, so that nobody knows which of the two is meant`)
    if (!isObject(measure)) wrong(`${place} must be { sql, about, unit }`)
    checkFields(measure, ['sql', 'about', 'unit'], message => wrong(`${place}: ${message}`))
    const { sql, about, unit = 'none' } = measure
    if (typeof sql !== 'string' || sql === '') wrong(`${place}.sql must be an aggregate, such as sum(paid)`)
    if (typeof about !== 'string' || about === '') wrong(`${place}.about must say what the number is`)
    if (typeof unit !== 'string' || unit === '') wrong(`${place}.unit must be a string`)
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
function checkFold(
  fold: FoldDefinition,
  before: RelationMap,
  hierarchy: Hierarchy | null,
  wrong: Wrong,
): void {
  const { about, reads, sql, internal, measures } = fold
  if (typeof about !== 'string' || about === '') wrong('about must say what one row is')
  if (typeof sql !== 'string' || sql === '') wrong('sql must be one SELECT')
  checkKeys(fold, 'relation.column', wrong)
  if (typeof internal !== 'boolean') wrong('internal must be true or false')
  if (internal && Object.keys(measures).length > 0)
    wrong('it has measures, which callers of an internal fold never see')
  if (!isTexts(reads)) wrong('reads must be a list of relations')
  if (hierarchy === null && reads.includes(POINT_OF_VIEW))
    wrong(`reads "${POINT_OF_VIEW}", which needs a hierarchy in the catalogue`)
  for (const read of reads)
    if (read !== POINT_OF_VIEW && !before.has(read)) wrong(`reads "${read}", which is not defined before it`)
}

/** Whether a relation has the column; a relation without declared columns may have any column. */
export function hasColumn({ columns }: RelationDefinition, column: string): boolean {
  return columns === undefined ? column !== '' : Object.hasOwn(columns, column)
}

/** Whether a column is declared with a type that is none of these. */
function isTypedOtherwise(
  { columns }: RelationDefinition,
  column: string,
  types: ReadonlySet<string>,
): boolean {
  const type = columns?.[column]
  return type !== undefined && !types.has(typeName(type))
}

/** Whether a value is a list of strings. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(text => typeof text === 'string')
}

/** Whether a value is an object, and no list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
