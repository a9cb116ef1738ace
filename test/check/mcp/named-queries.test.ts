import assert from 'node:assert/strict'
import { mcpEndpoint } from 'foldgate/mcp'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { SHOP, shop } from '../../service/shop.js'
import { type Agent, connectAgent } from './agent.js'

describe('an agent with named queries', () => {
  let service: Service
  let agent: Agent
  before(async () => {
    service = await startService({ catalogue: shop, files: SHOP, mcp: mcpEndpoint() })
    agent = await connectAgent(service)
  })
  after(async () => {
    await agent.close()
    await service.close()
  })

  it('has each as a tool with typed arguments, and is told to prefer them', async () => {
    const { tools } = await agent.client.listTools()
    const named = tools.filter(({ name }) => name.startsWith('queries_'))
    assert.deepEqual(
      named.map(({ name }) => name),
      shop.queries.map(({ name }) => `queries_${name}`),
    )
    for (const { name } of tools) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
    const funnel = named.find(({ name }) => name === 'queries_funnel_by_step')
    assert.match(
      funnel?.description ?? '',
      /^At which step do visitors leave\? Columns: step VARCHAR \(What happened: .*\), sessions BIGINT \(Sessions/,
    )
    const { properties, required } = funnel?.inputSchema as unknown as {
      properties?: { parameters: { properties: { device: object } } }
      required?: string[]
    }
    assert.deepEqual(required, ['projectId', 'parameters'])
    const device = properties?.parameters.properties.device
    assert.deepEqual(device, {
      type: 'string',
      enum: ['mobile', 'desktop', 'tablet'],
      description: 'What visitors used (VARCHAR).',
    })
    assert.match(agent.client.getInstructions() ?? '', /Tools whose names begin with queries_ answer one question each/)
    assert.doesNotMatch(JSON.stringify(tools), /ORDER BY/)
  })

  it('reads rows, the snapshot that they are of, and exports them', async () => {
    const parameters = { device: 'desktop' }
    const rows = await agent.call('queries_funnel_by_step', { projectId: PROJECT, parameters, page: { limit: 1 } })
    assert.deepEqual([rows.isError, rows.structured], [false, undefined])
    assert.deepEqual(rows.texts[0].result.rows, [['view', 1]])
    assert.equal(rows.texts[0].result.shown, 'first 1 of 4')
    assert.equal(typeof rows.texts[0].result.nextCursor, 'string')
    assert.equal(typeof rows.texts[1].snapshot.sealedAt, 'string')
    const file = { projectId: PROJECT, parameters, format: 'csv' }
    const exported = await agent.call('projects_export', { ...file, query: 'funnel_by_step' })
    assert.deepEqual([exported.isError, exported.texts[0].result.rows], [false, 4])
    for (const wrong of [{ query: 'funnel_by_stp' }, { query: 'funnel_by_step', sql: 'SELECT 1' }]) {
      const { isError, texts } = await agent.call('projects_export', { ...file, ...wrong })
      assert.deepEqual([isError, texts[0].data], [true, { path: 'query' }])
    }
  })

  it('is told what is wrong with a value, and takes one unit per call', async () => {
    const before = service.usage.length
    const { isError, texts } = await agent.call('queries_funnel_by_step', { projectId: PROJECT, parameters: {} })
    assert.equal(isError, true)
    assert.deepEqual(texts[0].data, { path: 'parameters.device' })
    assert.deepEqual(
      service.usage.slice(before).map(({ method, outcome }) => `${method} ${outcome}`),
      ['queries/funnel_by_step@1 INVALID_PARAMS'],
    )
  })

  it('is told where values go that are beside "parameters", in every tool that takes some', async () => {
    const query = 'funnel_by_step'
    const sql = 'SELECT $device AS device'
    for (const [tool, params] of [
      ['queries_funnel_by_step', { device: 'desktop' }],
      ['queries_funnel_by_step', { Device: 'desktop', parameters: { device: 'mobile' } }],
      ['projects_query', { sql, device: 'desktop' }],
      ['projects_query', { sql, device: 'desktop', parameters: { device: 'mobile' } }],
      ['projects_export', { sql, device: 'desktop' }],
      ['projects_export', { query, device: 'desktop' }],
    ] as const) {
      const before = service.usage.length
      const { isError, texts } = await agent.call(tool, { projectId: PROJECT, ...params })
      const [name] = Object.keys(params).filter(each => /device/i.test(each))
      assert.deepEqual([isError, texts[0].class, texts[0].data.path], [true, 'INVALID_PARAMS', name], tool)
      assert.equal(texts[0].message, `Send "${name}" inside of "parameters": { "parameters": { "${name}": … } }.`)
      assert.equal(service.usage.length, before + 1)
    }
    const colour = await agent.call('projects_query', { projectId: PROJECT, sql: 'SELECT 1', colour: 'red' })
    assert.deepEqual([colour.isError, colour.texts[0].warnings[0].path], [false, 'colour'])
  })

  it('has only those tools that the key may run, without what the key sets', async () => {
    const caller = { keyId: 'k-part', ownerId: 'ada', organizations: ['north'] }
    const only = { queries: ['orders_of_customer', 'best_products@7'], parameters: { customer: 1 } }
    service.host.callers.set('key-part', { ...caller, only })
    const partner = await connectAgent(service, 'key-part')
    try {
      const { tools } = await partner.client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['projects_list', 'queries_orders_of_customer'],
      )
      assert.doesNotMatch(JSON.stringify(tools.at(-1)?.inputSchema), /customer"/)
      const { texts } = await partner.call('queries_orders_of_customer', { projectId: PROJECT })
      assert.deepEqual(
        texts[0].result.rows.map((row: unknown[]) => row[0]),
        [1, 3],
      )
      for (const name of ['customer', 'Customer']) {
        const params = { projectId: PROJECT, parameters: { [name]: 2 } }
        const sent = await partner.call('queries_orders_of_customer', params)
        assert.deepEqual(
          [sent.isError, sent.texts[0].class, sent.texts[0].message, sent.texts[0].data],
          [
            true,
            'INVALID_PARAMS',
            `The parameter "${name}" is set by the key: leave it out.`,
            { path: `parameters.${name}` },
          ],
        )
      }
      await assert.rejects(partner.call('queries_best_products', { projectId: PROJECT }), /not found/i)
    } finally {
      await partner.close()
      service.host.callers.delete('key-part')
    }
  })
})
