import { createHash } from 'node:crypto'
import type { Catalogue } from '../catalogue/catalogue.js'
import { rowLimitsOf, type SeenRows, whyUnknown } from '../catalogue/row-limits.js'
import { AnalyticsError } from '../errors.js'
import { METHOD_NAMES, type MethodName } from '../model.js'
import type { Caller, CallerLimits, ProjectRecord } from '../ports.js'
import { type PlainType, parseType } from '../values/parameter-types.js'
import {
  type BoundParameter,
  parameterError,
  readParameters,
  textOfParameters,
} from '../values/parameters.js'
import { readScalar } from '../values/read-scalar.js'
import { Unfit } from '../values/unfit.js'

/** What the limits of a key depend on. */
export type LimitedCaller = Pick<Caller, 'only'>

/** Whether a key can call a method, on some project at least. */
export function mayCall({ only }: LimitedCaller, method: MethodName): boolean {
  if (only?.methods !== undefined) return only.methods.includes(method)
  return only?.queries === undefined || method === 'projects/list'
}

/** Whether a key can run a version of a named query. */
export function mayRun({ only }: LimitedCaller, name: string, version: string | number): boolean {
  if (only?.queries !== undefined)
    return only.queries.includes(name) || only.queries.includes(`${name}@${version}`)
  return only?.methods === undefined
}

/** Whether a key can download what it has exported. */
export function mayDownload(caller: LimitedCaller): boolean {
  return mayCall(caller, 'projects/export') || (caller.only?.queries ?? []).length > 0
}

/** Whether a key can call whatever there is, so also what the host itself answers. */
export function callsAll({ only }: LimitedCaller): boolean {
  return only?.methods === undefined && only?.queries === undefined
}

/** The methods that a key can call, in the order in which they are described. */
export function callableMethods(caller: LimitedCaller): MethodName[] {
  return METHOD_NAMES.filter(method => mayCall(caller, method))
}

/** Whether a key can read a project: its organization must be one of the key, and no limit may exclude it. */
export function mayRead({ organizations, only }: Caller, project: ProjectRecord): boolean {
  if (!organizations.includes(project.organization)) return false
  return only?.projects === undefined || only.projects.includes(project.projectId)
}

/** Whether statements of a key can read a relation of the catalogue. */
export function mayQuery({ only }: LimitedCaller, relation: string): boolean {
  return only?.relations === undefined || only.relations.includes(relation)
}

/** Digest of what limits the data that a key can read, whatever the order; null when nothing does. */
export function limitsDigest({ only = {} }: LimitedCaller): string | null {
  const { projects, queries, relations, parameters, rows } = only
  const lists = [projects, queries, relations].map(list => list && [...new Set(list)].sort())
  const values = parameters && textOfParameters(readParameters(parameters))
  const seen =
    rows &&
    Object.keys(rows)
      .sort()
      .map(name => [name, ...[...new Set(rows[name]?.map(String))].sort()])
  const limits = [...lists, values, seen]
  if (limits.every(limit => limit === undefined)) return null
  return createHash('sha256').update(JSON.stringify(limits)).digest('base64url')
}

/** The rows that are seen by limits of admitted callers: there may be thousands of values, which are read once a call. */
const SEEN = new WeakMap<CallerLimits, SeenRows>()

/** Most values of one row limit of a caller. */
export const MOST_ROW_LIMIT_VALUES = 10_000

/**
 * The rows that a caller sees, by the row limits of the catalogue; undefined for a caller who sees all. Throws a
 * TypeError for a limit that the catalogue does not have, or a value of another type.
 */
export function seenRows(
  catalogue: Pick<Catalogue, 'hierarchy' | 'rowLimits'>,
  { only }: LimitedCaller,
): SeenRows | undefined {
  if (only?.rows === undefined) return undefined
  const known = SEEN.get(only)
  if (known) return known
  const rowLimits = rowLimitsOf(catalogue)
  const limits = Object.entries(only.rows).map(([name, values]) => {
    const limit = rowLimits.get(name)
    const expected = `absent: the row limits of the catalogue are ${[...rowLimits.keys()].join(', ') || 'none'}`
    if (!limit) throw wrongCaller(`only.rows.${name}`, expected)
    return { limit: name, type: limit.type, values: valuesOf(name, limit.type, values) }
  })
  limits.sort((a, b) => (a.limit < b.limit ? -1 : 1))
  return { limits, digest: createHash('sha256').update(JSON.stringify(limits)).digest('base64url') }
}

