import type { Caller } from '../ports.js'
import { type BoundParameter, parameterError, readParameters } from '../values/parameters.js'

/**
 * Returns the values that a key sets for all its statements. Throws INVALID_PARAMS when one of them is sent, since a
 * caller could leave its limits with another value.
 */
export function parametersOfKey(
  caller: Pick<Caller, 'only'>,
  sent: readonly BoundParameter[],
): BoundParameter[] {
  refuseSet(
    caller,
    sent.map(({ sent: name }) => name),
  )
  return readParameters(caller.only?.parameters)
}

/** Throws INVALID_PARAMS if the key sets one of the parameters with these names, whose case is ignored. */
export function refuseSet({ only }: Pick<Caller, 'only'>, names: readonly string[]): void {
  const set = Object.keys(only?.parameters ?? {}).map(name => name.toLowerCase())
  const clash = names.find(name => set.includes(name.toLowerCase()))
  if (clash !== undefined)
    throw parameterError(clash, `The parameter "${clash}" is set by the key: leave it out.`)
}
