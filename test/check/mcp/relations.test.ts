import assert from 'node:assert/strict'
import { defineCatalogue, defineFold, defineTable, memoryQuota } from 'foldgate'
import type { ProjectDescription } from 'foldgate/client'
import { mcpEndpoint } from 'foldgate/mcp'
import { FOREIGN_PROJECT, KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { type Agent, connectAgent } from './agent.js'

const CALLS = 600

/** A tree whose key repeats, a described fold, and a table of which only its file tells the columns. */
const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: [
    defineTable({
      name: 'entities',
      about: 'One holder of an entity.',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', ownership_share: 'DOUBLE' },
      unique: ['entity_key', 'parent_key'],
    }),
    defineTable({ name: 'amounts', references: { entity_key: 'entities.entity_key' } }),
    defineFold({
      name: 'totals',
      about: 'One item, with its amount over the point of view.',
      columns: { item: 'VARCHAR', total: { type: 'DOUBLE', about: 'Weighed by ownership', unit: 't' } },
      unique: ['item'],
      values: { item: ['land', 'water'] },
      reads: ['amounts', 'point_of_view'],
      sql: 'SELECT item, sum(amount * share) AS total FROM amounts JOIN point_of_view USING (entity_key) GROUP BY item',
    }),
  ],
  examples: [{ question: 'Which item weighs most?', sql: 'SELECT * FROM totals ORDER BY total DESC, item' }],
})

const TOTALS = {
  name: 'totals',
  kind: 'fold',
  about: 'One item, with its amount over the point of view.',
  columns: [
    { name: 'item', type: 'VARCHAR', values: ['land', 'water'] },
    { name: 'total', type: 'DOUBLE', about: 'Weighed by ownership', unit: 't' },
  ],
  unique: ['item'],
}
const AMOUNTS = {
  name: 'amounts',
  kind: 'table',
  columns: [
    {
      name: 'entity_key',
      type: 'VARCHAR',
      references: 'entities.entity_key',
      statistics: { values: ['group', 'half', 'joint', 'leaf'] },
    },
    { name: 'item', type: 'VARCHAR', statistics: { values: ['land', 'water'] } },
    { name: 'amount', type: 'BIGINT', statistics: { min: 7, max: 100 } },
  ],
  rows: 5,
}

