import { UnsupportedType } from 'foldgate/internal'
import {
  AmbiguousTime,
  isoDate,
  isoInstant,
  isoMonths,
  isoSeconds,
  isoTimestamp,
  trimFraction,
} from './temporal.js'
import { elements, fields, type TrinoColumn, type TypeSignature, typeName } from './type-signatures.js'

/** Writes a value of Trino's protocol as the JSON of the contract. */
export type WriteJson = (value: unknown) => string

/** A value that a result cannot hold, with what to write instead. */
export class UnsupportedValue extends Error {}

/** The writer of a type's values. Throws {@link UnsupportedType} for a type that no result can hold. */
export function jsonWriter(type: TypeSignature): WriteJson {
  const write = writerOf(type)
  return value => (value === null ? 'null' : write(value))
}

const quoted = (value: unknown) => JSON.stringify(value)
const float = (value: unknown) => (Object.is(value, -0) ? '-0.0' : JSON.stringify(value))
const asIs = (value: unknown) => String(value)
const text = (convert: (text: string) => string) => (value: unknown) => `"${convert(String(value))}"`

/** Types whose values Trino writes as the contract wants them, or as a string that needs no escaping. */
const SCALARS: Readonly<Record<string, WriteJson>> = {
  unknown: () => 'null',
  boolean: asIs,
  tinyint: asIs,
  smallint: asIs,
  integer: asIs,
  bigint: value => (Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER ? String(value) : `"${value}"`),
  real: float,
  double: float,
  decimal: value => (isExact(String(value)) ? String(value) : `"${value}"`),
  varchar: quoted,
  char: quoted,
  varbinary: quoted,
  uuid: quoted,
  ipaddress: quoted,
  json: value => String(value).replace(/[\r\n]/g, ' '),
  date: text(isoDate),
  time: text(trimFraction),
  'time with time zone': text(trimFraction),
  timestamp: text(isoTimestamp),
  'timestamp with time zone': text(instant),
  'interval year to month': text(isoMonths),
  'interval day to second': text(isoSeconds),
}

function instant(value: string): string {
  try {
    return isoInstant(value)
  } catch (cause) {
    if (!(cause instanceof AmbiguousTime) && !(cause instanceof RangeError)) throw cause
    throw new UnsupportedValue(`The time ${value} is not certain in UTC. Convert it: … AT TIME ZONE 'UTC'.`)
  }
}

const SAFE_DIGITS = 15

/** Whether a double holds the digits of a decimal. */
function isExact(digits: string): boolean {
  return digits.length <= SAFE_DIGITS || digits.replace(/[-.]/g, '').replace(/^0+/, '').length <= SAFE_DIGITS
}

function writerOf(type: TypeSignature): WriteJson {
  const scalar = SCALARS[type.rawType]
  if (scalar) return scalar
  switch (type.rawType) {
    case 'array':
      return arrayOf(jsonWriter(elements(type)[0] as TypeSignature))
    case 'row':
      return rowWriter(fields(type)) as WriteJson
    case 'map':
      return mapOf(elements(type) as [TypeSignature, TypeSignature])
    default:
      throw new UnsupportedType(`values of type ${typeName(type)}`)
  }
}

function arrayOf(write: WriteJson): WriteJson {
  return value => `[${(value as unknown[]).map(write).join(',')}]`
}

/** Writes rows with these columns, each as one JSON object. */
export function rowWriter(columns: readonly TrinoColumn[]): (row: readonly unknown[]) => string {
  const members = columns.map(({ name, type }) => ({
    key: `${JSON.stringify(name)}:`,
    write: jsonWriter(type),
  }))
  return row => `{${members.map(({ key, write }, index) => key + write(row[index])).join(',')}}`
}

/** Trino writes every map as an object, with the text of each key. */
function mapOf([key, value]: [TypeSignature, TypeSignature]): WriteJson {
  const write = jsonWriter(value)
  const entries = (map: unknown) => Object.entries(map as Record<string, unknown>)
  if (key.rawType === 'varchar' || key.rawType === 'char')
    return map => `{${entries(map).map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)}}`
  // The text of a nested key has no quotes: ['a, b'] and ['a', 'b'] would be the same.
  if (!SCALARS[key.rawType]) throw new UnsupportedType(`maps with keys of type ${typeName(key)}`)
  const writeKey = writerOf(key)
  const read = NUMBERS.has(key.rawType) ? numberOf : asIs
  return map =>
    `[${entries(map).map(([name, member]) => `{"key":${writeKey(read(name))},"value":${write(member)}}`)}]`
}

const NUMBERS = new Set(['real', 'double'])

/** A number from its text, unless JSON has none for it: `NaN`, `Infinity`. */
function numberOf(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}
