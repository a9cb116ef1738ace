/** JSON Schema of a value. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** JSON Schema of a value that the service sends, and its type. */
export interface TypedSchema<Value> {
  readonly json: JsonSchema
  /** Never set; it only carries the type. */
  readonly value?: Value
}

/** A field that may be absent. */
export interface Absent<Value> extends TypedSchema<Value> {
  readonly optional: true
}

/** Schemas by the names of fields. */
export type SchemaFields = Readonly<Record<string, TypedSchema<unknown>>>
type FieldValues<Shape> = {
  -readonly [Key in keyof Shape]: Shape[Key] extends TypedSchema<infer Value> ? Value : never
}
type OptionalKeys<Shape> = {
  [Key in keyof Shape]: Shape[Key] extends { optional: true } ? Key : never
}[keyof Shape]

/** An object with the values of these fields. The comments of fields are those of the members. */
export type ObjectOf<Shape> = FieldValues<Omit<Shape, OptionalKeys<Shape>>> &
  Partial<FieldValues<Pick<Shape, OptionalKeys<Shape>>>>

/** An object that the service sends. It names its fields, so that their comments are in declarations. */
export interface ToldObject<Shape extends SchemaFields> extends TypedSchema<ObjectOf<Shape>> {
  /** Never set. */
  readonly shape?: Shape
}

/** The type of the values of a schema. */
export type Infer<Schema extends TypedSchema<unknown>> =
  Schema extends TypedSchema<infer Value> ? Value : never

/** A string. `more` are further keywords. */
export function string(description: string, more: JsonSchema = {}): TypedSchema<string> {
  return { json: { type: 'string', ...more, description } }
}

/** A number of things. */
export function count(description: string): TypedSchema<number> {
  return { json: { type: 'integer', minimum: 0, description } }
}

/** Schema of a boolean. */
export function truth(description: string): TypedSchema<boolean> {
  return { json: { type: 'boolean', description } }
}

/** Schema of an enum of strings. */
export function oneOf<Value extends string>(
  title: string,
  values: readonly Value[],
  description: string,
): TypedSchema<Value> {
  return { json: { title, type: 'string', enum: values, description } }
}

/** A list. `more` are further keywords. */
export function list<Item>(
  items: TypedSchema<Item>,
  description: string,
  more: JsonSchema = {},
): TypedSchema<Item[]> {
  return { json: { type: 'array', items: items.json, ...more, description } }
}

/**
 * A field that is absent when there is no value. The service never sends null for it, but clients have to
 * accept it.
 */
export function absent<Value>({ json }: TypedSchema<Value>, description?: string): Absent<Value> {
  return { json: orNull(json, description), optional: true }
}

/** An object that the service sends. Other members are not allowed. */
export function record<Shape extends SchemaFields>(
  title: string,
  description: string,
  fields: Shape,
): ToldObject<Shape> {
  const members = Object.entries(fields)
  const optional = members.filter(([, field]) => 'optional' in field).map(([name]) => name)
  return {
    json: sent(
      title,
      description,
      Object.fromEntries(members.map(([name, { json }]) => [name, json])),
      optional,
    ),
  }
}

/**
 * A value that the service sends, or null. It is written with anyOf: some generators refuse a list of types.
 */
export function orNull(json: JsonSchema, description = json.description): JsonSchema {
  const { description: _, ...value } = json
  return { anyOf: [json.title ? json : value, { type: 'null' }], description }
}

/**
 * JSON Schema of an object that the service sends. Members are required unless `optional`; others are not
 * allowed.
 */
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
