import * as s from 'superstruct'
import { AnalyticsError } from './errors.js'
import { type JsonSchema, type ObjectOf, orNull, type TypedSchema } from './json-schema.js'
import type { Warning } from './model.js'

type Struct = s.Struct<unknown, unknown>

/** One definition of a value, for checking (`struct`) and for documentation (`json`). */
export interface Schema<Value> extends TypedSchema<Value> {
  readonly struct: Struct
  /** Fields of an object schema; other fields are reported as unread. */
  readonly fields?: Readonly<Record<string, Schema<unknown>>>
  /** Schema of the members of a list. */
  readonly items?: Schema<unknown>
  /** Whether an object is passed on with all its members, for the method to read. */
  readonly isOpen?: true
  /**
   * Normalizes a string before the check. superstruct's coercion would create an error for each unchanged
   * value.
   */
  readonly read?: (text: string) => string
}

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/

/**
 * A UUID in any case, read as lower case. The length is for validators whose `uuid` format also accepts
 * `urn:uuid:`. It is not a pattern, because openapi-generator writes Python for a `uuid` with a pattern that
 * does not run.
 */
export function uuid(description: string): Schema<string> {
  const json = { type: 'string', format: 'uuid', maxLength: 36, description }
  return { struct: s.pattern(s.string(), UUID) as unknown as Struct, json, read: text => text.toLowerCase() }
}

export function text(description: string): Schema<string> {
  return { struct: s.string() as unknown as Struct, json: { type: 'string', description } }
}

/** A string that matches a pattern as a whole. */
export function textLike(pattern: RegExp, description: string): Schema<string> {
  const struct = s.pattern(s.string(), pattern) as unknown as Struct
  return { struct, json: { type: 'string', pattern: pattern.source, description } }
}

export function integer(minimum: number, maximum: number, description: string): Schema<number> {
  const struct = s.max(s.min(s.integer(), minimum), maximum) as unknown as Struct
  return { struct, json: { type: 'integer', minimum, maximum, description } }
}

/** A number of things. */
export function count(description: string): Schema<number> {
  return integer(0, Number.MAX_SAFE_INTEGER, description)
}

export function choice<const Value extends string | boolean>(
  values: readonly Value[],
  description: string,
): Schema<Value> {
  const struct = s.enums(values as unknown as [string, ...string[]]) as unknown as Struct
  return { struct, json: { type: typeof values[0], enum: values, description } }
}

export function flag(description: string): Schema<boolean> {
  return { struct: s.boolean() as unknown as Struct, json: { type: 'boolean', description } }
}

/** A list of values that are each one of a choice. */
export function listOf<Item>(items: Schema<Item>, description: string): Schema<Item[]> {
  const struct = s.array(items.struct as never) as unknown as Struct
  return { struct, json: { type: 'array', items: items.json, description }, items }
}

/** An object of which the method reads every member itself. */
export function openObject<Value extends object>(description: string): Schema<Value> {
  const struct = s.record(s.string(), s.any()) as unknown as Struct
  return { struct, json: { type: 'object', description, additionalProperties: true }, isOpen: true }
}

/** A value or null. `description` says what a {@link named} schema is used for in this place. */
export function nullable<Value>(schema: Schema<Value>, description?: string): Schema<Value | null> {
  return {
    ...bare(schema),
    struct: s.nullable(schema.struct) as Struct,
    json: orNull(schema.json, description),
  }
}

/** Values by any names. */
export function recordOf<Value>(values: Schema<Value>, description: string): Schema<Record<string, Value>> {
  const struct = s.record(s.string(), values.struct as never) as unknown as Struct
  return { struct, json: { type: 'object', description, additionalProperties: values.json } }
}

/** A list of two. */
export function pairOf<One, Other>(
  one: Schema<One>,
  other: Schema<Other>,
  description: string,
): Schema<readonly [One, Other]> {
  const struct = s.tuple([one.struct, other.struct] as never) as unknown as Struct
  const json = { type: 'array', prefixItems: [one.json, other.json], minItems: 2, maxItems: 2, description }
  return { struct, json }
}

/** A value of any of these schemas. */
export function either<Value>(members: readonly Schema<Value>[], description: string): Schema<Value> {
  const structs = members.map(({ struct }) => struct) as [Struct, Struct]
  return {
    struct: s.union(structs) as unknown as Struct,
    json: { anyOf: members.map(({ json }) => json), description },
  }
}

