import { isDate, isUint8Array } from 'node:util/types'
import { typeName } from '../catalogue/column-types.js'

/** Thrown for a value that cannot be stored in its column as it is; the message is what follows the column. */
export class Unstorable extends Error {}

const FLOATS = ['FLOAT', 'DOUBLE']
const INTEGERS = /^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/
const LIST = /\[\d*\]$/
const DAY_MS = 86_400_000

/**
 * Returns a function that spells the values of a column other than NULL as the engine reads them when it casts a
 * VARCHAR to this type, in SQL.
 */
export function speller(type: string): (value: unknown) => string {
  const list = LIST.exec(type)?.[0]
  if (list !== undefined) return listSpeller(type.slice(0, -list.length))
  const name = typeName(type)
  if (FLOATS.includes(name)) return spellScalar
  if (INTEGERS.test(name)) return spellInteger
  if (name === 'JSON') return spellJson
  if (name === 'BLOB') return value => (isUint8Array(value) ? spellBytes(value) : spellExact(value))
  if (name === 'DATE') return value => (isDate(value) ? spellDay(value) : spellExact(value))
  if (name === 'TIME')
    return value => (isDate(value) ? refuse('is a Date: write the time as text') : spellExact(value))
  return spellExact
}

/** Spells a string, a boolean, a number or a Date. */
export function spellScalar(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return wellFormed(value)
    case 'number':
      return Object.is(value, -0) ? '-0' : `${value}`
    case 'boolean':
    case 'bigint':
      return `${value}`
    default:
      if (isDate(value)) return spellDate(value)
      return refuse(`is ${kindOf(value)}, which has no text for this column`)
  }
}

/** Spells a scalar for a column that holds no NaN and no infinity. */
function spellExact(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    refuse(`is ${value}: use a column of the type DOUBLE`)
  return spellScalar(value)
}

/** The engine would round a fraction. */
function spellInteger(value: unknown): string {
  if (typeof value !== 'number') return spellScalar(value)
  if (!Number.isInteger(value)) refuse('is not a whole number: round it, or use a column of the type DOUBLE')
  return Math.abs(value) < 1e21 ? `${value}` : `${BigInt(value)}`
}

/**
 * Spells an instant as ISO 8601 with the offset Z: a type without a time zone holds it in UTC. The engine reads
 * years as ECMAScript writes them, without a plus.
 */
export function spellDate(value: Date): string {
  if (Number.isNaN(value.getTime())) refuse('is an invalid Date')
  return value.toISOString().replace('+', '')
}

/** The engine would drop the time. A driver that reads days as local midnights gives the day before in some zones. */
function spellDay(value: Date): string {
  const text = spellDate(value)
  if (value.getTime() % DAY_MS !== 0) refuse('is a Date that is not a midnight of UTC: write the day as text')
  return text.slice(0, text.indexOf('T'))
}

const BYTES = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return /[0-9A-Za-z]/.test(character) ? character : `\\x${byte.toString(16).padStart(2, '0')}`
})

/** Spells bytes as the engine reads a BLOB: bytes that are no letters or digits as `\xAA`. */
export function spellBytes(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += BYTES[byte]
  return text
}

/** Spells arrays and objects as JSON; a string is JSON already, as in a file. */
export function spellJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || isDate(value) || isUint8Array(value))
    return spellExact(value)
  try {
    return JSON.stringify(value, strict) ?? refuse('has no JSON')
  } catch (cause) {
    if (cause instanceof Unstorable) throw cause
    return refuse(`has no JSON: ${(cause as Error).message.split('\n')[0]}`)
  }
}

/** Refuses what JSON.stringify would write as null, leave out or empty. */
function strict(_: string, value: unknown): unknown {
  const isLost =
    (typeof value === 'number' && !Number.isFinite(value)) ||
    ['bigint', 'function', 'symbol'].includes(typeof value)
  if (isLost || (typeof value === 'object' && value !== null && !Array.isArray(value) && !isPlain(value)))
    refuse(`holds ${typeof value === 'number' ? value : kindOf(value)}, which JSON has not`)
  return typeof value === 'string' ? wellFormed(value) : value
}

function listSpeller(element: string, isWithin = false): (value: unknown) => string {
  if (typeName(element) === 'JSON') return () => refuse('is of a list of JSON: let the whole column be JSON')
  const inner = LIST.exec(element)?.[0]
  const spell = inner === undefined ? speller(element) : listSpeller(element.slice(0, -inner.length), true)
  const quote = isWithin ? quotedWithin : quotedElement
  return value => {
    if (typeof value === 'string' && !isWithin) return spellScalar(value)
    if (!Array.isArray(value)) return refuse(`is ${kindOf(value)}: a list is an array`)
    const elements = value.map(each => {
      if (each === null || each === undefined) return 'NULL'
      return inner === undefined ? quote(spell(each)) : spell(each)
    })
    return `[${elements.join(', ')}]`
  }
}

function quotedElement(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** An element of a list within a list, for whose end the engine looks without regard to quotes. */
function quotedWithin(text: string): string {
  if (/["\\[\]]/.test(text))
    refuse('is a list of lists with quotes, brackets or backslashes: let the column be JSON')
  return `"${text}"`
}

function wellFormed(text: string): string {
  if (!(text as string & { isWellFormed(): boolean }).isWellFormed())
    refuse('holds half of a surrogate pair, which UTF-8 has not')
  return text
}

/** Whether a value is an object as literals make them. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** What a value is, with an article. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return `${value}`
  if (typeof value !== 'object') return `a ${typeof value}`
  if (Array.isArray(value)) return 'an array'
  if (isUint8Array(value)) return 'bytes'
  if (isDate(value)) return 'a Date'
  return isPlain(value) ? 'an object' : `an object of the class ${value.constructor?.name ?? '?'}`
}

function refuse(message: string): never {
  throw new Unstorable(message)
}