/** The values of a row limit in the one form that texts of its type have, each once and in order. */
function valuesOf(name: string, type: string, values: readonly (string | number | boolean)[]): string[] {
  if (values.length > MOST_ROW_LIMIT_VALUES)
    throw wrongCaller(`only.rows.${name}`, `a list of at most ${MOST_ROW_LIMIT_VALUES} values`)
  const parsed = parseType(type) as PlainType
  const texts = values.map(sent => {
    try {
      const read = readScalar(sent, parsed)
      return type === 'DATE' ? String(sent) : String(read)
    } catch (cause) {
      if (!(cause instanceof Unfit)) throw cause
      throw wrongCaller(`only.rows.${name}`, `a list of values of type ${type}, as rows of pages have them`)
    }
  })
  // The text of a statement ends there.
  if (texts.some(text => text.includes('\0')))
    throw wrongCaller(`only.rows.${name}`, 'a list of values without the character NUL')
  return [...new Set(texts)].sort()
}

/**
 * Checks what `authenticate` of a `KeyPort` has answered, and narrows the relations of a caller with row limits: to
 * relations that have a way to each limit. Throws a TypeError for what it may not answer.
 */
export function admittedCaller(catalogue: Catalogue, answered: Caller | null): Caller | null {
  checkCaller(answered)
  if (answered?.only === undefined) return answered
  const { keyId, ownerId, organizations } = answered
  const only = ownLimits(answered.only)
  const caller = { ...answered, keyId, ownerId, organizations, only }
  checkCaller(caller)
  const seen = seenRows(catalogue, caller)
  if (seen === undefined) return caller
  const limits = seen.limits.map(({ limit }) => limit)
  const relations = catalogue.summaries
    .map(({ name }) => name)
    .filter(name => mayQuery(caller, name) && whyUnknown(catalogue, name, limits) === null)
  const narrowed = { ...only, relations }
  SEEN.set(narrowed, seen)
  return { ...caller, only: narrowed }
}

/**
 * Limits with all members of their own, also those of a class or a prototype, which a copy would lose. The rows are a
 * copy, so that what a host changes while a call runs limits the next one.
 */
function ownLimits(only: CallerLimits): CallerLimits {
  const names = [...Object.keys(only), ...MEMBERS.filter(name => name in only)]
  const own: CallerLimits = Object.fromEntries(names.map(name => [name, Reflect.get(only, name)]))
  if (own.rows === undefined) return own
  const rows = membersOf(own.rows).map(([name, list]) => [name, Array.isArray(list) ? [...list] : list])
  return { ...own, rows: Object.fromEntries(rows) }
}

/**
 * Returns the values that a key sets for all its statements. Throws INVALID_PARAMS when one of them is sent, since a
 * caller could leave its limits with another value.
 */
export function parametersOfKey(
  caller: Pick<Caller, 'only'>,
  sent: readonly BoundParameter[],
): BoundParameter[] {
  const set = readParameters(caller.only?.parameters)
  refuseSet(
    sent.map(({ sent: name }) => name),
    set.map(({ name }) => name),
  )
  return set
}

