import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv from 'ajv'
import formats from 'ajv-formats'
import { ERROR_CLASSES, type ErrorClass, LIMITS } from 'foldgate'
import { resolveLimits } from '#lib/call/limits.js'
import { describeApi } from '#lib/description/describe-api.js'
import { methodsIn } from '#lib/methods/calls.js'
import { COMMON_ERRORS, type Method } from '#lib/methods/method.js'
import { wordsFor } from '#lib/words.js'
import { type Service, sharedService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'
import { checks, type OpenApi, type OpenRpc, objectsIn, resolve, type Schema } from './document.js'

/** Loaded with `require` because the package's types omit this export. */
const { openrpcDocument } = createRequire(import.meta.url)('@open-rpc/meta-schema') as { openrpcDocument: Schema }

const BASE_URL = 'https://data.example'
const WORDS = wordsFor(VENDOR.catalogue)
const { hasPointOfView } = WORDS
/** Fields of a point of view. */
const VIEW = hasPointOfView ? ['entityId?', 'ownershipView?'] : []
const METHODS = methodsIn(WORDS)
const documents = describeApi(BASE_URL, WORDS)
const openapi = documents.get('openapi.json') as OpenApi
const openrpc = documents.get('openrpc.json') as OpenRpc
const both = [
  ['OpenAPI', openapi],
  ['OpenRPC', openrpc],
] as const

describe('the descriptions', () => {
  it('are a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(openapi) as never)
    assert.ok(valid, JSON.stringify(errors, null, 2))
    assert.equal(validator.version, '3.1')
  })

  it('are a valid OpenRPC 1.3.2 document', () => {
    const ajv = new Ajv.default({ strict: false, allErrors: true })
    formats.default(ajv)
    // The meta-schema refers to draft 7 under other addresses, and to a definition that exists only there.
    const draft7 = {
      allOf: [{ $ref: 'http://json-schema.org/draft-07/schema#' }],
      definitions: { JSONSchemaObject: { properties: { $ref: { type: 'string', format: 'uri-reference' } } } },
    }
    for (const address of ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/'])
      ajv.addSchema(draft7, address)
    const { $schema: _, ...metaSchema } = openrpcDocument
    const validate = ajv.compile(metaSchema)
    assert.ok(validate(openrpc), JSON.stringify(validate.errors, null, 2))
    assert.equal(openrpc.openrpc, '1.3.2')
  })

  for (const [name, document] of both) {
    it(`${name}: every reference resolves and has no siblings`, () => {
      const references = [...objectsIn(document)].filter(object => '$ref' in object)
      assert.ok(references.length > 50)
      for (const object of references) {
        assert.deepEqual(Object.keys(object), ['$ref'])
        assert.ok(resolve(document, String(object.$ref)), `${object.$ref} does not resolve`)
      }
    })

    it(`${name}: every schema is strictly valid in its dialect and is referenced`, () => {
      const check = checks(document)
      const text = JSON.stringify(document)
      for (const title of Object.keys(document.components.schemas)) {
        check({ $ref: `#/components/schemas/${title}` })
        const used = text.includes(`"#/components/schemas/${title}"`)
        assert.ok(used || ['ErrorBody', 'RpcFailure'].includes(title), title)
      }
    })

    it(`${name}: params and rows are open objects, all others are closed`, () => {
      for (const [title, schema] of Object.entries(document.components.schemas)) {
        if (schema.type !== 'object' || /Document$/.test(title)) continue
        const closed = schema.additionalProperties === false
        assert.equal(closed, !/(Params|Row)$/.test(title), title)
      }
    })
  }

  it('share their schemas', () => {
    for (const [title, schema] of Object.entries(openrpc.components.schemas)) {
      assert.deepEqual(schema, openapi.components.schemas[title], title)
    }
  })

  it("name the contract's types, with their fields", () => {
    const fieldsOf = (title: string) => {
      const { properties = {}, required = [] } = openapi.components.schemas[title] as {
        properties?: object
        required?: string[]
      }
      return Object.keys(properties).map(field => (required.includes(field) ? field : `${field}?`))
    }
    const expected: Record<string, string[]> = {
      ProjectListParams: ['page?'],
      ProjectDescribeParams: ['projectId', 'relation?', 'include?', 'snapshot?'],
      ProjectQueryParams: ['projectId', ...VIEW, 'sql', 'page?', 'parameters?', 'include?', 'dryRun?', 'snapshot?'],
      ProjectExportParams: [
        ...['projectId', ...VIEW, 'sql', 'format?', 'csvInjection?'],
        ...['parameters?', 'include?', 'snapshot?'],
      ],
      PageParams: ['limit?', 'cursor?'],
      ProjectSummary: ['projectId', 'name', 'organization', 'state'],
      ProjectSummaryList: ['items', 'nextCursor?'],
      ProjectDescription: ['relations', 'examples', 'columns?', 'rows?', 'snapshots?', 'warnings?', 'dialect?'],
      RelationColumn: ['name', 'type', 'statistics?'],
      ColumnStatistics: ['nulls', 'distinct', 'values?', 'min?', 'max?'],
      Hint: ['kind', 'message', 'at?', 'relation?', 'column?', 'instead?'],
      SealProblem: ['table', 'column?', 'message', 'rows?'],
      KeptSnapshot: ['snapshot', 'sealedAt'],
      ReadRelation: ['name', 'built'],
      RelationSummary: ['name', 'kind', 'about?'],
      QueryExample: ['question', 'sql'],
      Column: ['name', 'type'],
      RowList: ['items', 'nextCursor?', 'hints?', 'columns?', 'total?', 'relations?'],
      ProjectExport: ['url', 'expiresAt', 'rows', 'bytes', 'hints?', 'columns?'],
      Warning: ['path', 'message'],
    }
    for (const [title, fields] of Object.entries(expected)) assert.deepEqual(fieldsOf(title), fields, title)
    const { limit } = (openapi.components.schemas.PageParams as { properties: { limit: Schema } }).properties
    assert.deepEqual([limit.type, limit.minimum, limit.maximum, limit.default], ['integer', 1, 500, 100])
    for (const [title, values] of [
      ['ProjectState', ['computed', 'computing', 'notComputed']],
      ['RelationKind', ['fold', 'table']],
      ['OwnershipView', hasPointOfView ? ['net', 'gross'] : undefined],
    ] as const) {
      assert.deepEqual(openapi.components.schemas[title]?.enum, values)
    }
  })

  it("list the contract's statuses for every REST method", () => {
    const always = ['200', '400', '401', '403', '429', '500', '503']
    const unknown = hasPointOfView ? ['404'] : [] // only an entity can be unknown
    const expected: Record<string, string[]> = {
      'projects/list': always,
      'projects/describe': [...always, '409'],
      'projects/query': [...always, ...unknown, '408', '409', '413', '422'],
      'projects/export': [...always, ...unknown, '408', '409', '413', '422'],
    }
    for (const [method, statuses] of Object.entries(expected)) {
      const operation = openapi.paths[`/public/v1/api/${method}`]?.post
      assert.deepEqual(Object.keys(operation?.responses ?? {}).sort(), [...statuses].sort(), method)
    }
  })

  it('give every error class its code and its name', () => {
    for (const [errorClass, { code }] of Object.entries(ERROR_CLASSES)) {
      const body = Object.values(openapi.components.schemas).find(schema => classOf(schema) === errorClass)
      assert.deepEqual((body as { properties: { code: Schema } }).properties.code.const, code, errorClass)
    }
    for (const [errorClass, { code, data }] of Object.entries(openrpc.components.errors)) {
      assert.deepEqual([code, data.class], [ERROR_CLASSES[errorClass as ErrorClass].code, errorClass])
    }
  })

  it('describe every method with its stability, its errors and its limits', () => {
    for (const method of Object.values(METHODS)) {
      const operation = openapi.paths[`/public/v1/api/${method.name}`]?.post
      const rpc = openrpc.methods.find(({ name }) => name === method.name)
      assert.deepEqual([operation?.['x-stability'], rpc?.['x-stability']], ['experimental', 'experimental'])
      const failures = rpc?.errors.map(({ $ref }) => $ref.split('/').at(-1))
      assert.deepEqual(failures?.sort(), [...COMMON_ERRORS, ...method.errors].sort())
      for (const name of method.limits) {
        assert.equal(operation?.['x-limits']?.[name], LIMITS[name].default)
        for (const text of [operation?.description, rpc?.description]) assert.ok(text?.includes(LIMITS[name].effect))
      }
    }
    assert.equal(openrpc.methods.at(-1)?.name, 'rpc.discover')
    assert.ok(openrpc.methods.every(method => method.paramStructure === 'by-name'))
  })

  it('give the limits in force', () => {
    const limits = resolveLimits({ queryTimeoutMs: 1500, pageBytes: 1_000_001 })
    for (const document of describeApi(BASE_URL, WORDS, { limits }).values()) {
      const text = JSON.stringify(document)
      assert.match(text, /1500 ms \(`queryTimeoutMs`\)/)
      assert.match(text, /1000001 bytes \(`pageBytes`\)/)
    }
  })

  it('give the addresses of the service', () => {
    assert.deepEqual(openapi.servers, [{ url: BASE_URL }])
    assert.deepEqual(
      openrpc.servers.map(server => server.url),
      ['https://data.example/public/v1/json-rpc', 'wss://data.example/public/v1/ws'],
    )
  })

  it('are derived from the definitions of the methods', () => {
    const list = METHODS['projects/list'] as Method
    const changed = { ...list, name: 'projects/count', stability: 'deprecated', errors: ['NOT_READY'] } as const
    const described = describeApi(BASE_URL, WORDS, { methods: [changed] })
    const rest = (described.get('openapi.json') as OpenApi).paths['/public/v1/api/projects/count']?.post
    assert.equal(rest?.['x-stability'], 'deprecated')
    assert.ok(rest?.responses['409'])
    const rpc = (described.get('openrpc.json') as OpenRpc).methods
    assert.deepEqual(
      rpc.map(method => [method.name, method['x-stability']]),
      [
        ['projects/count', 'deprecated'],
        ['rpc.discover', 'experimental'],
      ],
    )
    assert.ok(rpc[0]?.errors.some(({ $ref }) => $ref.endsWith('/NOT_READY')))
  })
})

describe('the descriptions of a running service', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  const read = async (name: string, method = 'GET') => fetch(`${service.url}/public/v1/${name}`, { method })

  it('are served without a key, with its address and limits', async () => {
    const expected = describeApi(service.url, WORDS, { limits: service.api.limits })
    for (const [name, document] of expected) {
      const response = await read(name)
      assert.equal(response.status, 200)
      assert.match(response.headers.get('content-type') ?? '', /^application\/json\b/)
      assert.deepEqual(await response.json(), JSON.parse(JSON.stringify(document)), name)
      const head = await read(name, 'HEAD')
      assert.deepEqual([head.status, await head.text()], [200, ''])
    }
    assert.deepEqual([...expected.keys()], ['openapi.json', 'openrpc.json', 'description.json'])
    const { openapi, openrpc } = (await (await read('description.json')).json()) as Record<string, unknown>
    assert.deepEqual(openapi, await (await read('openapi.json')).json())
    assert.deepEqual(openrpc, await (await read('openrpc.json')).json())
  })
})

function classOf(schema: Schema): unknown {
  return (schema as { properties?: { class?: Schema; code?: Schema } }).properties?.code
    ? (schema as { properties: { class?: Schema } }).properties.class?.const
    : undefined
}
