import { AnalyticsError } from '../errors.js'
import { spellDouble } from './numbers.js'
import { type ParameterType, parseType, typeText, UnknownType } from './parameter-types.js'
import { expectedOf, readScalar, type ScalarValue } from './read-scalar.js'
import { Unfit } from './unfit.js'

/** A value of a parameter: NULL, a scalar, or a list. */
export type BoundValue = null | ScalarValue | readonly BoundValue[]

/** A value that a statement uses as `$name`. */
export interface BoundParameter {
  /** The name in ASCII lower case: the engine ignores its case. */
  name: string
  /** The name as the caller has written it, for messages. */
  sent: string
  /** Null of a value that was sent as null without a type. */
  type: ParameterType | null
  /** Null for NULL. */
  value: BoundValue
}

/** Most values of a statement. */
export const MOST_PARAMETERS = 100
/** Most UTF-8 bytes of `parameters` as JSON. */
const MOST_PARAMETER_BYTES = 64 * 1024
/** The longest name of a parameter, in characters. */
const LONGEST_NAME = 63
const NAME = new RegExp(`^[A-Za-z_][A-Za-z0-9_]{0,${LONGEST_NAME - 1}}$`)
/** A whole JSON number beyond ±(2^53 − 1) that might have been a BIGINT before it was rounded. */
const BIGINT_END = 2 ** 63

/**
 * Reads the values of `parameters`: an object of names with scalars or `{ type, value }`, parsed from JSON.
 * Absent and null are no values. Throws INVALID_PARAMS, whose `data.path` is `parameters.<name>`, or
 * `parameters` when there are too many values or bytes. Messages repeat no value.
 */
export function readParameters(sent: unknown): BoundParameter[] {
  if (sent === undefined || sent === null) return []
  if (typeof sent !== 'object' || Array.isArray(sent))
    throw invalid('parameters', 'The field "parameters" must be an object of names with their values.')
  const members = Object.entries(sent)
  if (members.length > MOST_PARAMETERS)
    throw invalid('parameters', `A statement takes at most ${MOST_PARAMETERS} parameters: send fewer.`)
  const names = new Set<string>()
  const parameters = members.map(([name, value]): BoundParameter => {
    if (!NAME.test(name)) throw badName(name)
    const read = { name: name.toLowerCase(), sent: name, ...readValue(name, value) }
    if (names.has(read.name))
      throw parameterError(
        name,
        `The parameter "${name}" is there twice, because names ignore case: send one of them.`,
      )
    names.add(read.name)
    return read
  })
  // The values above bound how deep it is nested.
  if (Buffer.byteLength(JSON.stringify(sent)) > MOST_PARAMETER_BYTES)
    throw invalid(
      'parameters',
      `The parameters have more than ${MOST_PARAMETER_BYTES} bytes of JSON: send less.`,
    )
  return parameters
}

/** INVALID_PARAMS for the parameter of this name, as it was sent. */
export function parameterError(name: string, message: string): AnalyticsError {
  return invalid(`parameters.${name}`, message)
}

function invalid(path: string, message: string): AnalyticsError {
  return new AnalyticsError('INVALID_PARAMS', message, { data: { path } })
}

function badName(name: string): AnalyticsError {
  const clipped = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
  return parameterError(
    clipped,
    `The name of a parameter must have 1 to ${LONGEST_NAME} ASCII letters, digits and underscores, and must not begin with a digit.`,
  )
}

function readValue(name: string, sent: unknown): Pick<BoundParameter, 'type' | 'value'> {
  if (sent === null) return { type: null, value: null }
  const type = isObject(sent) ? typeOf(name, sent) : untypedType(name, sent)
  return { type, value: readAs(type, isObject(sent) ? sent.value : sent, { name, path: [] }) }
}

function isObject(sent: unknown): sent is Record<string, unknown> {
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent)
}

/** The type of a value that was sent without one. */
function untypedType(name: string, sent: unknown): ParameterType {
  switch (typeof sent) {
    case 'boolean':
      return { kind: 'boolean' }
    case 'string':
      return { kind: 'varchar' }
    case 'number': {
      // Only DOUBLE has a negative zero.
      if (Number.isSafeInteger(sent)) return { kind: Object.is(sent, -0) ? 'double' : 'bigint' }
      if (Number.isInteger(sent) && Math.abs(sent) <= BIGINT_END)
        throw parameterError(
          name,
          `The parameter "${name}" is a number beyond ±9007199254740991, which JSON readers round: ` +
            'send { "type": "BIGINT", "value": "…" } with its digits as a string.',
        )
      return { kind: 'double' }
    }
    default:
      throw parameterError(
        name,
        `The parameter "${name}" must be a boolean, a number, a string, null, or a value with its type: ` +
          'write { "type": "VARCHAR[]", "value": […] }.',
      )
  }
}

/** The type of `{ type, value }`. */
function typeOf(name: string, sent: Record<string, unknown>): ParameterType {
  const { type, value, ...others } = sent
  if (typeof type !== 'string' || value === undefined || Object.keys(others).length > 0)
    throw parameterError(
      name,
      `The parameter "${name}" must have "type", a string, and "value", and nothing else: ` +
        'write { "type": "DATE", "value": "2026-11-20" }.',
    )
  try {
    return parseType(type)
  } catch (cause) {
    if (!(cause instanceof UnknownType)) throw cause
    throw parameterError(name, `The type of the parameter "${name}" is not supported. ${cause.message}`)
  }
}

/** The path of a value: numbers of items from 1 on, from the outermost list to the innermost. */
interface ParameterPath {
  name: string
  path: readonly number[]
}

function readAs(type: ParameterType, sent: unknown, { name, path }: ParameterPath): BoundValue {
  if (sent === null) return null
  try {
    if (type.kind !== 'list') return readScalar(sent, type)
    if (!Array.isArray(sent)) throw new Unfit(`a list, since its type is ${typeText(type)}`)
  } catch (cause) {
    if (!(cause instanceof Unfit)) throw cause
    const expected = cause.message || expectedOf(type as Exclude<ParameterType, { kind: 'list' }>)
    const subject = path.length > 0 ? `Item ${path.join('.')}` : 'The value'
    throw parameterError(name, `${subject} of the parameter "${name}" must be ${expected}.`)
  }
  return sent.map((item, index) => readAs(type.items, item, { name, path: [...path, index + 1] }))
}

/**
 * Text of values for digests, whatever their order: texts of different values differ, and so do those of
 * equal values of different types.
 */
export function textOfParameters(parameters: readonly BoundParameter[]): string {
  const texts = parameters.map(({ name, type, value }) =>
    JSON.stringify([name, type && typeText(type), plain(value)]),
  )
  return `[${texts.sort().join(',')}]`
}

/** A value in JSON; each type has strings of one form. */
function plain(value: BoundValue): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return spellDouble(value)
  if (typeof value === 'bigint') return `${value}`
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(plain)
  return Object.values(value).map(String)
}
