/** Characters of statements whose numbers are told by their digits alone: no strings, quoted names, or parameters. */
const PLAIN = /^[\w \t\r\n.,;:()[\]<>=!|&*+/-]*$/
/** Comments, and words after which the parser looks at the value of a number. */
const TELLING =
  /--|\/\*|::|\b(sample|tablesample|interval|cast|try_cast|percent|float\w*|decimal|numeric|dec|bit|char\w*|\w*char|time\w*|unnest|pivot|unpivot)\b/i
/**
 * A whole number that is an INTEGER to the parser, whatever its digits; not a part of a name or of another number. Or BY with
 * numbers, which stand for columns: claims look at them.
 */
const NUMBER = /\bby\s+\d{1,3}(?:\s*,\s*\d{1,3})*(?![\w.])|(?<![\w.])\d{1,9}(?![\w.])/gi

/**
 * A statement with zeros in place of the digits of its whole numbers, each of the same length, but for those right after BY:
 * the parser's trees of statements of one shape differ in the values of these numbers alone. Null where that is not certain.
 */
export function shapeOf(sql: string): string | null {
  if (!PLAIN.test(sql) || TELLING.test(sql)) return null
  return sql.replace(NUMBER, found => (/^\d/.test(found) ? '0'.repeat(found.length) : found))
}
