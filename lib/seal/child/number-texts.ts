/** SQL about texts of numbers, which is exact whatever their digits: no number on the way is a DOUBLE. */

const FORM = '\\s*[-+]?(?:[0-9][0-9_]*\\.?[0-9_]*|\\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?\\s*'

/** Most digits of which a DOUBLE or a FLOAT can keep each, in texts from which the same number is read again. */
const MOST_DIGITS = { DOUBLE: 17, FLOAT: 9 }
/** The longest texts of which each is kept, unless they are of zero. */
const KEPT_LENGTH = { DOUBLE: 15, FLOAT: 7 }

type Floating = keyof typeof MOST_DIGITS

/** SQL that is true for a text in decimal digits, with or without an exponent. */
export function isDecimalText(text: string): string {
  return `regexp_full_match(${text}, '${FORM}')`
}

/** SQL that is true for a text of another number than the one that was read from it. */
export function isOtherNumber(text: string, number: string): string {
  return `${digitsOf(text).normal} <> ${digitsOf(`CAST(${number} AS VARCHAR)`).normal}`
}

/**
 * SQL that is true for a text of which a DOUBLE or a FLOAT holds a part only: a text with more digits than the type has, a
 * whole number that becomes another, or a number that becomes zero. Other decimals are read as the number next to them.
 */
export function isCutFloat(text: string, number: string, type: Floating): string {
  const { significant, last } = digitsOf(text)
  const isWhole = `${last} >= 0`
  const isLong = `${significant} > ${MOST_DIGITS[type]}`
  const asHuge = (value: string) => `TRY_CAST(${value} AS HUGEINT)`
  const isSame = [
    // All digits of a power of two are more than the type has.
    `(${isWhole} AND ${asHuge(text)} = ${asHuge(number)})`,
    // The digits of a FLOAT, as JavaScript writes them, are those of a DOUBLE.
    ...(type === 'FLOAT'
      ? [
          `(${significant} <= ${MOST_DIGITS.DOUBLE} AND TRY_CAST(${text} AS DOUBLE) = CAST(${number} AS DOUBLE))`,
        ]
      : []),
  ].join(' OR ')
  return `${isOtherNumber(text, number)} AND (${isLong} OR ${isWhole} OR ${number} = 0) AND (${isSame}) IS NOT TRUE`
}

/** SQL that is quick to compute, and true for each text that {@link isCutFloat} tells, and for some others. */
export function mayBeCutFloat(text: string, number: string, type: Floating): string {
  const isLong = `strlen(${text}) > ${KEPT_LENGTH[type]} AND CAST(${number} AS VARCHAR) <> ${text}`
  const isZero = `${number} = 0 AND ${text} NOT IN ('0', '0.0', '-0')`
  return `(${isLong}) OR (${isZero}) OR NOT isfinite(${number})`
}

/** SQL that is quick to compute, and true for each text that has more decimals than a type, and for some others. */
export function mayBeCutDecimal(text: string, number: string, scale: number): string {
  const hasMore = `(contains(${text}, '.') AND strlen(${text}) - instr(${text}, '.') > ${scale})`
  const hasExponent = `contains(${text}, 'e') OR contains(${text}, 'E')`
  return `CAST(${number} AS VARCHAR) <> ${text} AND (${hasMore} OR ${hasExponent})`
}

/** SQL about the digits of a text, see {@link isDecimalText}. */
function digitsOf(text: string) {
  const mantissa = `regexp_extract(${text}, '^[^eE]*')`
  const digits = `regexp_replace(${mantissa}, '[^0-9]', '', 'g')`
  const significant = `trim(${digits}, '0')`
  const decimals = `strlen(regexp_extract(replace(${mantissa}, '_', ''), '\\.([0-9]*)', 1))`
  const exponent = `coalesce(TRY_CAST(regexp_extract(${text}, '[eE](.*)$', 1) AS BIGINT), 0)`
  /** The power of ten of the last digit other than 0. */
  const last = `(${exponent} - ${decimals} + strlen(${digits}) - strlen(rtrim(${digits}, '0')))`
  const sign = `CASE WHEN contains(${mantissa}, '-') THEN '-' ELSE '' END`
  return {
    significant: `strlen(${significant})`,
    last,
    /** The same text for all texts of one number. */
    normal: `CASE WHEN ${significant} = '' THEN '0' ELSE concat(${sign}, ${significant}, 'e', ${last}) END`,
  }
}