describe('what agents are told of relations', () => {
  let service: Service
  let agent: Agent
  before(async () => {
    const quota = memoryQuota({ calls: CALLS, windowMs: 3_600_000 })
    service = await startService({ catalogue, mcp: mcpEndpoint(), quota })
    agent = await connectAgent(service)
  })
  after(async () => {
    await agent.close()
    await service.close()
  })

  const describing = (params: object) => agent.call('projects_describe', { projectId: PROJECT, ...params })

  it('is what several of them mean, in one call and in the order of their names', async () => {
    const before = service.usage.length
    const { texts, structured } = await describing({ relations: ['totals', 'amounts', 'entities', 'totals'] })
    assert.equal(service.usage.length, before + 1)
    const { result, ...more } = texts[0]
    assert.deepEqual([Object.keys(result), more], [['relations', 'examples'], {}])
    assert.deepEqual(result.examples, catalogue.examples)
    assert.deepEqual(result.relations.slice(0, 2), [TOTALS, AMOUNTS])
    const entities = result.relations[2]
    assert.deepEqual([entities.about, entities.unique], ['One holder of an entity.', ['entity_key', 'parent_key']])
    assert.deepEqual(entities.notes, [
      'entity_key is not unique: one row per entity_key and parent_key. Joining on it multiplies rows.',
    ])
    assert.equal(structured, undefined)
    const others = await describing({ relations: ['amounts', 'entities'] })
    assert.equal(others.texts[0].result.examples, undefined) // no worked query reads them
  })

  it('needs no engine for relations that the catalogue tells whole', async () => {
    const events = service.events.length
    await describing({ relations: ['totals', 'entities'] })
    const [told, ...others] = service.events.slice(events)
    assert.ok(told?.type === 'call' && others.length === 0)
    assert.equal('build' in told.phasesMs, false)
  })

  it('is what a row of each is when no relations are named, and which questions are worked', async () => {
    const { body } = await service.call('projects/describe', { projectId: PROJECT })
    const { relations: listed, examples } = body.result as ProjectDescription
    const tables = new Map([['entities', 'One holder of an entity.']])
    const relations = listed.map(each => {
      const about = each.about ?? tables.get(each.name)
      return about === undefined ? each : { ...each, about }
    })
    const told = { result: { relations, questions: examples.map(({ question }) => question) } }
    for (const none of [undefined, null, []]) assert.deepEqual((await describing({ relations: none })).texts[0], told)
    const unread = await service.call('projects/describe', { projectId: PROJECT, relations: ['amounts'] })
    assert.equal(unread.body.warnings?.[0]?.path, 'relations') // only the tool has this param
  })

  it('refuses what is no list of at most 20 relations, and says which name is wrong', async () => {
    for (const [relations, message] of [
      [['amounts', 'total'], /no relation "total"\. Did you mean "totals"\?/],
      [['zzz'], /no relation "zzz"\. Describe the project without "relations"/],
      ['amounts', /must be a list/],
      [[1], /must be a list/],
      [Array(21).fill('amounts'), /more than 20 names\. Describe the others in further calls/],
    ] as const) {
      const { isError, texts } = await describing({ relations })
      assert.deepEqual([isError, texts.length], [true, 1])
      assert.deepEqual([texts[0].class, texts[0].data.path], ['INVALID_PARAMS', 'relations'])
      assert.match(texts[0].message, message)
    }
    assert.equal((await describing({ relations: Array(20).fill('totals') })).isError, false)
    const single = await describing({ relation: 'totals' })
    assert.deepEqual([single.texts[0].class, single.texts[0].data.path], ['INVALID_PARAMS', 'relation'])
    assert.match(single.texts[0].message, /"relations", which is a list/)
    const foreign = await describing({ projectId: FOREIGN_PROJECT, relations: ['totals'] })
    assert.equal(foreign.texts[0].class, 'FORBIDDEN')
  })

  it('is described by the schemas and texts of the tools', async () => {
    const { tools } = await agent.client.listTools()
    const tool = tools.find(({ name }) => name === 'projects_describe')
    const { relations, relation } = tool?.inputSchema.properties as Record<string, { maxItems: number }>
    assert.deepEqual([relations?.maxItems, relation], [20, undefined])
    assert.match(tool?.description ?? '', /With "relations" \(at most 20 names\)/)
    assert.match(agent.client.getInstructions() ?? '', /describe them together, with "relations" of projects_describe/)
  })

  it('are short in the catalogue, and whole in a resource each', async () => {
    const uris = (await agent.client.listResources()).resources.map(({ uri }) => uri)
    const names = ['totals', 'entities', 'amounts']
    const expected = [
      'foldgate://catalogue',
      'foldgate://examples',
      ...names.map(name => `foldgate://catalogue/${name}`),
    ]
    assert.deepEqual(uris.sort(), expected.sort())
    const { resourceTemplates } = await agent.client.listResourceTemplates()
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ['foldgate://catalogue/{relation}'],
    )
    const usage = service.usage.length
    const text = await agent.read('foldgate://catalogue')
    assert.deepEqual(JSON.parse(text), [
      { name: 'totals', kind: 'fold', about: TOTALS.about },
      { name: 'entities', kind: 'table', about: 'One holder of an entity.' },
      { name: 'amounts', kind: 'table' },
    ])
    assert.equal(text.split('\n').length, 5)
    assert.deepEqual(JSON.parse(await agent.read('foldgate://catalogue/totals')), TOTALS)
    assert.equal(service.usage.length, usage, 'what the catalogue tells takes no unit of quota')
    assert.deepEqual(JSON.parse(await agent.read('foldgate://catalogue/amounts')), AMOUNTS)
    assert.equal(service.usage.length, usage + 2)
    await assert.rejects(agent.read('foldgate://catalogue/total'), /not found/i)
  })

  it('have the columns of the catalogue alone for a key without a computed project', async () => {
    const nobody = await connectAgent(service, KEYS.none)
    const { columns: _, rows: __, ...bare } = AMOUNTS
    assert.deepEqual(JSON.parse(await nobody.read('foldgate://catalogue/amounts')), bare)
    assert.deepEqual(JSON.parse(await nobody.read('foldgate://catalogue/totals')), TOTALS)
    await nobody.close()
  })

  it('come with worked queries, each of which runs', async () => {
    const examples = JSON.parse(await agent.read('foldgate://examples')) as { sql: string }[]
    assert.deepEqual(examples, catalogue.examples)
    for (const { sql } of examples)
      assert.equal((await agent.call('projects_query', { projectId: PROJECT, sql })).isError, false)
  })
})

