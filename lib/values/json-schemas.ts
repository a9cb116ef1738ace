import type { JsonSchema } from '../json-schema.js'
import { type ParameterKind, type ParameterType, parseType, UnknownType } from './parameter-types.js'

/** Most digits that a JSON number holds exactly. */
const EXACT_DIGITS = 15

const TEXT: JsonSchema = { type: 'string' }
const integer = (minimum: number, maximum: number): JsonSchema => ({ type: 'integer', minimum, maximum })

/** For generators of code, whose integers would otherwise be of 32 bits. */
const LONG = { format: 'int64' }

// Alternatives are written with oneOf: some generators make an empty type of anyOf.
const WIDE_INTEGER: JsonSchema = {
  title: 'WideInteger',
  oneOf: [
    { type: 'integer', ...LONG },
    { type: 'string', pattern: '^-?[0-9]+$' },
  ],
  description: 'A whole number; beyond 2^53 a string of its digits.',
}
const WIDE_DECIMAL: JsonSchema = {
  title: 'WideDecimal',
  oneOf: [{ type: 'number' }, { type: 'string', pattern: '^-?[0-9]+([.][0-9]+)?$' }],
  description: 'A number; of more than 15 digits a string of them.',
}
const FLOATING: JsonSchema = {
  title: 'FloatingNumber',
  oneOf: [{ type: 'number' }, { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] }],
  description: 'A number, or one that JSON has no number for.',
}

/** Schema of the values of each type, and one of them. */
const KINDS: Readonly<Record<ParameterKind, readonly [JsonSchema, unknown]>> = {
  boolean: [{ type: 'boolean' }, true],
  tinyint: [integer(-128, 127), 1],
  smallint: [integer(-32_768, 32_767), 1],
  integer: [integer(-2_147_483_648, 2_147_483_647), 1],
  bigint: [WIDE_INTEGER, 1],
  hugeint: [WIDE_INTEGER, 1],
  utinyint: [integer(0, 255), 1],
  usmallint: [integer(0, 65_535), 1],
  uinteger: [{ ...integer(0, 4_294_967_295), ...LONG }, 1],
  ubigint: [WIDE_INTEGER, 1],
  uhugeint: [WIDE_INTEGER, 1],
  float: [FLOATING, 0.5],
  double: [FLOATING, 0.5],
  varchar: [TEXT, 'text'],
  uuid: [{ type: 'string', format: 'uuid' }, 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
  // Without a format of JSON Schema: dates may be infinite, or of years beyond 9999.
  blob: [TEXT, 'AP8='],
  bit: [TEXT, '0101'],
  date: [TEXT, '2026-11-20'],
  time: [TEXT, '01:02:03'],
  time_ns: [TEXT, '01:02:03'],
  time_tz: [TEXT, '01:02:03+02:00'],
  timestamp: [TEXT, '2026-11-20T01:02:03'],
  timestamp_s: [TEXT, '2026-11-20T01:02:03'],
  timestamp_ms: [TEXT, '2026-11-20T01:02:03'],
  timestamp_ns: [TEXT, '2026-11-20T01:02:03'],
  timestamp_tz: [TEXT, '2026-11-20T01:02:03Z'],
  interval: [TEXT, 'P1D'],
}

/** JSON Schema of the values of an SQL type other than NULL, as rows have them; any value for other nested types. */
export function schemaOfValues(type: string): JsonSchema {
  try {
    return schemaOf(parseType(type))
  } catch (cause) {
    if (cause instanceof UnknownType) return /^ENUM\b/i.test(type) ? TEXT : {}
    throw cause
  }
}

function schemaOf(type: ParameterType): JsonSchema {
  if (type.kind === 'list') {
    const items = schemaOf(type.items)
    return { type: 'array', items: { anyOf: [items, { type: 'null' }] } }
  }
  if (type.kind !== 'decimal') return KINDS[type.kind][0]
  return type.width <= EXACT_DIGITS ? { type: 'number' } : WIDE_DECIMAL
}

/** A value of the type, other than NULL, as an example. */
export function exampleOf(type: string): unknown {
  const parsed = parseType(type)
  return parsed.kind === 'list' ? [] : parsed.kind === 'decimal' ? 1 : KINDS[parsed.kind][1]
}
