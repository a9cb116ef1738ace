import * as s from 'superstruct'
import { AnalyticsError } from './errors.js'
import type { Warning } from './model.js'

type Struct = s.Struct<unknown, unknown>

/** JSON Schema of a value, as far as params need it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** One description of a value: what checks it and what documents it. */
export interface Schema<Value> {
  readonly struct: Struct
  /** Carries the type alone; no schema has it. */
  readonly value?: Value
  readonly json: JsonSchema
  /** Fields of an object; a value without them has none that could be unread. */
  readonly fields?: Readonly<Record<string, Schema<unknown>>>
  /** How a text is read before it is checked; the checker's own coercion makes an error for each value left alone. */
  readonly read?: (text: string) => string
}

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/

/** A UUID in any case; it is read in lower case. The pattern is there for checkers whose `uuid` takes more than that. */
export function uuid(description: string): Schema<string> {
  const json = { type: 'string', format: 'uuid', pattern: UUID.source, description }
  return { struct: s.pattern(s.string(), UUID) as unknown as Struct, json, read: text => text.toLowerCase() }
}

export function text(description: string): Schema<string> {
  return { struct: s.string() as unknown as Struct, json: { type: 'string', description } }
}

export function integer(minimum: number, maximum: number, description: string): Schema<number> {
  const struct = s.max(s.min(s.integer(), minimum), maximum) as unknown as Struct
  return { struct, json: { type: 'integer', minimum, maximum, description } }
}

export function choice<Value extends string>(values: readonly Value[], description: string): Schema<Value> {
  const struct = s.enums(values as [Value, ...Value[]]) as unknown as Struct
  return { struct, json: { type: 'string', enum: values, description } }
}

/** A value or null; `description` says what the value of a {@link named} schema is for here. */
export function nullable<Value>(schema: Schema<Value>, description?: string): Schema<Value | null> {
  const { title, type, enum: values } = schema.json
  const json = title
    ? { anyOf: [schema.json, { type: 'null' }], ...(description ? { description } : {}) }
    : { ...schema.json, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
  return { ...bare(schema), struct: s.nullable(schema.struct) as Struct, json }
}

/** The same schema under a name, by which documents describe it once and refer to it. */
export function named<Value>(title: string, schema: Schema<Value>): Schema<Value> {
  return { ...schema, json: { title, ...schema.json } }
}

/** JSON Schema of an object that the service sends: every member but the `optional` ones, and no other. */
export function sent(
  title: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter(name => !optional.includes(name))
  return {
    title,
    type: 'object',
    description,
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

/** A schema without the type that it carried. */
function bare({ struct, json, fields, read }: Schema<unknown>): Schema<never> {
  return { struct, json, ...(fields ? { fields } : {}), ...(read ? { read } : {}) }
}

/** A field that may be left out. */
export interface Optional<Value> extends Schema<Value | undefined> {
  readonly optional: true
}

/** A value that may be left out; `fallback` is what it then counts as, for readers of the schema. */
export function optional<Value>(schema: Schema<Value>, fallback?: unknown): Optional<Value> {
  const json = fallback === undefined ? schema.json : { ...schema.json, default: fallback }
  return { ...bare(schema), struct: s.optional(schema.struct) as Struct, json, optional: true }
}

type Fields = Readonly<Record<string, Schema<unknown>>>
type Read<Shape extends Fields> = { [Key in keyof Shape]: Shape[Key] extends Schema<infer Value> ? Value : never }

export function object<Shape extends Fields>(fields: Shape, description: string): Schema<Read<Shape>> {
  const structs: Record<string, Struct> = {}
  const properties: Record<string, JsonSchema> = {}
  for (const [name, schema] of Object.entries(fields)) {
    structs[name] = schema.struct
    properties[name] = schema.json
  }
  const required = Object.keys(fields).filter(name => !('optional' in (fields[name] as object)))
  return {
    struct: s.object(structs as never) as unknown as Struct,
    json: { type: 'object', description, properties, ...(required.length > 0 ? { required } : {}) },
    fields,
  }
}

/** Params as a method reads them, and a warning for each field that it does not read. */
export function readParams<Value>(schema: Schema<Value>, params: unknown): { params: Value; warnings: Warning[] } {
  const warnings: Warning[] = []
  const known = knownFields(schema, params, '', warnings)
  const [failure, value] = s.validate(known, schema.struct)
  if (!failure) return { params: value as Value, warnings }
  const path = failure.path.join('.')
  const expected = describe(schema, failure.path)
  const message = path === '' ? `The params must be ${expected}.` : `The field "${path}" must be ${expected}.`
  throw new AnalyticsError('INVALID_PARAMS', message, { data: { path, ...(warnings.length > 0 ? { warnings } : {}) } })
}

/** What a list stands as, and an object where none belongs: no schema takes it. */
const REFUSED: readonly never[] = []

/** The value without unread fields; the checker prints what it refuses, so strangers' lists and objects do not reach it. */
function knownFields(schema: Schema<unknown>, value: unknown, path: string, warnings: Warning[]): unknown {
  if (typeof value === 'string' && schema.read) return schema.read(value)
  if (value === null || typeof value !== 'object') return value
  if (!schema.fields || Array.isArray(value)) return REFUSED
  const known: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined
    const memberPath = path === '' ? name : `${path}.${name}`
    if (field) known[name] = knownFields(field, member, memberPath, warnings)
    else warnOf(memberPath, warnings)
  }
  return known
}

/** Warns of a field that is not read: of the first ones by name, of the others by their number. */
function warnOf(path: string, warnings: Warning[]): void {
  if (warnings.length < MOST_WARNINGS) {
    warnings.push({ path: clip(path), message: UNREAD })
    return
  }
  const last = warnings.at(-1) as Warning
  const others = Number(/\d+/.exec(last.message)?.[0] ?? 0) + 1
  last.message = `The method does not read this field, nor ${others} more.`
}

function clip(path: string): string {
  return path.length > MOST_PATH ? `${path.slice(0, MOST_PATH)}…` : path
}

const UNREAD = 'The method does not read this field.'
/** A body of a megabyte has a hundred thousand fields. */
const MOST_WARNINGS = 500
const MOST_PATH = 256

/** What a field must be, in words; values of callers are never repeated. */
function describe(schema: Schema<unknown>, path: readonly unknown[]): string {
  const target = path.reduce<Schema<unknown> | undefined>((at, key) => at?.fields?.[String(key)], schema)
  const either = target?.json.anyOf as [JsonSchema, JsonSchema] | undefined
  const json = either?.[0] ?? target?.json ?? {}
  const types = [json.type].flat()
  const orNull = either || types.includes('null') ? ' or null' : ''
  const values = ((json.enum ?? []) as (string | null)[]).filter(value => value !== null)
  if (values.length > 0) return values.map(value => `"${value}"`).join(' or ') + orNull
  if (json.format === 'uuid') return `a UUID${orNull}`
  if (types.includes('integer')) return `a whole number from ${json.minimum} to ${json.maximum}${orNull}`
  if (types.includes('object')) return `an object${orNull}`
  return `a text${orNull}`
}
