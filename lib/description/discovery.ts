import { DISCOVER, PATHS } from '../call/paths-and-headers.js'
import type { JsonSchema } from '../json-schema.js'
import { object } from '../schema.js'
import type { Components } from './components.js'
import type { ApiSubject } from './info.js'
import { anyRefusal, type DocPart, json, withoutBodies } from './responses.js'

/** Versions of the formats that the documents are written in. */
export const OPENAPI_VERSION = '3.1.0'
export const OPENRPC_VERSION = '1.3.2'

const openapi: JsonSchema = {
  title: 'OpenApiDocument',
  type: 'object',
  description: 'The REST API as an OpenAPI document.',
  properties: {
    openapi: { type: 'string', const: OPENAPI_VERSION },
    info: { type: 'object' },
    paths: { type: 'object' },
  },
  required: ['openapi', 'info', 'paths'],
}

const openrpc: JsonSchema = {
  title: 'OpenRpcDocument',
  type: 'object',
  description: 'The JSON-RPC 2.0 API as an OpenRPC document.',
  properties: {
    openrpc: { type: 'string', const: OPENRPC_VERSION },
    info: { type: 'object' },
    methods: { type: 'array', items: { type: 'object' } },
  },
  required: ['openrpc', 'info', 'methods'],
}

const both: JsonSchema = {
  title: 'ApiDescription',
  type: 'object',
  description: 'Both documents.',
  properties: { openapi, openrpc },
  required: ['openapi', 'openrpc'],
  additionalProperties: false,
}

/** The documents, by their name below the version prefix. */
const DOCUMENTS = [
  { name: 'openapi.json', id: 'openapi', schema: openapi },
  { name: 'openrpc.json', id: 'openrpc', schema: openrpc },
  { name: 'description.json', id: 'description', schema: both },
] as const

/** The JSON-RPC method that returns the OpenRPC document. */
export const discover = {
  name: DISCOVER,
  summary: 'Describe the methods',
  description: 'Returns the OpenRPC document of this service. It counts as a call like any other.',
  params: object({}, 'The method reads no params.'),
  result: openrpc,
}

/** The REST paths of the documents, which need no key. */
export function describeDocuments({ failures }: ApiSubject, components: Components): DocPart {
  return Object.fromEntries(
    DOCUMENTS.map(({ name, id, schema }) => {
      const description = 'It needs no key, takes no quota, and states the limits in force.'
      const summary = schema.description
      const common = { description, tags: ['descriptions'], 'x-stability': 'experimental', security: [] }
      const responses = {
        200: { description: schema.description, content: json(components.use(schema)) },
        400: anyRefusal(failures, components), // orval cannot read 4XX
      }
      const get = { operationId: `${id}Get`, summary, ...common, responses }
      const head = { operationId: `${id}Head`, summary: 'The same without the body.', ...common }
      return [PATHS.documents + name, { get, head: { ...head, responses: withoutBodies(responses) } }]
    }),
  )
}
