import { literal } from '../../values/quote.js'

/**
 * SQL for values of type JSON. DuckDB accepts more than strict JSON: NaN, infinities, and a comma before a closing
 * bracket. Some of its functions also turn any string into JSON unchecked (the default of lag, for example). Each value
 * is checked on its own: within a row, a forged value could close the object around it, and the row would still parse.
 */

const STRING = '"(?:[^"\\\\]|\\\\.)*"'
/** A trailing comma, NaN or Infinity outside strings: no token of strict JSON contains `na` or `i`. */
const LOOSE = literal(`^(?:[^"]|${STRING})*?(?:,\\s*[\\]}]|[nN][aA]|[iI])`)
const COMMA = literal(`(${STRING})|,(\\s*[\\]}])`)
/** Replacements for numbers that JSON lacks. Order matters: `Infinity` also matches within `-Infinity`. */
const NUMBERS = [
  ['-?[nN][aA][nN]', '"NaN"'],
  ['-[iI][nN][fF](?:[iI][nN][iI][tT][yY])?', '"-Infinity"'],
  ['[iI][nN][fF](?:[iI][nN][iI][tT][yY])?', '"Infinity"'],
] as const
/** A control character that valid JSON never contains unescaped. */
const MARK = 'chr(1)'

/** Message for a value of type JSON that is not JSON. */
export const NOT_JSON = 'A value of type JSON is not JSON. Cast it to VARCHAR, or leave it out.'

/**
 * SQL for a value of type JSON as strict JSON text, NULL for NULL. NaN and infinities become strings, as elsewhere in
 * rows; invalid JSON fails. Text longer than `mostBytes` is returned unchecked.
 */
export function strictJson(value: string, mostBytes = Number.MAX_SAFE_INTEGER): string {
  const text = `CAST(${value} AS VARCHAR)`
  const checked = `CASE WHEN regexp_matches(${text}, ${LOOSE}) THEN ${sanitized(text)} ELSE ${text} END`
  const tooLong = mostBytes < Number.MAX_SAFE_INTEGER ? `WHEN strlen(${text}) > ${mostBytes} THEN ${text} ` : ''
  return `CASE ${tooLong}WHEN json_valid(${text}) THEN ${checked} WHEN ${value} IS NOT NULL THEN error(${literal(NOT_JSON)}) END`
}

/** Matches strings whole, so that nothing in them is replaced. A mark that follows no string stands for a number. */
function sanitized(text: string): string {
  const withoutCommas = `regexp_replace(${text}, ${COMMA}, '\\1\\2', 'g')`
  return NUMBERS.reduce((json, [pattern, written]) => {
    const marked = `regexp_replace(${json}, ${literal(`(${STRING})|${pattern}`)}, concat('\\1', ${MARK}), 'g')`
    return `replace(replace(${marked}, concat('"', ${MARK}), '"'), ${MARK}, ${literal(written)})`
  }, withoutCommas)
}
