import assert from 'node:assert/strict'
import { ERROR_CLASSES } from 'foldgate'
import { describeApi } from '#lib/description/describe-api.js'
import { wordsFor } from '#lib/words.js'
import { type OpenApi, type OpenRpc, objectsIn, type Schema } from './document.js'

const BASE_URL = 'https://data.example'
const WORDS = wordsFor({ hierarchy: {} })
const documents = describeApi(BASE_URL, WORDS)
const openapi = documents.get('openapi.json') as OpenApi
const openrpc = documents.get('openrpc.json') as OpenRpc

/** A union of schemas that a member tells apart. */
interface Union {
  title?: string
  oneOf: { $ref: string }[]
  discriminator?: { propertyName: string; mapping: Record<string, string> }
}

/** Each rule is for a generator that fails without it; test/check/generators runs them. */
describe('what generators take of the descriptions', () => {
  it('no schema has a list of types, or an object for a default', () => {
    const schemas = [...objectsIn([...documents.values()])]
    assert.ok(schemas.some(({ type }) => type === 'string') && schemas.some(value => value.default === 100))
    for (const schema of schemas) {
      assert.ok(!Array.isArray(schema.type), JSON.stringify(schema))
      assert.ok(schema.default === null || typeof schema.default !== 'object', JSON.stringify(schema))
    }
  })

  it('the file of a download is binary', () => {
    const { get } = openapi.paths['/public/v1/exports/{id}'] ?? {}
    const binary = { schema: { type: 'string', format: 'binary' } }
    assert.deepEqual(get?.responses[200]?.content, {
      'application/vnd.apache.parquet': binary,
      'text/csv': binary,
      'application/x-ndjson': binary,
      'application/vnd.apache.arrow.stream': binary,
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': binary,
    })
  })

  it('every body has a schema', () => {
    for (const [path, operations] of Object.entries(openapi.paths)) {
      for (const [verb, { requestBody, responses }] of Object.entries(operations)) {
        if (verb === 'parameters' || verb === 'head') continue
        const bodies = [requestBody, ...Object.values(responses)].filter(body => body !== undefined)
        for (const { content = {} } of bodies) {
          assert.ok(Object.keys(content).length > 0, `${verb} ${path}`)
          for (const body of Object.values(content)) assert.ok(body.schema, `${verb} ${path}`)
        }
      }
    }
  })

  it('JSON-RPC in the OpenAPI document is an envelope, whatever the methods', () => {
    const named = Object.keys(openapi.components.schemas).filter(title => title.includes('Rpc'))
    assert.deepEqual(named, ['OpenRpcDocument', 'RpcError', 'RpcErrorData', 'RpcId', 'RpcResponse'])
    const { description, requestBody } = openapi.paths['/public/v1/json-rpc']?.post ?? {}
    assert.match(description ?? '', /\/public\/v1\/openrpc\.json/)
    const { properties } = requestBody?.content['application/json']?.schema as { properties: Record<string, Schema> }
    assert.equal(properties.params?.type, 'object')
    const response = openapi.components.schemas.RpcResponse as { properties: Record<string, Schema> }
    assert.equal(response.properties.result?.type, 'object')
  })

  it('every union of errors has a name, and its class tells them apart', () => {
    const unions = [...objectsIn(openapi)].filter(value => 'oneOf' in value) as unknown as Union[]
    assert.deepEqual([...new Set(unions.map(({ title }) => title))].sort(), ['BadRequestError', 'ErrorBody'])
    for (const { oneOf, discriminator } of unions) {
      assert.equal(discriminator?.propertyName, 'class')
      assert.deepEqual(
        Object.values(discriminator.mapping),
        oneOf.map(({ $ref }) => $ref),
      )
      for (const [errorClass, reference] of Object.entries(discriminator.mapping)) {
        const schema = openapi.components.schemas[reference.split('/').at(-1) as string]
        assert.equal((schema as { properties: { class: Schema } }).properties.class.const, errorClass)
      }
    }
    const { discriminator } = openapi.components.schemas.ErrorBody as unknown as Union
    assert.deepEqual(Object.keys(discriminator?.mapping ?? {}), Object.keys(ERROR_CLASSES))
  })

  it('the paths of the documents have an answer for refused requests', () => {
    for (const name of documents.keys()) {
      const { content } = openapi.paths[`/public/v1/${name}`]?.get?.responses[400] ?? {}
      assert.deepEqual(content, { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } })
    }
  })

  it('they say under which licence they are, and whom to ask', () => {
    const contact = { name: 'Analytics team', email: 'analytics@data.example' }
    for (const [given, expected] of [
      [undefined, { name: 'The operator of the service', url: BASE_URL }],
      [contact, contact],
    ]) {
      const described = describeApi(BASE_URL, WORDS, { contact: given as typeof contact })
      for (const name of ['openapi.json', 'openrpc.json']) {
        const { info } = described.get(name) as { info: { contact: unknown; license: { name: string } } }
        assert.deepEqual(info.contact, expected)
        assert.equal(info.license.name, 'MIT')
      }
    }
  })

  it('OpenRPC lists required params before optional ones, and every param and result has a title', () => {
    for (const { name, params, result } of openrpc.methods) {
      const required = params.map(param => param.required)
      assert.deepEqual(
        required,
        [...required].sort((a, b) => Number(b) - Number(a)),
        name,
      )
      for (const { schema } of [...params, result]) {
        const { $ref } = schema as { $ref?: string }
        const { title } = $ref ? (openrpc.components.schemas[$ref.split('/').at(-1) as string] ?? {}) : schema
        assert.match(String(title), /^[A-Z]\w+$/, name)
      }
    }
    assert.deepEqual(
      openrpc.methods.find(({ name }) => name === 'projects/query')?.params.map(({ name }) => name),
      ['projectId', 'sql', 'entityId', 'ownershipView', 'page', 'parameters', 'include', 'dryRun', 'snapshot'],
    )
  })
})