/** Throws INVALID_PARAMS if one of these names, whose case is ignored, is of a parameter that the key sets. */
export function refuseSet(names: readonly string[], set: readonly string[]): void {
  const clash = names.find(name => set.includes(name.toLowerCase()))
  if (clash !== undefined)
    throw parameterError(clash, `The parameter "${clash}" is set by the key: leave it out.`)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Of a named query, alone or with its version. */
const QUERY = /^[^@\s]+(@[^@\s]+)?$/

const PARAMETERS = 'parameters'
const ROWS = 'rows'

/** What each member of the limits of a key lists, and whether a value is such. */
const LISTS: Readonly<Record<string, { of: string; fits: (value: string) => boolean }>> = {
  projects: { of: 'UUIDs in lower case', fits: value => UUID.test(value) },
  methods: {
    of: `${METHOD_NAMES.join(', ')}`,
    fits: value => (METHOD_NAMES as readonly string[]).includes(value),
  },
  queries: { of: 'names of queries, as name or name@version', fits: value => QUERY.test(value) },
  relations: { of: 'names of relations', fits: value => value !== '' },
}

const MEMBERS = [...Object.keys(LISTS), PARAMETERS, ROWS]

/**
 * Throws a TypeError unless a value is what `authenticate` of a `KeyPort` may answer. The error names the wrong field,
 * and no value, since events must not hold what limits a key.
 */
export function checkCaller(caller: unknown): void {
  if (caller === null) return
  const { keyId, ownerId, organizations, only, quota } = (caller ?? {}) as Partial<Caller>
  if (typeof keyId !== 'string') throw wrongCaller('keyId', 'a string')
  if (typeof ownerId !== 'string') throw wrongCaller('ownerId', 'a string')
  if (!isListOf(organizations, () => true)) throw wrongCaller('organizations', 'a list of strings')
  if (quota !== undefined && !(Number.isSafeInteger(quota) && quota > 0))
    throw wrongCaller('quota', 'a whole number above 0')
  if (only !== undefined) checkLimits(only)
}

/** Throws a TypeError for limits that are malformed: a key with a limit that is not understood must not be open. */
function checkLimits(only: unknown): void {
  // A list, a Map or a Set has none of the members, and would limit nothing.
  if (only === null || typeof only !== 'object' || Symbol.iterator in only)
    throw wrongCaller('only', 'an object with the limits as its members')
  const inherited = MEMBERS.filter(name => name in only)
  for (const name of new Set([...Object.keys(only), ...inherited])) {
    const value: unknown = Reflect.get(only, name)
    if (name === PARAMETERS) {
      checkParameters(value)
      continue
    }
    if (name === ROWS) {
      checkRows(value)
      continue
    }
    const list = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined
    if (!list) throw wrongCaller(`only.${name}`, `absent: the limits are ${MEMBERS.join(', ')}`)
    if (!isListOf(value, list.fits)) throw wrongCaller(`only.${name}`, `a list of ${list.of}`)
  }
}

function checkParameters(value: unknown): void {
  if (value === null || typeof value !== 'object') throw wrongCaller('only.parameters', 'an object')
  try {
    readParameters(value)
  } catch (cause) {
    const why = cause instanceof AnalyticsError ? cause.message : 'values of JSON are expected'
    throw wrongCaller('only.parameters', `what the params of projects/query take. ${why}`)
  }
}

/** Checks the form of row limits; the catalogue tells their names and types. */
function checkRows(value: unknown): void {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || Object.keys(value).length === 0)
    throw wrongCaller('only.rows', 'an object of limits with their values')
  // every() passes over the holes of a list, and its copy has none.
  for (const [name, list] of membersOf(value))
    if (!Array.isArray(list) || list.length === 0 || ![...list].every(isRowLimitValue))
      throw wrongCaller(
        `only.rows.${name}`,
        'a list of strings, numbers or booleans with at least one of them',
      )
}

/** The members of an object, with those that it inherits. */
function membersOf(value: object): [string, unknown][] {
  const members: [string, unknown][] = []
  for (const name in value) members.push([name, Reflect.get(value, name)])
  return members
}

function isRowLimitValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

function isListOf(value: unknown, fits: (each: string) => boolean): boolean {
  return Array.isArray(value) && value.every(each => typeof each === 'string' && fits(each))
}

/** What is wrong with a field of a caller; `expected` holds no value of the caller. */
export function wrongCaller(field: string, expected: string): TypeError {
  return new TypeError(`authenticate() answered a caller whose ${field} is wrong: it must be ${expected}`)
}
