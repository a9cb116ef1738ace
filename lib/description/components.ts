import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from '../json-schema.js'

/** Keywords whose value is one schema, a list of schemas, or a map of schemas. */
const NESTED = {
  one: ['items', 'additionalProperties', 'not'],
  list: ['anyOf', 'oneOf', 'allOf'],
  map: ['properties', 'patternProperties'],
} as const

/**
 * The schemas of a document. A schema with a `title` is written once under that name and referenced wherever
 * it is used. A `$ref` never has siblings, so that the schemas mean the same in draft 7 and in 2020-12.
 */
export class Components {
  readonly #schemas = new Map<string, { given: JsonSchema; written: JsonSchema }>()

  /** Returns what to write in place of a schema: a reference if it has a title. */
  use(schema: JsonSchema): JsonSchema {
    const { title } = schema
    if (typeof title !== 'string') return this.inline(schema)
    const known = this.#schemas.get(title)
    if (known && !isDeepStrictEqual(known.given, schema))
      throw new TypeError(`two schemas have the name ${title}`)
    if (!known) this.#schemas.set(title, { given: schema, written: this.inline(schema) })
    return { $ref: `#/components/schemas/${title}` }
  }

  /** All titled schemas in use, by name. */
  get schemas(): Record<string, JsonSchema> {
    const sorted = [...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(sorted.map(([title, { written }]) => [title, written]))
  }

  /**
   * Returns a schema to write in place, whether or not it has a title, with references for the schemas in it.
   */
  inline(schema: JsonSchema): JsonSchema {
    const written: Record<string, unknown> = { ...schema }
    for (const keyword of NESTED.one) {
      const nested = schema[keyword]
      if (nested !== null && typeof nested === 'object') written[keyword] = this.use(nested as JsonSchema)
    }
    for (const keyword of NESTED.list) {
      const nested = schema[keyword] as readonly JsonSchema[] | undefined
      if (nested) written[keyword] = nested.map(part => this.use(part))
    }
    for (const keyword of NESTED.map) {
      const nested = schema[keyword] as Readonly<Record<string, JsonSchema>> | undefined
      if (nested) written[keyword] = this.#writeAll(nested)
    }
    return written
  }

  #writeAll(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.use(schema)]))
  }
}
