import Ajv from 'ajv'
import Ajv2020, { type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** A schema, or a reference to one. */
export type Schema = Readonly<Record<string, unknown>>

/** The parts of an OpenAPI document that the tests read. */
export interface OpenApi {
  openapi: string
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; headers: Record<string, Header> }
}

/** A REST operation. */
export interface Operation {
  operationId: string
  description: string
  security?: Record<string, string[]>[]
  'x-stability': string
  'x-limits'?: Record<string, number>
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, Response>
}

interface Content {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

interface Response {
  description: string
  headers?: Record<string, Header | { $ref: string }>
  content?: Record<string, Content>
}

interface Header {
  required?: boolean
  schema: Schema
}

/** The parts of an OpenRPC document that the tests read. */
export interface OpenRpc {
  openrpc: string
  servers: { name: string; url: string }[]
  methods: RpcMethod[]
  components: { schemas: Record<string, Schema>; errors: Record<string, { code: number; data: { class: string } }> }
}

/** A JSON-RPC method. */
export interface RpcMethod {
  name: string
  description: string
  paramStructure: string
  params: { name: string; required: boolean; schema: Schema }[]
  result: { name: string; schema: Schema }
  errors: { $ref: string }[]
  examples?: { params: { name: string; value: unknown }[]; result: { value: unknown } }[]
  'x-stability': string
  'x-params': Schema
  'x-answer': Schema
  'x-errors': Schema[]
}

/** Returns what is wrong with a value, or null if it is valid. */
export type Check = (value: unknown) => string | null

/** Compiles a document's schemas to checks, under 2020-12 (OpenAPI) or draft 7 (OpenRPC). */
export function checks(document: OpenApi | OpenRpc): (schema: Schema) => Check {
  const options = { strict: true, allowUnionTypes: true, allErrors: true } as const
  const ajv = 'openapi' in document ? new Ajv2020.default(options) : new Ajv.default(options)
  formats.default(ajv)
  ajv.addFormat('binary', true)
  for (const keyword of ['components', 'discriminator']) ajv.addKeyword(keyword)
  const known = new Map<string, Check>()
  return schema => {
    const key = JSON.stringify(schema)
    const check = known.get(key) ?? compile(schema)
    known.set(key, check)
    return check
  }

  function compile(schema: Schema): Check {
    // Draft 7 ignores the siblings of a $ref, so the schema is wrapped in allOf.
    const { components } = document
    const validate = ajv.compile({ allOf: [schema], components: { schemas: components.schemas } })
    return value => (validate(value) ? null : explain(validate.errors ?? []))
  }
}

function explain(errors: readonly ErrorObject[]): string {
  return errors
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ')
}

/** Lists what is wrong with the headers of a response. */
export function headerFaults(
  document: OpenApi,
  check: (schema: Schema) => Check,
  response: Response,
  headers: Headers,
) {
  return Object.entries(response.headers ?? {}).flatMap(([name, given]) => {
    const { required, schema } = '$ref' in given ? headerAt(document, given.$ref) : given
    const text = headers.get(name)
    if (text === null) return required ? [`${name} is missing`] : []
    const fault = check(schema)(schema.type === 'integer' ? Number(text) : text)
    return fault === null ? [] : [`${name}: ${fault}`]
  })
}

function headerAt({ components }: OpenApi, reference: string): Header {
  return components.headers[reference.split('/').at(-1) as string] as Header
}

/** Yields every object in a value, at any depth. */
export function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const member of Object.values(value)) yield* objectsIn(member)
}

/** Resolves a reference within a document. */
export function resolve(document: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/')
  return steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
}
