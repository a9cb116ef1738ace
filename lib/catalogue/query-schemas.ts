import { type JsonSchema, orNull, sent } from '../json-schema.js'
import { rowSchema } from '../model.js'
import { exampleOf, schemaOfValues } from '../values/json-schemas.js'
import type { QueryDefinition, QueryParameter } from './queries.js'

/** Name of a query and its version in generated code: `RevenueByMonthV2`. */
export function typeNameOf({ name, version }: QueryDefinition): string {
  const words = name.split('_').map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}V${version}`
}

/** JSON Schema of the parameters that callers send. */
export function parametersSchema(query: QueryDefinition): JsonSchema {
  const parameters = Object.entries(query.parameters)
  const optional = parameters.filter(([, each]) => each.default !== undefined).map(([name]) => name)
  const properties = Object.fromEntries(parameters.map(([name, each]) => [name, parameterSchema(each)]))
  return sent(
    `${typeNameOf(query)}Parameters`,
    'The values that the query is run with.',
    properties,
    optional,
  )
}

function parameterSchema(parameter: QueryParameter): JsonSchema {
  const { type, about, values, default: fallback } = parameter
  // Some generators of code take no list for a default.
  const isList = typeof fallback === 'object' && fallback !== null
  const description = `${about} (${type}).${isList ? ` Default: ${JSON.stringify(fallback)}.` : ''}`
  const schema = values ? oneOf(values) : schemaOfValues(type)
  const isNullable = values === undefined || fallback === null
  const json = isNullable ? orNull(schema, description) : { ...schema, description }
  return fallback === undefined || isList ? json : { ...json, default: fallback }
}

function oneOf(values: readonly unknown[]): JsonSchema {
  const types = new Set(values.map(value => (Number.isInteger(value) ? 'integer' : typeof value)))
  const [type] = types
  return types.size === 1 && type !== 'object' ? { type, enum: values } : { enum: values }
}

/** Values that a call may send for the parameters that have no default. */
export function exampleParameters({ parameters }: QueryDefinition): Record<string, unknown> {
  const needed = Object.entries(parameters).filter(([, each]) => each.default === undefined)
  return Object.fromEntries(needed.map(([name, { type, values }]) => [name, values?.[0] ?? exampleOf(type)]))
}

/** JSON Schema of a row. */
export function rowSchemaOf(query: QueryDefinition): JsonSchema {
  const { columns, meanings } = query
  if (columns === undefined) return rowSchema.json
  const properties = Object.entries(columns).map(([name, type]) => {
    const { about, unit } = Object.hasOwn(meanings, name) ? (meanings[name] ?? {}) : {}
    const told = [about, typeof unit === 'string' && `Unit: ${unit}`, type].filter(Boolean).join('. ')
    return [name, orNull(schemaOfValues(type), `${told}.`)] as const
  })
  return sent(`${typeNameOf(query)}Row`, 'A row, keyed by column name.', Object.fromEntries(properties))
}
