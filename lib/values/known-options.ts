import { nearest } from './nearest.js'

/**
 * Throws a TypeError that names an option that does not exist, and the nearest one that does: it would have no effect,
 * and no compiler reports it in JavaScript, or when options are spread.
 */
export function checkOptions<Options extends object>(
  taker: string,
  options: Options | undefined,
  known: Readonly<Record<keyof NoInfer<Options>, unknown>>,
): void {
  if (options !== undefined && (typeof options !== 'object' || options === null))
    throw new TypeError(`${taker} takes an object with options`)
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined)
  const unknown = given.map(([name]) => name).find(name => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const near = nearest(unknown, Object.keys(known))
  throw new TypeError(`${taker} has no option ${unknown}${near ? `: did you mean ${near}?` : ''}`)
}
