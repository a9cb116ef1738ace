import { nearest } from './nearest.js'
import type { DecimalType } from './vector.js'

/** Kinds of scalars that callers can send; the values of the other two are sent as VARCHAR. */
export type ParameterKind =
  | 'boolean'
  | 'tinyint'
  | 'smallint'
  | 'integer'
  | 'bigint'
  | 'hugeint'
  | 'utinyint'
  | 'usmallint'
  | 'uinteger'
  | 'ubigint'
  | 'uhugeint'
  | 'float'
  | 'double'
  | 'varchar'
  | 'uuid'
  | 'blob'
  | 'bit'
  | 'date'
  | 'time'
  | 'time_ns'
  | 'time_tz'
  | 'timestamp'
  | 'timestamp_s'
  | 'timestamp_ms'
  | 'timestamp_ns'
  | 'timestamp_tz'
  | 'interval'

/** The type of a value that a caller sends. */
export type ParameterType = PlainType | DecimalType | ListType

/** A scalar type without arguments. */
export interface PlainType {
  /** Which one. */
  kind: ParameterKind
}

/** A list. */
export interface ListType {
  /** Tells it from scalars. */
  kind: 'list'
  /** Type of its items. */
  items: ParameterType
}

/** Most lists around a value, as in rows. */
const MOST_LISTS = 8
/** The most digits of a DECIMAL. */
const MOST_DIGITS = 38
/** The longest type that is parsed, in characters. */
const LONGEST_TYPE = 100
/** What DuckDB takes DECIMAL for; with a width alone, the scale is 0. */
const [PLAIN_WIDTH, PLAIN_SCALE] = [18, 3]

/** The name of each type in SQL, as DESCRIBE writes it. */
const NAMES: Readonly<Record<ParameterKind, string>> = {
  boolean: 'BOOLEAN',
  tinyint: 'TINYINT',
  smallint: 'SMALLINT',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  hugeint: 'HUGEINT',
  utinyint: 'UTINYINT',
  usmallint: 'USMALLINT',
  uinteger: 'UINTEGER',
  ubigint: 'UBIGINT',
  uhugeint: 'UHUGEINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  varchar: 'VARCHAR',
  uuid: 'UUID',
  blob: 'BLOB',
  bit: 'BIT',
  date: 'DATE',
  time: 'TIME',
  time_ns: 'TIME_NS',
  time_tz: 'TIME WITH TIME ZONE',
  timestamp: 'TIMESTAMP',
  timestamp_s: 'TIMESTAMP_S',
  timestamp_ms: 'TIMESTAMP_MS',
  timestamp_ns: 'TIMESTAMP_NS',
  timestamp_tz: 'TIMESTAMP WITH TIME ZONE',
  interval: 'INTERVAL',
}

/** Other names of types in DuckDB. */
const ALIASES: Readonly<Partial<Record<ParameterKind, string>>> = {
  boolean: 'BOOL LOGICAL',
  tinyint: 'INT1',
  smallint: 'INT2 INT16 SHORT',
  integer: 'INT INT4 INT32 INTEGRAL SIGNED',
  bigint: 'INT8 INT64 LONG OID',
  hugeint: 'INT128',
  utinyint: 'UINT8',
  usmallint: 'UINT16',
  uinteger: 'UINT32',
  ubigint: 'UINT64',
  uhugeint: 'UINT128',
  float: 'REAL FLOAT4',
  double: 'FLOAT8',
  varchar: 'TEXT STRING CHAR BPCHAR NVARCHAR',
  uuid: 'GUID',
  blob: 'BYTEA BINARY VARBINARY',
  bit: 'BITSTRING',
  time_tz: 'TIMETZ',
  timestamp: 'DATETIME TIMESTAMP_US',
  timestamp_tz: 'TIMESTAMPTZ',
}
const DECIMALS = ['DECIMAL', 'NUMERIC', 'DEC']

