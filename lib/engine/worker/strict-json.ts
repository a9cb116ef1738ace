import { literal } from '../quote.js'

/**
 * SQL for values of type JSON. The engine's JSON is not what others read: it takes NaN, the infinities and a comma before
 * a closing bracket, and some of its functions make JSON of any text without a look (the default of lag, for one). Each
 * value is checked by itself: within a row a forged one could close what surrounds it and still parse.
 */

const STRING = '"(?:[^"\\\\]|\\\\.)*"'
/** Outside strings, what strict JSON never has: `null` has an n, but neither true, false nor a number has na or i. */
const LOOSE = literal(`^(?:[^"]|${STRING})*?(?:,\\s*[\\]}]|[nN][aA]|[iI])`)
const COMMA = literal(`(${STRING})|,(\\s*[\\]}])`)
/** What is written for the numbers that JSON does not have; the order counts. */
const NUMBERS = [
  ['-?[nN][aA][nN]', '"NaN"'],
  ['-[iI][nN][fF](?:[iI][nN][iI][tT][yY])?', '"-Infinity"'],
  ['[iI][nN][fF](?:[iI][nN][iI][tT][yY])?', '"Infinity"'],
] as const
/** A control character, which no valid JSON holds as it is. */
const MARK = 'chr(1)'

/** Said of a value of type JSON that is not JSON at all. */
export const NOT_JSON = 'A value of type JSON is not JSON. Cast it to VARCHAR, or leave it out.'

/**
 * SQL for the text of a JSON value, NULL for NULL: strict JSON, its numbers as rows write them; anything else fails. A text
 * of more than `mostBytes` is left as it is.
 */
export function strictJson(value: string, mostBytes = Number.MAX_SAFE_INTEGER): string {
  const text = `CAST(${value} AS VARCHAR)`
  const checked = `CASE WHEN regexp_matches(${text}, ${LOOSE}) THEN ${sanitized(text)} ELSE ${text} END`
  const tooLong = mostBytes < Number.MAX_SAFE_INTEGER ? `WHEN strlen(${text}) > ${mostBytes} THEN ${text} ` : ''
  return `CASE ${tooLong}WHEN json_valid(${text}) THEN ${checked} WHEN ${value} IS NOT NULL THEN error(${literal(NOT_JSON)}) END`
}

/** Every string is kept by matching it whole, and marked; so is what takes the place of a number, which is marked alone. */
function sanitized(text: string): string {
  const withoutCommas = `regexp_replace(${text}, ${COMMA}, '\\1\\2', 'g')`
  return NUMBERS.reduce((json, [pattern, written]) => {
    const marked = `regexp_replace(${json}, ${literal(`(${STRING})|${pattern}`)}, concat('\\1', ${MARK}), 'g')`
    return `replace(replace(${marked}, concat('"', ${MARK}), '"'), ${MARK}, ${literal(written)})`
  }, withoutCommas)
}
