import assert from 'node:assert/strict'
import { mcpEndpoint } from 'foldgate/mcp'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { SHOP, shop } from '../service/shop.js'

const WINDOW_MS = 3_600_000

describe('a call that is refused before its params are read', () => {
  let service: Service
  before(async () => {
    const spent = { allowed: false, limit: 1, remaining: 0, windowMs: WINDOW_MS, resetMs: WINDOW_MS }
    service = await startService({
      catalogue: shop,
      files: SHOP,
      quota: { take: async () => spent },
      mcp: mcpEndpoint(),
    })
  })
  after(() => service.close())

  /** The methods under which a request was counted, in events and in usage. */
  async function countedAs(path: string, body: string): Promise<(string | undefined)[]> {
    const [events, usage] = [service.events.length, service.usage.length]
    await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEYS.north}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body,
    })
    const calls = service.events.slice(events).flatMap(event => (event.type === 'call' ? [event] : []))
    for (const { outcome } of calls) assert.equal(outcome, 'RATE_LIMITED')
    assert.deepEqual(
      service.usage.slice(usage).map(({ method }) => method),
      calls.map(({ method }) => method),
    )
    return calls.map(({ method }) => method)
  }

  const rest = (path: string) => countedAs(`/public/v1/${path}`, JSON.stringify({ projectId: PROJECT }))
  const rpc = (method: unknown) =>
    countedAs('/public/v1/json-rpc', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { projectId: PROJECT } }))

  it('is counted under its method over REST', async () => {
    assert.deepEqual(await rest('api/projects/query'), ['projects/query'])
    assert.deepEqual(await rest('queries/revenue_by_month'), ['queries/revenue_by_month@2'])
    assert.deepEqual(await rest('queries/revenue_by_month@2'), ['queries/revenue_by_month@2'])
  })

  it('is counted under its method over JSON-RPC', async () => {
    assert.deepEqual(await rpc('projects/export'), ['projects/export'])
    assert.deepEqual(await rpc('queries/revenue_by_month'), ['queries/revenue_by_month@2'])
    assert.deepEqual(await rpc('rpc.discover'), ['rpc.discover'])
  })

  it('is counted under its method when an agent calls', async () => {
    const params = { name: 'projects_list', arguments: {} }
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    assert.deepEqual(await countedAs('/public/v1/mcp', message), ['projects/list'])
  })

  it('is counted as unknown when what it names is no method, whatever it wrote', async () => {
    assert.deepEqual(await rest('api/projects/drop'), ['unknown'])
    assert.deepEqual(await rest('queries/customers_of_ada'), ['unknown'])
    for (const method of ['projects/drop', '__proto__', 7, null]) assert.deepEqual(await rpc(method), ['unknown'])
    assert.deepEqual(await countedAs('/public/v1/json-rpc', 'no JSON'), ['unknown'])
  })
})
