import { AnalyticsError, type CallerLimits, type QueryDefinition } from 'foldgate'
import { mayRun, nearest, readParameters, typedValues } from 'foldgate/internal'
import { quoted } from './names.js'
import { Refusal } from './refusal.js'

/** The parts of a named query that values of a key are compared with. */
export type KnownQuery = Pick<QueryDefinition, 'name' | 'version' | 'parameters'>

type KnownParameter = QueryDefinition['parameters'][string]

/**
 * Reads values of parameters, each written as `name=value`, with the types that `queries`, those that the key can run,
 * declare. Without `queries`, values are JSON, or strings. Throws a {@link Refusal} for a name that no query takes, and
 * for a value that does not fit each query that takes it: such a key would be refused with every call.
 */
export function readValues(
  written: readonly string[],
  queries: readonly KnownQuery[] | undefined,
): NonNullable<CallerLimits['parameters']> {
  const values = new Map<string, unknown>()
  for (const line of written) {
    const at = line.indexOf('=')
    const name = line.slice(0, at).trim()
    if (at < 1) throw new Refusal(`${quoted(line)} is no value of a parameter: write name=value`)
    if (values.has(name)) throw new Refusal(`The parameter ${quoted(name)} has two values: give it one`)
    values.set(name, readValue(name, line.slice(at + 1).trim(), queries))
  }
  const parameters = Object.fromEntries(values)
  refusing(() => readParameters(parameters))
  return parameters as NonNullable<CallerLimits['parameters']>
}

/** The queries that a key with these limits can run. */
export function runnable(only: CallerLimits, queries: readonly KnownQuery[]): KnownQuery[] {
  return queries.filter(({ name, version }) => mayRun({ only }, name, version))
}

function readValue(name: string, text: string, queries: readonly KnownQuery[] | undefined): unknown {
  const [first, ...others] = formsOf(text)
  if (!queries) return first
  const parameters = declared(name, queries)
  const [parameter] = parameters
  if (!parameter) throw unknownName(name, queries)
  // A list is no value without its type.
  const forms = Array.isArray(first) ? [{ type: parameter.type, value: first }] : [first, ...others]
  const found = forms.find(form => parameters.every(each => misfit(name, each, form) === null))
  if (found !== undefined) return found
  // A form of the right type, which is then not among the values, says more than one of another.
  const told =
    forms.find(form => parameters.every(each => misfit(name, anyOf(each), form) === null)) ?? forms[0]
  const reasons = parameters.map(each => misfit(name, each, told))
  throw new Refusal(reasons.find(reason => reason !== null) ?? `The parameter ${quoted(name)} fits no query`)
}

/** A parameter without its list of values. */
function anyOf({ type, about }: KnownParameter): KnownParameter {
  return { type, about }
}

/** A value as JSON, so that 17 is a number, and then as it is. */
function formsOf(text: string): [unknown, ...unknown[]] {
  try {
    return [JSON.parse(text), text]
  } catch {
    return [text]
  }
}

/** The parameter of this name, of each query that takes it; calls ignore the case of names. */
function declared(name: string, queries: readonly KnownQuery[]): KnownParameter[] {
  return queries.flatMap(({ parameters }) =>
    Object.entries(parameters).flatMap(([each, parameter]) =>
      each === name.toLowerCase() ? [parameter] : [],
    ),
  )
}

/** Why a value is none of this parameter; null when it is one. */
function misfit(name: string, parameter: KnownParameter, value: unknown): string | null {
  try {
    refusing(() => {
      readParameters({ [name]: value })
      typedValues({ parameters: { [name.toLowerCase()]: parameter } }, { [name]: value })
    })
    return null
  } catch (cause) {
    if (cause instanceof Refusal) return cause.message
    throw cause
  }
}

function unknownName(name: string, queries: readonly KnownQuery[]): Refusal {
  const names = [...new Set(queries.flatMap(({ parameters }) => Object.keys(parameters)))]
  const near = nearest(name, names)
  if (near !== null) return new Refusal(`${none(name)}: did you mean ${quoted(near)}?`)
  const hint = names.length > 0 ? `they take ${names.join(', ')}` : 'they take none'
  return new Refusal(`${none(name)}: ${hint}`)
}

function none(name: string): string {
  return `No query of the key takes the parameter ${quoted(name)}`
}

/** Turns what the library refuses into a {@link Refusal}. */
function refusing(read: () => unknown): void {
  try {
    read()
  } catch (cause) {
    if (!(cause instanceof AnalyticsError)) throw cause
    throw new Refusal(cause.message.replace(/\.$/, ''))
  }
}
