import {
  spellBits,
  spellBlob,
  spellBoolean,
  spellDecimal,
  spellDouble,
  spellFloat,
  spellInteger,
} from './numbers.js'
import * as temporal from './temporal.js'
import type { DecimalType, Spelling } from './vector.js'

/** The types of columns. Engines convert their own types to these, and refuse those that are missing here. */
export type ColumnType =
  | { kind: ScalarKind }
  | DecimalType
  | { kind: 'list'; items: ColumnType }
  | { kind: 'array'; items: ColumnType }
  | { kind: 'struct'; fields: readonly StructField[] }
  | { kind: 'map'; key: ColumnType; value: ColumnType }
  | { kind: 'union'; members: readonly StructField[] }

/** The types of a kind. */
export type TypeOf<Of extends TypeKind> = Extract<ColumnType, { kind: Of }>

/** A field of a struct, or a member of a union; unnamed fields are numbered from 1. */
export interface StructField {
  name: string
  type: ColumnType
  /** Whether the number stands for a missing name. */
  isUnnamed?: boolean
}

/** A column of a result: its name as callers see it, which is unique in the result, and its type. */
export interface ResultColumn {
  name: string
  type: ColumnType
}

type NestedKind = 'list' | 'array' | 'struct' | 'map' | 'union'

/** What each format makes of a type. */
interface TypeForm {
  /** The text of a value; null when values are strings, whose text is their bytes, or nested. */
  spell: Spelling | null
  /**
   * `bare` as spelled, `number` in quotes if a JSON number cannot hold the value, `quoted` always in quotes,
   * `string` with escapes, `json` as it is once checked.
   */
  json: 'bare' | 'number' | 'quoted' | 'string' | 'json' | NestedKind
  /**
   * `any-text` may be, or hold, any text, and so a formula: what begins with a sign in another type is a
   * number.
   */
  csv: 'plain' | 'any-text' | 'json' | 'union'
  /** The cell of a workbook; `plain` needs no escaping, `digits` shows all of an integer's digits. */
  xlsx:
    | 'boolean'
    | 'number'
    | 'float'
    | 'digits'
    | 'decimal'
    | 'date'
    | 'timestamp'
    | 'time'
    | 'plain'
    | 'text'
    | 'json'
    | 'union'
  /**
   * `kept` as it is; `text` as {@link TEXT_FUNCTION} spells it; anything else has a conversion of its own.
   */
  parquet: 'kept' | 'text' | 'checked' | 'varchar' | 'bigint' | 'nanoseconds' | 'list' | 'struct' | 'map'
}

const number = { json: 'bare', csv: 'plain', xlsx: 'number', parquet: 'kept' } as const
const timestamp = { json: 'quoted', csv: 'plain', xlsx: 'timestamp', parquet: 'kept' } as const

/** The table of types: a type that it lacks does not compile. */
export const TYPES = {
  boolean: { spell: spellBoolean, json: 'bare', csv: 'plain', xlsx: 'boolean', parquet: 'kept' },
  tinyint: { spell: spellInteger, ...number },
  smallint: { spell: spellInteger, ...number },
  integer: { spell: spellInteger, ...number },
  utinyint: { spell: spellInteger, ...number },
  usmallint: { spell: spellInteger, ...number },
  uinteger: { spell: spellInteger, ...number },
  bigint: { spell: spellInteger, json: 'number', csv: 'plain', xlsx: 'digits', parquet: 'kept' },
  ubigint: { spell: spellInteger, json: 'number', csv: 'plain', xlsx: 'digits', parquet: 'kept' },
  hugeint: { spell: spellInteger, json: 'number', csv: 'plain', xlsx: 'digits', parquet: 'bigint' },
  uhugeint: { spell: spellInteger, json: 'number', csv: 'plain', xlsx: 'digits', parquet: 'bigint' },
  decimal: { spell: spellDecimal, json: 'number', csv: 'plain', xlsx: 'decimal', parquet: 'kept' },
  float: { spell: spellFloat, json: 'number', csv: 'plain', xlsx: 'float', parquet: 'kept' },
  double: { spell: spellDouble, json: 'number', csv: 'plain', xlsx: 'float', parquet: 'kept' },
  varchar: { spell: null, json: 'string', csv: 'any-text', xlsx: 'text', parquet: 'checked' },
  enum: { spell: null, json: 'string', csv: 'any-text', xlsx: 'text', parquet: 'varchar' },
  json: { spell: null, json: 'json', csv: 'json', xlsx: 'json', parquet: 'text' },
  uuid: { spell: String, json: 'quoted', csv: 'plain', xlsx: 'plain', parquet: 'varchar' },
  blob: { spell: spellBlob, json: 'quoted', csv: 'any-text', xlsx: 'text', parquet: 'kept' },
  bit: { spell: spellBits, json: 'quoted', csv: 'plain', xlsx: 'text', parquet: 'text' },
  date: { spell: temporal.spellDate, json: 'quoted', csv: 'plain', xlsx: 'date', parquet: 'kept' },
  time: { spell: temporal.spellTime, json: 'quoted', csv: 'plain', xlsx: 'time', parquet: 'kept' },
  time_ns: { spell: temporal.spellTimeNs, json: 'quoted', csv: 'plain', xlsx: 'time', parquet: 'kept' },
  time_tz: {
    spell: temporal.spellTimeWithZone,
    json: 'quoted',
    csv: 'plain',
    xlsx: 'plain',
    parquet: 'text',
  },
  timestamp: { spell: temporal.spellTimestamp, ...timestamp },
  timestamp_s: { spell: temporal.spellTimestampS, ...timestamp },
  timestamp_ms: { spell: temporal.spellTimestampMs, ...timestamp },
  timestamp_ns: { spell: temporal.spellTimestampNs, ...timestamp, parquet: 'nanoseconds' },
  timestamp_tz: { spell: temporal.spellInstant, ...timestamp },
  interval: { spell: temporal.spellInterval, json: 'quoted', csv: 'plain', xlsx: 'plain', parquet: 'text' },
  list: { spell: null, json: 'list', csv: 'any-text', xlsx: 'text', parquet: 'list' },
  array: { spell: null, json: 'array', csv: 'any-text', xlsx: 'text', parquet: 'list' },
  struct: { spell: null, json: 'struct', csv: 'any-text', xlsx: 'text', parquet: 'struct' },
  map: { spell: null, json: 'map', csv: 'any-text', xlsx: 'text', parquet: 'map' },
  union: { spell: null, json: 'union', csv: 'union', xlsx: 'union', parquet: 'text' },
} as const satisfies Record<string, TypeForm>

/** A kind of type. */
export type TypeKind = keyof typeof TYPES
/** Kinds of types that have no parameters. */
export type ScalarKind = Exclude<TypeKind, NestedKind | 'decimal'>

/** A type that a format cannot represent. The message completes “A result cannot hold …”. */
export class UnsupportedType extends Error {}

/** A value that no answer can hold; the message is for the caller. */
export class UnwritableValue extends Error {}

/** Name of the function that the engine's own SQL calls for the text of a value, see `parquet.ts`. */
export const TEXT_FUNCTION = 'foldgate_text'

/**
 * Names of columns as callers see them: a repeated name, in whatever case, gets `_1`, `_2` …
 *
 * @example
 * ```ts
 * uniqueNames(['site', 'Site']) // ['site', 'Site_1']
 * ```
 */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map(name => {
    let unique = name
    for (let count = 1; taken.has(unique.toLowerCase()); count++) unique = `${name}_${count}`
    taken.add(unique.toLowerCase())
    return unique
  })
}
