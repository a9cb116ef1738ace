import { AnalyticsError } from '../errors.js'
import type { TypedValue } from '../model.js'
import { parseType, typeText, UnknownType } from '../values/parameter-types.js'
import { parameterError, readParameters, textOfParameters } from '../values/parameters.js'
import type { QueryDefinition, QueryParameter } from './queries.js'

/**
 * What `projects/query` takes for the parameters of a named query: each value with the type that is declared, and
 * defaults for those that are not sent. A value is sent bare, or with its type. Throws INVALID_PARAMS with the path
 * of a value that is missing, unknown, of another type or not allowed.
 */
export function typedValues(
  { parameters }: Pick<QueryDefinition, 'parameters'>,
  sent: Readonly<Record<string, unknown>>,
): Record<string, TypedValue> {
  const given = new Map<string, unknown>()
  for (const [written, value] of Object.entries(sent)) {
    const name = written.toLowerCase()
    if (!Object.hasOwn(parameters, name)) throw parameterError(clipped(written), unknownName(parameters))
    if (given.has(name))
      throw parameterError(
        written,
        `The parameter "${name}" is there twice, since names ignore case: send one.`,
      )
    given.set(name, value)
  }
  const typed = Object.entries(parameters).map(([name, parameter]) => {
    const { type, about } = parameter
    const value = given.has(name) ? bareValue(name, parameter, given.get(name)) : parameter.default
    if (value === undefined)
      throw parameterError(name, `The query needs the parameter "${name}", of type ${type}: ${about}.`)
    readParameters({ [name]: { type, value } })
    if (!isOneOf(parameter, value))
      throw parameterError(name, `The parameter "${name}" must be one of ${listed(parameter)}.`)
    return [name, { type, value }] as const
  })
  return Object.fromEntries(typed)
}

function unknownName(parameters: QueryDefinition['parameters']): string {
  const names = Object.keys(parameters)
  if (names.length === 0) return 'The query has no parameters: send none.'
  return `The query has no such parameter. It has ${names.join(', ')}.`
}

/** The value of `{ type, value }`, whose type has to be the declared one, or what was sent. */
function bareValue(name: string, { type }: QueryParameter, sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  const { type: sentType, value } = sent as Partial<TypedValue>
  const isTyped = typeof sentType === 'string' && value !== undefined && Object.keys(sent).length === 2
  if (!isTyped || !isSameType(sentType, type))
    throw parameterError(
      name,
      `The parameter "${name}" is of type ${type}: send its value alone, or { "type": "${type}", "value": … }.`,
    )
  return value
}

function isSameType(sent: string, declared: string): boolean {
  try {
    return typeText(parseType(sent)) === typeText(parseType(declared))
  } catch (cause) {
    if (cause instanceof UnknownType) return false
    throw cause
  }
}

/** Whether a value of the type of a parameter is one that callers may send; they may send a default of NULL. */
export function isOneOf({ values, type, default: fallback }: QueryParameter, value: unknown): boolean {
  if (values === undefined || (value === null && fallback === null)) return true
  const text = textOf(type, value)
  return values.some(each => textOf(type, each) === text)
}

/** What is wrong with a value that a catalogue has for a parameter; null when it is a value of the type. */
export function wrongValue(type: string, value: unknown): string | null {
  try {
    textOf(type, value)
    return null
  } catch (cause) {
    if (cause instanceof AnalyticsError) return cause.message
    throw cause
  }
}

/** Text that equal values of a type have in common. */
function textOf(type: string, value: unknown): string {
  return textOfParameters(readParameters({ value: { type, value } }))
}

function listed({ values = [], default: fallback }: QueryParameter): string {
  return [...values, ...(fallback === null ? [null] : [])].map(value => JSON.stringify(value)).join(', ')
}

const MOST_CHARACTERS = 63

function clipped(name: string): string {
  return name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS)}…` : name
}
