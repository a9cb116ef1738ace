import { spellFloat } from './numbers.js'
import { type ParameterKind, typeText } from './parameter-types.js'
import * as temporal from './read-temporal.js'
import { Unfit } from './unfit.js'
import type { DecimalType, Interval, TimeWithZone } from './vector.js'

/**
 * A scalar that was sent: BOOLEAN is a boolean; integers of up to 32 bits, FLOAT, DOUBLE and DATE (days since
 * 1970) are numbers; other integers, DECIMAL (to be divided by 10 to the power of the scale), times without a
 * zone, and timestamps (since 1970, in the unit of the type) are bigints; strings, UUID (in lower case) and
 * BIT (zeros and ones) are strings; a BLOB is its bytes.
 */
export type ScalarValue = boolean | number | bigint | string | Uint8Array | Interval | TimeWithZone

/** What the values of a type must be, as callers are told, and how one is read. */
interface Readable {
  expected: string
  read(sent: unknown): ScalarValue
}

/** Integers that JSON numbers cannot tell from their neighbours. */
const SAFE = '9007199254740991'
/** Half of a surrogate pair, which UTF-8 does not have. */
const HALF = /\p{Surrogate}/u
const INTEGER = /^-?(?:0|[1-9]\d{0,38})$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Digits of a decimal, as a string or as a JSON number has them. */
const DECIMAL = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/
const DECIMAL_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/
/** Most digits of a decimal that a JSON number tells from its neighbours. */
const EXACT_DIGITS = 15
const NOT_IN_JSON = new Map([NaN, Infinity, -Infinity].map(value => [`${value}`, value]))

const signed = (bits: number) => [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n] as const
const unsigned = (bits: number) => [0n, 2n ** BigInt(bits) - 1n] as const

const SCALARS: Readonly<Record<ParameterKind, Readable>> = {
  boolean: {
    expected: 'a BOOLEAN: true or false',
    read: sent => (typeof sent === 'boolean' ? sent : misfit()),
  },
  tinyint: integer('a TINYINT', signed(8)),
  smallint: integer('a SMALLINT', signed(16)),
  integer: integer('an INTEGER', signed(32)),
  bigint: integer('a BIGINT', signed(64)),
  hugeint: integer('a HUGEINT', signed(128)),
  utinyint: integer('a UTINYINT', unsigned(8)),
  usmallint: integer('a USMALLINT', unsigned(16)),
  uinteger: integer('a UINTEGER', unsigned(32)),
  ubigint: integer('a UBIGINT', unsigned(64)),
  uhugeint: integer('a UHUGEINT', unsigned(128)),
  float: {
    expected:
      'a FLOAT: a number that it holds without loss, such as 0.1, or "NaN", "Infinity" or "-Infinity"; a DOUBLE holds more digits',
    read: readFloat,
  },
  double: { expected: 'a DOUBLE: a number, "NaN", "Infinity" or "-Infinity"', read: readDouble },
  varchar: {
    expected: 'a VARCHAR: a string without half of a surrogate pair',
    read: sent => (HALF.test(textOf(sent)) ? misfit() : textOf(sent)),
  },
  uuid: {
    expected: 'a UUID, such as "f47ac10b-58cc-4372-a567-0e02b2c3d479"',
    read: sent => (UUID.test(textOf(sent)) ? textOf(sent).toLowerCase() : misfit()),
  },
  blob: { expected: 'a BLOB in base64 as rows have it, such as "AP8="', read: readBlob },
  bit: {
    expected: 'a BIT as rows have it, such as "0101"',
    read: sent => (/^[01]+$/.test(textOf(sent)) ? textOf(sent) : misfit()),
  },
  date: spelled('a DATE', '2026-11-20', temporal.readDate),
  time: spelled('a TIME', '01:02:03.456', text => temporal.readTime(text, 6)),
  time_ns: spelled('a TIME_NS', '01:02:03.456', text => temporal.readTime(text, 9)),
  time_tz: spelled('a TIME WITH TIME ZONE', '01:02:03+02:00', temporal.readTimeWithZone),
  timestamp: timestamp('TIMESTAMP', 6),
  timestamp_s: timestamp('TIMESTAMP_S', 0),
  timestamp_ms: timestamp('TIMESTAMP_MS', 3),
  timestamp_ns: timestamp('TIMESTAMP_NS', 9),
  timestamp_tz: spelled('a TIMESTAMP WITH TIME ZONE', '2026-11-20T01:02:03Z', temporal.readInstant),
  interval: spelled('an INTERVAL', 'P1M2DT3.5S', temporal.readInterval),
}

