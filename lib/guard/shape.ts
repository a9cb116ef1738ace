/** Characters of statements whose numbers are told by their digits alone: no strings, quoted names, or parameters. */
const PLAIN = /^[\w \t\r\n.,;:()[\]<>=!|&*+/-]*$/
/** Comments, and words after which the parser looks at the value of a number. */
const TELLING =
  /--|\/\*|::|\b(sample|tablesample|interval|cast|try_cast|percent|float\w*|decimal|numeric|dec|bit|char\w*|\w*char|time\w*|unnest|pivot|unpivot)\b/i
/** A whole number that is an INTEGER to the parser, whatever its digits; not a part of a name or of another number. */
const NUMBER = /(?<![\w.])\d{1,9}(?![\w.])/g

/**
 * A statement with zeros in place of the digits of its whole numbers, each of the same length: the parser's trees of
 * statements of one shape differ in the values of these numbers alone. Null where that is not certain.
 */
export function shapeOf(sql: string): string | null {
  if (!PLAIN.test(sql) || TELLING.test(sql)) return null
  return sql.replace(NUMBER, digits => '0'.repeat(digits.length))
}
