import type { JsonSchema } from '../json-schema.js'
import type { Method } from '../methods/method.js'
import type { Words } from '../words.js'
import { asTools, clipped, MOST_RELATIONS } from './texts.js'

/** Schemas of the fields of an object. */
type Properties = Record<string, JsonSchema>

/** What a tool adds to the params of its method. */
interface Additions {
  /** A statement with values, as an example; null when the engine takes no values. */
  bound: Words['bound'] | null
  /** Whether there are named queries, which an export takes in place of a statement. */
  hasQueries: boolean
}

/** Schema of the params of the tool of a method. */
export function inputOf({ name, params, hasRows }: Method, { bound, hasQueries }: Additions): JsonSchema {
  const { properties, required, ...input } = slimOf(params)
  const { relation: _, ...fields } = properties as Properties
  if (name === 'projects/describe') fields.relations = RELATIONS
  if (hasRows) fields.include = TOTAL
  if (fields.parameters && bound) {
    const { description } = fields.parameters
    fields.parameters = { type: 'object', description: `${description} ${boundText(bound)}` }
  }
  const isQuery = name === 'projects/export' && hasQueries
  if (isQuery) fields.query = EXPORTED_QUERY
  const needed = isQuery ? ['projectId'] : required
  return { ...input, properties: fields, ...(needed ? { required: needed } : {}) }
}

/** Schema of the params of a named query as a tool, which reads rows alone. */
export function queryInputOf({ params }: Method): JsonSchema {
  const { properties, ...input } = slimOf(params)
  const { format: _, csvInjection: __, ...fields } = properties as Properties
  return { ...input, properties: { ...fields, include: TOTAL } }
}

/** Schema of the params of the tool that runs any named query. */
export function anyQueryInputOf({ params }: Method): JsonSchema {
  const { properties } = queryInputOf({ params } as Method)
  const parameters = {
    type: 'object',
    description: 'Values of the parameters of the query, by their names.',
  }
  return { type: 'object', properties: { ...FINDING, ...(properties as Properties), parameters } }
}

/** The schema without descriptions of fields that are told already. */
export function untold(input: JsonSchema, told: readonly JsonSchema[]): JsonSchema {
  const known = told.flatMap(({ properties }) => Object.entries(properties as Properties))
  const isKnown = (name: string, field: JsonSchema) =>
    known.some(([other, { description }]) => other === name && description === field.description)
  const fields = Object.entries(input.properties as Properties).map(([name, field]) => [
    name,
    isKnown(name, field) ? withoutTexts(field) : field,
  ])
  return { ...input, properties: Object.fromEntries(fields) }
}

/** Slim schemas of params: each request lists its tools anew, and to make these takes milliseconds. */
const known = new WeakMap<Method['params'], JsonSchema>()

function slimOf(params: Method['params']): JsonSchema {
  const found = known.get(params) ?? slim(JSON.parse(asTools(JSON.stringify(params.json))))
  known.set(params, found)
  return found
}

function withoutTexts({ description: _, properties, items, ...field }: JsonSchema): JsonSchema {
  return {
    ...field,
    ...(properties ? { properties: mapValues(properties as Properties, withoutTexts) } : {}),
    ...(items ? { items: withoutTexts(items as JsonSchema) } : {}),
  }
}

/**
 * A schema as models need it: without titles, and without what the methods check and say anyway. Optional
 * fields take null, which is not declared: some clients refuse schemas that offer several types, and models
 * send null on their own.
 */
function slim(schema: JsonSchema): JsonSchema {
  const {
    title: _,
    additionalProperties: __,
    maxLength: ___,
    oneOf,
    properties,
    items,
    anyOf,
    ...rest
  } = schema
  const [value, none] = (anyOf ?? []) as JsonSchema[]
  if (value && none?.type === 'null') {
    const { default: fallback, ...more } = rest
    return slim({ ...value, ...more, ...(fallback == null ? {} : { default: fallback }) })
  }
  const { description } = rest
  return {
    ...rest,
    ...(typeof description === 'string' ? { description: clipped(description) } : {}),
    ...(properties ? { properties: mapValues(properties as Properties, slim) } : {}),
    ...(items ? { items: slim(items as JsonSchema) } : {}),
    ...(anyOf ? { anyOf: (anyOf as JsonSchema[]).map(slim) } : {}),
    ...(oneOf ? { oneOf: (oneOf as JsonSchema[]).map(slim) } : {}),
  }
}

function mapValues(schemas: Properties, change: (schema: JsonSchema) => JsonSchema): Properties {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]))
}

/** How to send values. */
function boundText(bound: Words['bound']): string {
  return `Such as ${JSON.stringify(bound)}: values need no quotes there, and none is read as SQL.`
}

const RELATIONS: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  maxItems: MOST_RELATIONS,
  description: 'The relations to describe with their columns, and nothing else.',
}

// Agents always get the columns.
const TOTAL: JsonSchema = {
  type: 'array',
  items: { type: 'string', enum: ['total'] },
  description: 'total: the number of rows of the whole result.',
}

const EXPORTED_QUERY: JsonSchema = {
  type: 'string',
  description: 'Name of a named query to export in place of "sql", with its values in "parameters".',
}

const FINDING: Properties = {
  search: {
    type: 'string',
    description: 'Words of a question. Returns the queries that fit them best, and runs none.',
  },
  query: { type: 'string', description: 'Name of the query to run.' },
}