const KINDS: ReadonlyMap<string, ParameterKind> = new Map([
  ...Object.entries(NAMES).flatMap(([kind, name]) =>
    [name, ...(ALIASES[kind as ParameterKind]?.split(' ') ?? [])].map(
      each => [each, kind as ParameterKind] as const,
    ),
  ),
  ['DOUBLE PRECISION', 'double'],
  ['CHARACTER VARYING', 'varchar'],
  ['TIME WITHOUT TIME ZONE', 'time'],
  ['TIMESTAMP WITHOUT TIME ZONE', 'timestamp'],
])

/** Types of rows whose values are sent as VARCHAR, and what the statement makes of them. */
const SENT_AS_TEXT: Readonly<Record<string, string>> = {
  ENUM: 'Send a value of an ENUM as VARCHAR: the two compare.',
  JSON: 'Send JSON as VARCHAR, and write CAST($name AS JSON) in the statement.',
}

/** A type that no value can have; the message tells callers what to write, as whole sentences. */
export class UnknownType extends Error {}

/**
 * Reads the name of a type, in any case: a scalar type by its name in DuckDB or an alias, `DECIMAL(10,2)`, or
 * a list (`VARCHAR[]`). Throws {@link UnknownType}.
 */
export function parseType(text: string): ParameterType {
  if (text.length > LONGEST_TYPE) throw new UnknownType(KNOWN)
  let name = text.trim().replace(/\s+/g, ' ').toUpperCase()
  let lists = 0
  for (; /\[ ?\]$/.test(name); lists++) name = name.replace(/ ?\[ ?\]$/, '')
  if (lists > MOST_LISTS) throw new UnknownType(`At most ${MOST_LISTS} lists can be nested.`)
  let type = parseScalar(name)
  for (; lists > 0; lists--) type = { kind: 'list', items: type }
  return type
}

function parseScalar(name: string): ParameterType {
  const kind = KINDS.get(name)
  if (kind) return { kind }
  const [, base = name, modifiers] = /^(\w+) ?\(([^()]*)\)$/.exec(name) ?? []
  if (DECIMALS.includes(base)) return decimalType(modifiers)
  throw new UnknownType(hintFor(name, base))
}

function decimalType(modifiers: string | undefined): DecimalType {
  if (modifiers === undefined) return { kind: 'decimal', width: PLAIN_WIDTH, scale: PLAIN_SCALE }
  const [, width, scale = '0'] = /^ ?(\d{1,2}) ?(?:, ?(\d{1,2}) ?)?$/.exec(modifiers) ?? []
  const type = { kind: 'decimal', width: Number(width), scale: Number(scale) } as const
  if (!(type.width >= 1 && type.width <= MOST_DIGITS && type.scale <= type.width))
    throw new UnknownType(
      `Write DECIMAL(width,scale), with a width of 1 to ${MOST_DIGITS} digits and a scale of at most the width.`,
    )
  return type
}

const KNOWN = `Types are ${Object.values(NAMES).join(', ')} and DECIMAL(18,3); a list is written as VARCHAR[].`

/** What to write instead of a type that is not known. */
function hintFor(name: string, base: string): string {
  const asText = SENT_AS_TEXT[base]
  if (asText) return asText
  if (/^(?:STRUCT|ROW|MAP|UNION)\b/.test(name))
    return 'Values of nested types other than lists cannot be sent.'
  const array = /^(.+?) ?\[ ?\d+ ?\]/.exec(name)
  if (array) return 'A list is written without a length, as VARCHAR[].'
  const kind = KINDS.get(base)
  if (kind) return `Write ${NAMES[kind]} without a length or precision.`
  const near = nearest(
    base,
    [...KINDS.keys(), ...DECIMALS].map(each => each.toLowerCase()),
  )
  return near ? `Did you mean ${near.toUpperCase()}?` : KNOWN
}

/** A type as DESCRIBE writes it: `TIMESTAMP WITH TIME ZONE[]`. */
export function typeText(type: ParameterType): string {
  if (type.kind === 'list') return `${typeText(type.items)}[]`
  return type.kind === 'decimal' ? `DECIMAL(${type.width},${type.scale})` : NAMES[type.kind]
}
