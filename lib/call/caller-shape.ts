import { AnalyticsError } from '../errors.js'
import { METHOD_NAMES } from '../model.js'
import type { Caller } from '../ports.js'
import { readParameters } from '../values/parameters.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Of a named query, alone or with its version. */
const QUERY = /^[^@\s]+(@[^@\s]+)?$/

const PARAMETERS = 'parameters'

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

/**
 * Throws a TypeError unless a value is what `authenticate` of a `KeyPort` may answer. The error names the wrong field,
 * and no value, since events must not hold what limits a key.
 */
export function checkCaller(caller: unknown): void {
  if (caller === null) return
  const { keyId, ownerId, organizations, only } = (caller ?? {}) as Partial<Caller>
  if (typeof keyId !== 'string') throw wrongCaller('keyId', 'a string')
  if (typeof ownerId !== 'string') throw wrongCaller('ownerId', 'a string')
  if (!isListOf(organizations, () => true)) throw wrongCaller('organizations', 'a list of strings')
  if (only !== undefined) checkLimits(only)
}

/** Throws a TypeError for limits that are malformed: a key with a limit that is not understood must not be open. */
function checkLimits(only: unknown): void {
  if (only === null || typeof only !== 'object' || Array.isArray(only)) throw wrongCaller('only', 'an object')
  const inherited = [...Object.keys(LISTS), PARAMETERS].filter(name => name in only)
  for (const name of new Set([...Object.keys(only), ...inherited])) {
    const value: unknown = Reflect.get(only, name)
    if (name === PARAMETERS) {
      checkParameters(value)
      continue
    }
    const list = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined
    if (!list)
      throw wrongCaller(
        `only.${name}`,
        `absent: the limits are ${[...Object.keys(LISTS), PARAMETERS].join(', ')}`,
      )
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

function isListOf(value: unknown, fits: (each: string) => boolean): boolean {
  return Array.isArray(value) && value.every(each => typeof each === 'string' && fits(each))
}

/** What is wrong with a field of a caller; `expected` holds no value of the caller. */
export function wrongCaller(field: string, expected: string): TypeError {
  return new TypeError(`authenticate() answered a caller whose ${field} is wrong: it must be ${expected}`)
}