/** Two tables with the same currency, and amounts that mean different things. */
const CURRENCY = { type: 'VARCHAR', about: 'Currency in which the customer has paid, as ISO 4217 has it' }
const AMOUNT = { type: 'DOUBLE', about: 'What the customer has paid, with taxes' }
const ID = { type: 'BIGINT' }
const repeating = defineCatalogue({
  relations: [
    defineTable({
      name: 'orders',
      columns: { order_id: ID, currency: CURRENCY, amount: AMOUNT },
      values: { currency: ['EUR', 'CHF'] },
      unique: ['order_id'],
    }),
    defineTable({
      name: 'refunds',
      columns: { order_id: ID, currency: CURRENCY, amount: { ...AMOUNT, about: 'What the customer got back' } },
      values: { currency: ['EUR', 'CHF'] },
      references: { order_id: 'orders.order_id' },
    }),
  ],
  examples: [
    { question: 'How much was paid?', sql: 'SELECT sum(amount) AS paid FROM orders' },
    { question: 'What came back?', sql: 'SELECT sum(r.amount) AS refunded FROM Refunds AS r' },
  ],
})

describe('what agents are told of columns that several relations have', () => {
  let service: Service
  let agent: Agent
  before(async () => {
    const files = {
      'orders.csv': 'order_id,currency,amount\n1,EUR,5\n',
      'refunds.csv': 'order_id,currency,amount\n1,EUR,2\n',
    }
    service = await startService({ catalogue: repeating, files, mcp: mcpEndpoint() })
    agent = await connectAgent(service)
  })
  after(async () => {
    await agent.close()
    await service.close()
  })

  const told = async (...relations: string[]) => {
    const { texts } = await agent.call('projects_describe', { projectId: PROJECT, relations })
    return texts[0].result
  }
  const currency = { name: 'currency', ...CURRENCY, values: ['EUR', 'CHF'] }
  const orderId = { name: 'order_id', type: 'BIGINT', references: 'orders.order_id' }
  const refunded = { name: 'amount', type: 'DOUBLE', about: 'What the customer got back' }

  it('is what they mean, once', async () => {
    const meant = (columns: { statistics?: object }[]) => columns.map(({ statistics: _, ...column }) => column)
    const [orders, refunds] = (await told('orders', 'refunds')).relations
    const own = [{ name: 'order_id', type: 'BIGINT' }, currency, { name: 'amount', ...AMOUNT }]
    assert.deepEqual(meant(orders.columns), own)
    assert.deepEqual(orders.columns[2].statistics, { min: 5, max: 5 })
    assert.deepEqual(meant(refunds.columns), [orderId, { name: 'currency', type: 'VARCHAR', as: 'orders' }, refunded])
    assert.deepEqual(meant((await told('refunds')).relations[0].columns), [orderId, currency, refunded])
  })

  it('comes with the worked queries over the relations that are asked for', async () => {
    assert.deepEqual((await told('orders')).examples, [repeating.examples[0]])
    assert.deepEqual((await told('refunds')).examples, [repeating.examples[1]])
    assert.deepEqual((await told('refunds', 'orders')).examples, repeating.examples)
  })
})