/** What the values of a scalar type must be; completes “… must be”. */
export function expectedOf(type: { kind: ParameterKind } | DecimalType): string {
  if (type.kind !== 'decimal') return SCALARS[type.kind].expected
  const { width, scale } = type
  const digits = `at most ${width - scale} digits before the point and ${scale} after it`
  return `a ${typeText(type)}: a number of ${digits}, as a string when it has more than ${EXACT_DIGITS} digits`
}

/** Reads a scalar in the form in which rows have it, without loss. Throws {@link Unfit}. */
export function readScalar(sent: unknown, type: { kind: ParameterKind } | DecimalType): ScalarValue {
  return type.kind === 'decimal' ? readDecimal(sent, type) : SCALARS[type.kind].read(sent)
}

function misfit(): never {
  throw new Unfit()
}

function textOf(sent: unknown): string {
  return typeof sent === 'string' ? sent : misfit()
}

function spelled(name: string, example: string, read: (text: string) => ScalarValue): Readable {
  return { expected: `${name} as rows have it, such as "${example}"`, read: sent => read(textOf(sent)) }
}

function timestamp(name: string, digits: 0 | 3 | 6 | 9): Readable {
  const example = digits === 0 ? '2026-11-20T01:02:03' : '2026-11-20T01:02:03.456'
  return spelled(`a ${name}`, example, text => temporal.readTimestamp(text, digits))
}

/** Integers, which strings of digits may be, too: a number beyond ±(2^53 − 1) may have been another one. */
function integer(name: string, [least, most]: readonly [bigint, bigint]): Readable {
  const isSmall = most <= 0xffff_ffffn
  const asText = isSmall ? '' : `; beyond ±${SAFE}, its digits as a string`
  return {
    expected: `${name}: a whole number from ${least} to ${most}${asText}`,
    read(sent) {
      const isExact = typeof sent === 'number' ? Number.isSafeInteger(sent) : INTEGER.test(textOf(sent))
      if (!isExact) misfit()
      const value = BigInt(sent as number | string)
      if (value < least || value > most) misfit()
      return isSmall ? Number(value) : value
    },
  }
}

function readDouble(sent: unknown): number {
  if (typeof sent === 'number' && Number.isFinite(sent)) return sent
  return NOT_IN_JSON.get(textOf(sent)) ?? misfit()
}

/** A FLOAT, by its shortest digits or by all of them. */
function readFloat(sent: unknown): number {
  const [value, float] = [readDouble(sent), Math.fround(readDouble(sent))]
  if (!Number.isFinite(value)) return value
  if (!Number.isFinite(float) || (float !== value && Number(spellFloat(float)) !== value)) misfit()
  return float
}

function readDecimal(sent: unknown, { width, scale }: DecimalType): bigint {
  const isNumber = typeof sent === 'number'
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    (isNumber ? DECIMAL_NUMBER.exec(`${sent}`) : DECIMAL.exec(textOf(sent))) ?? misfit()
  const digits = `${whole}${fraction}`.replace(/0+$/, '')
  if (isNumber && digits.replace(/^0+/, '').length > EXACT_DIGITS) misfit()
  const zeros = scale + Number(exponent) - fraction.length + (whole.length + fraction.length - digits.length)
  if (digits.replace(/^0+/, '') === '') return 0n
  if (zeros < 0 || zeros > width) misfit()
  const size = BigInt(digits) * 10n ** BigInt(zeros)
  if (size >= 10n ** BigInt(width)) misfit()
  return sign === '-' ? -size : size
}

/** Base64 in the only form that these bytes have. */
function readBlob(sent: unknown): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(textOf(sent), 'base64'))
  return Buffer.from(bytes).toString('base64') === sent ? bytes : misfit()
}
