import type { ParameterType } from '../values/parameter-types.js'
import { parseType, typeText, UnknownType } from '../values/parameter-types.js'
import { typeName } from './column-types.js'
import type { Hierarchy, RelationDefinition, TableDefinition, TableRowLimits } from './definitions.js'
import { checkFields, hasColumn, isObject, POINT_OF_VIEW, type RelationMap, type Wrong } from './validate.js'

/** A limit by which callers see some rows only. */
export interface RowLimit {
  /** SQL type of its values. */
  type: string
  /** What a value is, in a few words. */
  about?: string
}

/** What a caller sees by one limit. */
export interface SeenByLimit {
  limit: string
  type: string
  /** Texts from which the type of the limit is read, each once and in order. */
  values: readonly string[]
}

/** The rows that a caller sees, by all limits together. */
export interface SeenRows {
  /** In the order of their names. */
  limits: readonly SeenByLimit[]
  /** Digest of the limits, equal for callers who see the same rows. */
  digest: string
}

/** The limit that a tree brings: values are the ids of entities whose subtrees are seen. */
export const ENTITIES = 'entities'

const NAME = /^[a-z][a-z0-9_]{0,62}$/
const INTEGERS: ReadonlySet<string> = new Set(
  ['bigint', 'integer', 'smallint', 'tinyint'].flatMap(kind => [kind, `u${kind}`]),
)
const KINDS: ReadonlySet<string> = new Set([...INTEGERS, 'varchar', 'uuid', 'date', 'boolean'])

/**
 * Reads the row limits that a catalogue defines, with their types as DuckDB writes them. Throws a TypeError that names the
 * first mistake.
 */
export function readRowLimits(
  given: Readonly<Record<string, RowLimit>>,
  hierarchy: Hierarchy | null,
): Record<string, RowLimit> {
  if (!isObject(given)) throw new TypeError('rowLimits must be names with { type, about }')
  const limits = Object.entries(given).map(([name, definition]) => {
    const wrong: Wrong = message => {
      throw new TypeError(`rowLimits.${name}: ${message}`)
    }
    if (!NAME.test(name)) wrong('a name is a-z, 0-9 and _, and begins with a letter')
    if (hierarchy !== null && name === ENTITIES)
      wrong('the hierarchy brings this limit by itself: give yours another name')
    if (!isObject(definition)) wrong("it must be { type, about }, such as { type: 'BIGINT' }")
    checkFields(definition, ['type', 'about'], wrong)
    const { type, about } = definition
    if (about !== undefined && (typeof about !== 'string' || about === '')) wrong('about must be a string')
    return [name, { type: typeOfValues(type, wrong), ...(about === undefined ? {} : { about }) }]
  })
  return Object.fromEntries(limits)
}

/** All row limits of a catalogue by name: the limit that its tree brings, then the limits that it defines. */
export function rowLimitsOf({
  hierarchy,
  rowLimits,
}: {
  hierarchy: Hierarchy | null
  rowLimits: Readonly<Record<string, RowLimit>>
}): ReadonlyMap<string, RowLimit> {
  const own = Object.entries(rowLimits)
  if (hierarchy === null) return new Map(own)
  return new Map([[ENTITIES, { type: 'UUID', about: 'Id of an entity whose subtree is seen' }], ...own])
}

function typeOfValues(type: string, wrong: Wrong): string {
  try {
    const parsed: ParameterType = parseType(String(type))
    if (KINDS.has(parsed.kind)) return typeText(parsed)
  } catch (cause) {
    if (!(cause instanceof UnknownType)) throw cause
  }
  wrong(
    `its type must be an integer type of at most 64 bits, VARCHAR, UUID, DATE or BOOLEAN, not ${JSON.stringify(type)}`,
  )
}

/** Throws a TypeError unless each relation says of limits that there are how they limit its rows. */
export function checkRowLimits(
  limits: ReadonlyMap<string, RowLimit>,
  relations: RelationMap,
  hierarchy: Hierarchy | null,
): void {
  for (const relation of relations.values()) {
    const { kind, name, rowLimits } = relation
    const wrong: Wrong = message => {
      throw new TypeError(`${kind} "${name}": ${message}`)
    }
    if (rowLimits === undefined || rowLimits === 'none') continue
    if (kind === 'fold')
      wrong('rowLimits of a fold is "none", or left out: it is computed from the rows that a caller sees')
    if (!isObject(rowLimits)) wrong('rowLimits must be "none", or limits with the columns that carry them')
    for (const limit of Object.keys(rowLimits)) checkWay(limits, relations, hierarchy, relation, limit, wrong)
  }
}

