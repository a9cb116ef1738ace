/** Columns whose values the file has as JSON text, where pages have the values themselves. */
const AS_TEXT = /^(json|union|map_by)/
const SINGLE = /^float/

/**
 * Whether a reader gives the values of a column as pages do. In the normal form that readers print, a number may be
 * text, and a map a list of its entries: `{ "key", "value" }` or pairs.
 */
export function sameColumn(name: string, given: readonly unknown[], paged: readonly unknown[]): boolean {
  return given.length === paged.length && paged.every((value, row) => same(value, given[row], name))
}

function same(paged: unknown, given: unknown, name: string): boolean {
  if (AS_TEXT.test(name) && typeof given === 'string') return sameText(paged, given)
  if (paged === null || typeof paged === 'boolean') return given === paged
  if (given === null || given === undefined) return false
  if (typeof paged === 'number') return sameNumber(paged, Number(given), SINGLE.test(name)) && given !== ''
  if (typeof paged === 'string') return String(given) === paged && typeof given !== 'object'
  if (typeof given !== 'object') return false
  if (Array.isArray(paged))
    return (
      Array.isArray(given) && given.length === paged.length && paged.every((item, at) => same(item, given[at], name))
    )
  const members = new Map(Array.isArray(given) ? given.map(entryOf) : Object.entries(given))
  const wanted = Object.entries(paged as object)
  return members.size === wanted.length && wanted.every(([key, value]) => same(value, members.get(key), name))
}

function entryOf(entry: { key: string; value: unknown } | [string, unknown]): [string, unknown] {
  return Array.isArray(entry) ? entry : [entry.key, entry.value]
}

function sameNumber(paged: number, given: number, single: boolean): boolean {
  return paged === given || (single && Math.fround(paged) === given)
}

/** A string is stored as it is, or as JSON if the column has values of other types too. */
function sameText(paged: unknown, given: string): boolean {
  if (typeof paged === 'string' && given === paged) return true
  try {
    return JSON.stringify(JSON.parse(given)) === JSON.stringify(paged)
  } catch {
    return false
  }
}
