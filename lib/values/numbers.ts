import type { DecimalType, Integer, Slice } from './vector.js'

/**
 * How numbers and bytes are spelled. Decimal digits are DuckDB's: exponents have a sign and at least two
 * digits.
 */

/** Least absolute value without an exponent, and where exponents begin again. */
const [PLAIN_FROM, PLAIN_TO] = [1e-4, 1e16]
/** Digits that hold any FLOAT, and digits that any normal FLOAT holds. */
const [MOST_FLOAT_DIGITS, SAFE_FLOAT_DIGITS] = [9, 6]
/** Below it, a FLOAT is subnormal: the smaller, the fewer digits it holds. */
const LEAST_NORMAL_FLOAT = 2 ** -126
/** The largest decimal, without its point, that is a JSON number. */
export const LARGEST_EXACT = 999_999_999_999_999

export function spellBoolean(value: boolean): string {
  return value ? 'true' : 'false'
}

export function spellInteger(value: Integer): string {
  return `${value}`
}

/** `1.0`, `1e-05`, `NaN`, `-Infinity`. */
export function spellDouble(value: number): string {
  const size = Math.abs(value)
  if ((size >= PLAIN_FROM && size < PLAIN_TO) || size === 0) {
    if (!Number.isInteger(value)) return `${value}`
    return Object.is(value, -0) ? '-0.0' : `${value}.0`
  }
  if (!Number.isFinite(value)) return `${value}`
  return value.toExponential().replace(/([+-])(\d)$/, '$10$2')
}

/** The digits of a double that JSON has: exponents begin later, and are shorter. */
export function spellJsonDouble(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : `${value}`
}

/** The fewest digits that only this FLOAT has. */
export function spellFloat(value: number): string {
  if (!Number.isFinite(value) || value === 0) return spellDouble(value)
  const least = Math.abs(value) < LEAST_NORMAL_FLOAT ? 1 : SAFE_FLOAT_DIGITS
  for (let digits = least; digits < MOST_FLOAT_DIGITS; digits++) {
    const nearest = Number(value.toPrecision(digits))
    if (Math.fround(nearest) === value) return spellDouble(nearest)
    // The next FLOAT above a power of two is twice as far as the one below, so the nearest digits may belong
    // to that one.
    if (!Number.isInteger(Math.log2(Math.abs(value)))) continue
    const above = Number(nextDigits(value.toPrecision(digits)))
    if (Math.fround(above) === value) return spellDouble(above)
  }
  return spellDouble(Number(value.toPrecision(MOST_FLOAT_DIGITS)))
}

/** A number whose last digit is one higher, away from zero. */
function nextDigits(text: string): string {
  const [digits = '', exponent = '0'] = text.split('e')
  const fraction = digits.split('.')[1]?.length ?? 0
  const integer = BigInt(digits.replace('.', ''))
  return `${integer + (integer < 0n ? -1n : 1n)}e${Number(exponent) - fraction}`
}

/** Digits of a decimal, with at least one before the point. */
export function spellDecimal(value: Integer, { scale }: DecimalType): string {
  const digits = `${value}`
  if (scale === 0) return digits
  const isNegative = value < 0
  const padded = (isNegative ? digits.slice(1) : digits).padStart(scale + 1, '0')
  return `${isNegative ? '-' : ''}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

/** Whether a JSON number can hold the value of an integer, decimal, FLOAT or DOUBLE. */
export function isExact(kind: string, value: Integer): boolean {
  if (typeof value !== 'number') return false
  if (kind === 'float' || kind === 'double') return Number.isFinite(value)
  return kind !== 'decimal' || Math.abs(value) <= LARGEST_EXACT
}

/** Base64. */
export function spellBlob({ bytes, from, to }: Slice): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('base64')
}

/** Zeros and ones; the first byte says how many bits of the second do not count. */
export function spellBits({ bytes, from, to }: Slice): string {
  let bits = ''
  for (let at = from + 1; at < to; at++) bits += (bytes[at] as number).toString(2).padStart(8, '0')
  return bits.slice(bytes[from])
}