/** Checks one limit of a table, and the tables through which it is found. */
function checkWay(
  limits: ReadonlyMap<string, RowLimit>,
  relations: RelationMap,
  hierarchy: Hierarchy | null,
  table: RelationDefinition,
  limit: string,
  wrong: Wrong,
): void {
  const known = limits.get(limit)
  if (!known) {
    const names = [...limits.keys()].join(', ')
    wrong(
      `rowLimits names "${limit}", and ${names ? `the limits are ${names}` : 'the catalogue has no rowLimits'}`,
    )
  }
  if (limit === ENTITIES && hierarchy?.table === table.name)
    wrong(`rowLimits names "${ENTITIES}", by which the hierarchy limits this table itself: leave it out`)
  const way = wayOf(table as TableDefinition, limit)
  const column = typeof way === 'string' ? way : way?.through
  if (isObject(way)) checkFields(way, ['through'], message => wrong(`rowLimits.${limit}: ${message}`))
  if (typeof column !== 'string' || !hasColumn(table, column))
    wrong(
      `rowLimits.${limit} must be a column, or { through: a column that has a reference }, not ${JSON.stringify(column ?? way)}`,
    )
  if (typeof way === 'string') {
    const key = hierarchy && relations.get(hierarchy.table)?.columns?.[hierarchy.key]
    const [own, wanted] = [table.columns?.[column], limit === ENTITIES ? key : known.type]
    if (own && wanted && !areAlike(own, wanted))
      wrong(
        `rowLimits.${limit} is the column "${column}" of type ${own}, and its values are of type ${wanted}`,
      )
    return
  }
  const seen = new Set<string>()
  for (let at = table; ; ) {
    if (seen.has(at.name))
      wrong(`rowLimits.${limit} goes round in a circle: ${[...seen, at.name].join(' → ')}`)
    seen.add(at.name)
    if (limit === ENTITIES && at.name === hierarchy?.table) return
    const next = at.kind === 'table' ? wayOf(at, limit) : undefined
    if (typeof next === 'string') return
    if (next === undefined)
      wrong(
        `rowLimits.${limit} goes through "${column}" to the table "${at.name}", which does not say what column of it carries "${limit}"`,
      )
    const reference = at.references[next.through]
    const target = reference === undefined ? undefined : relations.get(reference.split('.')[0] as string)
    if (!target)
      wrong(
        `rowLimits.${limit} goes through "${at.name}.${next.through}", which references no table: write references: { ${next.through}: 'table.column' }`,
      )
    at = target
  }
}

/** Whether values of two SQL types are compared as they are. */
export function areAlike(own: string, wanted: string): boolean {
  const [a, b] = [typeName(own), typeName(wanted)]
  return a === b || (INTEGERS.has(a.toLowerCase()) && INTEGERS.has(b.toLowerCase()))
}

/** How a limit reaches the rows of a table: the column that carries it, or through which it is found. */
export function wayOf(
  { rowLimits }: TableDefinition,
  limit: string,
): Exclude<TableRowLimits, 'none'>[string] | undefined {
  return isObject(rowLimits) && Object.hasOwn(rowLimits, limit)
    ? (rowLimits as Exclude<TableRowLimits, 'none'>)[limit]
    : undefined
}

/** What {@link whyUnknown} reads of a catalogue. */
interface LimitedCatalogue {
  hierarchy: Hierarchy | null
  relations: RelationMap
}

/** Why callers with these limits cannot read a relation, for the vendor; null when they can. */
export function whyUnknown(
  { hierarchy, relations }: LimitedCatalogue,
  name: string,
  limits: readonly string[],
): string | null {
  const relation = name === POINT_OF_VIEW && hierarchy ? relations.get(hierarchy.table) : relations.get(name)
  if (!relation) return 'there is no such relation'
  if (relation.rowLimits === 'none') return null
  if (relation.kind === 'fold') {
    for (const read of relation.reads) {
      const why = whyUnknown({ hierarchy, relations }, read, limits)
      if (why !== null) return `it reads "${read}": ${why}`
    }
    return null
  }
  const lacking = limits.find(
    limit =>
      !(limit === ENTITIES && hierarchy?.table === relation.name) && wayOf(relation, limit) === undefined,
  )
  return lacking === undefined
    ? null
    : `no column of the table "${relation.name}" carries the limit "${lacking}"`
}
