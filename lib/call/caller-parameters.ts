import type { Caller } from '../ports.js'
import { type BoundParameter, parameterError, readParameters } from '../values/parameters.js'

/**
 * Returns the values that a key sets for all its statements. Throws INVALID_PARAMS when one of them is sent, since a
 * caller could leave its limits with another value.
 */
export function parametersOfKey(
  { only }: Pick<Caller, 'only'>,
  sent: readonly BoundParameter[],
): BoundParameter[] {
  const set = readParameters(only?.parameters)
  const clash = sent.find(({ name }) => set.some(each => each.name === name))
  if (clash)
    throw parameterError(clash.sent, `The parameter "${clash.sent}" is set by the key: leave it out.`)
  return set
}
