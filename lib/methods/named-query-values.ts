import { refuseSet, wrongCaller } from '../call/caller.js'
import type { QueryDefinition, QueryParameter } from '../catalogue/queries.js'
import { typedValues } from '../catalogue/query-values.js'
import { AnalyticsError } from '../errors.js'
import type { TypedValue } from '../model.js'
import type { Caller } from '../ports.js'
import type { CallContext } from './method.js'

/** Parameters of a query, by their names. */
type ParameterMap = Readonly<Record<string, QueryParameter>>

/** The parameters of a query that a key leaves to its callers. */
export function parametersToSend(parameters: ParameterMap, caller: Pick<Caller, 'only'>): ParameterMap {
  const set = setBy(caller, parameters)
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !set.has(name)))
}

/**
 * The values that a named query runs with: those that the key sets and those that the caller sends, both of the types
 * that the query declares. Throws INVALID_PARAMS for wrong values of the caller, and UNAVAILABLE if the key sets
 * another value than the query takes, or one that no query takes, which may be misspelt: only the host can change it,
 * and gets an event.
 */
export function valuesOf(
  { parameters }: Pick<QueryDefinition, 'parameters'>,
  sent: Readonly<Record<string, unknown>>,
  context: Pick<CallContext, 'caller' | 'onEvent'>,
  isTaken: (name: string, caller: Caller) => boolean,
): Record<string, TypedValue> {
  const { caller } = context
  const bySet = setBy(caller, parameters)
  refuseSet(Object.keys(sent), [...bySet.keys()])
  const set = [...bySet].map(([name, { sent, value }]) => {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (parameter) return setValue({ name, parameter, sent, value }, context)
    // Without a list of queries, the value may be for statements of the caller.
    if (caller.only?.queries && !isTaken(name, caller))
      throw refused(sent, 'a parameter of some query that the key may run', context)
    return {}
  })
  const own = typedValues({ parameters: parametersToSend(parameters, caller) }, sent)
  return Object.assign({}, ...set, own)
}

/**
 * The values that a key sets, by the names of parameters, which are in lower case: its own, and those of its row limits
 * for parameters of these names that are lists.
 */
function setBy(
  { only }: Pick<Caller, 'only'>,
  parameters: ParameterMap,
): Map<string, { sent: string; value: unknown }> {
  const limits = Object.entries(only?.rows ?? {}).filter(
    ([name]) => Object.hasOwn(parameters, name) && parameters[name]?.type.endsWith('[]'),
  )
  const values = [...limits, ...Object.entries(only?.parameters ?? {})]
  return new Map(values.map(([sent, value]) => [sent.toLowerCase(), { sent, value }]))
}

/** A value that a key sets, under the name `sent`, for a parameter of a query. */
interface SetValue {
  name: string
  parameter: QueryParameter
  sent: string
  value: unknown
}

function setValue(
  { name, parameter, sent, value }: SetValue,
  context: Pick<CallContext, 'onEvent'>,
): Record<string, TypedValue> {
  try {
    return typedValues({ parameters: { [name]: parameter } }, { [name]: value })
  } catch (thrown) {
    if (!(thrown instanceof AnalyticsError)) throw thrown
    throw refused(sent, `what the named query takes. ${thrown.message}`, context)
  }
}

/** The failure of a call whose key sets what is wrong; the host is told. */
function refused(sent: string, expected: string, { onEvent }: Pick<CallContext, 'onEvent'>): AnalyticsError {
  const cause = wrongCaller(`only.parameters.${sent}`, expected)
  onEvent({ type: 'dependency', port: 'keys', cause })
  return new AnalyticsError('UNAVAILABLE', 'The service cannot answer now. Try again later.', { cause })
}