/** A schema of values that have members of its own kind, as types have fields with types. */
export function recursive<Value>(make: () => Schema<Value>, description: string): Schema<Value> {
  const made = () => (schema ??= make())
  let schema: Schema<Value> | undefined
  return { struct: s.lazy(() => made().struct) as Struct, json: { description } }
}

/** Gives a schema a name, so that the API documents describe it once and refer to it. */
export function named<Named extends Schema<unknown>>(title: string, schema: Named): Named {
  return { ...schema, json: { title, ...schema.json } }
}

/** Returns the schema without its value type. */
function bare({ optional: _, ...schema }: Schema<unknown> & { optional?: true }): Schema<never> {
  return schema as Schema<never>
}

/** An optional field. */
export interface Optional<Value> extends Schema<Value | undefined> {
  readonly optional: true
}

/** Makes a field optional. `fallback` is documented as its default; the check does not apply it. */
export function optional<Value>(schema: Schema<Value>, fallback?: unknown): Optional<Value> {
  const json = fallback === undefined ? schema.json : { ...schema.json, default: fallback }
  return { ...bare(schema), struct: s.optional(schema.struct) as Struct, json, optional: true }
}

type Fields = Readonly<Record<string, Schema<unknown>>>

/** Params or a part of them. It names its fields, so that their comments are in declarations. */
export interface ObjectSchema<Shape extends Fields> extends Schema<ObjectOf<Shape>> {
  /** Never set. */
  readonly shape?: Shape
}

export function object<Shape extends Fields>(fields: Shape, description: string): ObjectSchema<Shape> {
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

/** Whether a value is one of the schema, without any other field, whatever it is. */
export function fits<Value>(schema: Schema<Value>, value: unknown): value is Value {
  try {
    return s.is(value, schema.struct)
  } catch {
    return false // superstruct prints what it refuses, and there are values that cannot be printed
  }
}

/**
 * Checks params. Returns the fields that the method reads, and warnings for all others. Throws
 * INVALID_PARAMS.
 */
export function readParams<Value>(
  schema: Schema<Value>,
  params: unknown,
): { params: Value; warnings: Warning[] } {
  const warnings: Warning[] = []
  const known = knownFields(schema, params, '', warnings)
  const [failure, value] = s.validate(known, schema.struct)
  if (!failure) return { params: value as Value, warnings }
  const path = failure.path.join('.')
  const expected = describe(schema, failure.path)
  const message = path === '' ? `The params must be ${expected}.` : `The field "${path}" must be ${expected}.`
  throw new AnalyticsError('INVALID_PARAMS', message, {
    data: { path, ...(warnings.length > 0 ? { warnings } : {}) },
  })
}

/** Stands in for a list or an object where none is expected. No schema accepts it. */
const REFUSED = () => undefined

/**
 * Removes unread fields. Replaces lists and unexpected objects, because superstruct prints values that it
 * refuses.
 */
function knownFields(schema: Schema<unknown>, value: unknown, path: string, warnings: Warning[]): unknown {
  if (typeof value === 'string' && schema.read) return schema.read(value)
  if (value === null || typeof value !== 'object') return value
  const { items } = schema
  if (items && Array.isArray(value))
    return value.map((member, index) => knownFields(items, member, `${path}.${index}`, warnings))
  if (schema.isOpen && !Array.isArray(value)) return value
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

/**
 * Adds a warning about an unread field. Fields beyond `MOST_WARNINGS` are only counted, in the last warning.
 */
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
/** Bounds the answer: a body of 1 MiB can have more than 100,000 fields. */
const MOST_WARNINGS = 500
const MOST_PATH = 256

/** Says what a field must be. The caller's value is never repeated. */
function describe(schema: Schema<unknown>, path: readonly unknown[]): string {
  const target = path.reduce<Schema<unknown> | undefined>(
    (at, key) => at?.items ?? at?.fields?.[String(key)],
    schema,
  )
  const either = target?.json.anyOf as [JsonSchema, JsonSchema] | undefined
  const json = either?.[0] ?? target?.json ?? {}
  const orNone = either ? ' or null' : ''
  const values = (json.enum ?? []) as string[]
  if (values.length > 0) return values.map(value => `"${value}"`).join(' or ') + orNone
  if (json.format === 'uuid') return `a UUID${orNone}`
  if (json.type === 'integer') return `a whole number from ${json.minimum} to ${json.maximum}${orNone}`
  if (json.type === 'object') return `an object${orNone}`
  if (json.type === 'array') return `a list${orNone}`
  if (json.type === 'boolean') return `true or false${orNone}`
  return `a string${orNone}`
}
