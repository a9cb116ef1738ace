import assert from 'node:assert/strict'
import { EXAMPLE_PROJECT } from '#lib/methods/method.js'
import { KEYS, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'
import { checks, type OpenApi, type OpenRpc, type Schema } from './document.js'

/** Methods whose example result does not depend on the catalogue or the time, so calls must return exactly it. */
const EXACT = ['projects/list', 'projects/query']

describe('the examples in the descriptions', () => {
  let service: Service
  let openapi: OpenApi
  let openrpc: OpenRpc

  before(async () => {
    service = await startService()
    const { host, seal, url } = service
    host.projects.splice(0)
    host.addProject({ projectId: EXAMPLE_PROJECT, name: 'Northern mills', completed: true })
    await seal(EXAMPLE_PROJECT)
    const read = async (name: string) => (await fetch(`${url}/public/v1/${name}`)).json()
    openapi = (await read('openapi.json')) as OpenApi
    openrpc = (await read('openrpc.json')) as OpenRpc
  })
  after(() => service.close())

  async function post(path: string, body: unknown): Promise<{ result: Record<string, unknown> }> {
    const headers = { authorization: `Bearer ${KEYS.north}` }
    const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const answer = (await response.json()) as { result: Record<string, unknown>; warnings?: unknown }
    assert.ok('result' in answer, JSON.stringify(answer))
    assert.equal(answer.warnings, undefined)
    return answer
  }

  it('of OpenAPI run and return what is described', async () => {
    const fits = checks(openapi)
    let run = 0
    for (const [path, { post: operation }] of Object.entries(openapi.paths)) {
      const request = operation?.requestBody?.content['application/json']
      const answered = operation?.responses[200]?.content?.['application/json']
      if (!request || !answered) continue
      const examples = request.examples ? Object.values(request.examples).map(({ value }) => value) : [request.example]
      for (const example of examples) {
        assert.equal(fits(request.schema)(example), null)
        const answer = await post(path, example)
        assert.equal(fits(answered.schema)(answer), null)
        if (answered.example) assert.equal(fits(answered.schema)(answered.example), null)
        if (EXACT.some(method => path.endsWith(method))) assert.deepEqual(answer, answered.example)
        run += 1
      }
    }
    assert.equal(run, 8)
  })

  it('of OpenRPC run and return what is described', async () => {
    const fits = checks(openrpc)
    for (const { name, params, result, examples = [] } of openrpc.methods) {
      assert.equal(examples.length, name === 'rpc.discover' ? 0 : 1)
      for (const example of examples) {
        const given = Object.fromEntries(example.params.map(param => [param.name, param.value]))
        for (const [field, value] of Object.entries(given)) {
          const { schema } = params.find(param => param.name === field) as { schema: Schema }
          assert.equal(fits(schema)(value), null)
        }
        assert.equal(fits(result.schema)(example.result.value), null)
        const answer = await post('/public/v1/json-rpc', { jsonrpc: '2.0', id: 1, method: name, params: given })
        assert.equal(fits(result.schema)(answer.result), null)
        if (EXACT.includes(name)) assert.deepEqual(answer.result, example.result.value)
      }
    }
  })

  // Those of catalogues without a tree name relations that are made up.
  if (!VENDOR.catalogue.hierarchy) return
  it('that are worked queries return rows', async () => {
    const described = openrpc.methods.find(({ name }) => name === 'projects/describe')?.examples?.[0]?.result.value
    const { examples } = described as { examples: { sql: string }[] }
    assert.ok(examples.length > 0)
    for (const { sql } of examples) {
      const { result } = await post('/public/v1/api/projects/query', { projectId: EXAMPLE_PROJECT, sql })
      assert.ok((result.items as unknown[]).length > 0)
    }
  })
})
