import assert from 'node:assert/strict'
import { mcpEndpoint } from 'foldgate/mcp'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { SHOP, SHOP_VENDOR, shop } from '../../service/shop.js'
import { type Agent, connectAgent } from './agent.js'

/** Words of vendors whose entities own each other. */
const FOREIGN = /assess|ownership|\bentit(y|ies)\b|entityId|subtree|point.of.view|\bnet\b|\bgross\b|nature|\bco2|ipbes/i

const NEW = '77777777-7777-4777-8777-777777777777'

describe('an agent over a shop', () => {
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

  /** The result of a tool. */
  async function told(name: string, params: object) {
    const { isError, texts } = await agent.call(name, { projectId: PROJECT, ...params })
    assert.equal(isError, false, JSON.stringify(texts))
    return texts[0].result
  }

  it('reads nothing of entities, ownership and assessments: in instructions, tools and resources', async () => {
    const { tools } = await agent.client.listTools()
    const { resources } = await agent.client.listResources()
    assert.deepEqual([tools.length, resources.length > 2], [10, true])
    const texts = [agent.client.getInstructions() ?? '', JSON.stringify(tools), JSON.stringify(resources)]
    for (const { uri } of resources) texts.push(await agent.read(uri))
    for (const text of texts) {
      assert.ok(text.length > 2)
      assert.doesNotMatch(text, FOREIGN)
    }
  })

  it('is told nothing of them in answers and failures either', async () => {
    const sql = 'SELECT month FROM monthly_revenue'
    const answers = [
      await agent.call('projects_list', {}),
      await agent.call('projects_describe', { projectId: PROJECT }),
      await agent.call('projects_describe', { projectId: PROJECT, relations: [...shop.relations.keys()].slice(0, 6) }),
      await agent.call('projects_query', { projectId: PROJECT, sql }),
      await agent.call('projects_export', { projectId: PROJECT, sql, format: 'csv' }),
      await agent.call('projects_query', { projectId: PROJECT, sql: 'FROM revenues' }),
      await agent.call('projects_query', { projectId: PROJECT, sql, page: { cursor: 'x' } }),
      await agent.call('projects_query', { projectId: service.host.addProject({ projectId: NEW }).projectId, sql }),
    ]
    assert.deepEqual(
      answers.map(({ isError }) => isError),
      [false, false, false, false, false, true, true, true],
    )
    for (const { texts } of answers) assert.doesNotMatch(JSON.stringify(texts), FOREIGN)
  })

  it('learns from one call how to add up orders in several currencies, with refunds', async () => {
    const { relations } = await told('projects_describe', { relations: ['orders', 'refunds', 'paid_orders'] })
    const [orders, refunds, paid] = relations
    assert.match(orders.about, /Refunds are not subtracted/)
    const column = (relation: typeof orders, name: string) =>
      relation.columns.find((each: { name: string }) => each.name === name)
    assert.match(column(orders, 'total').about, /Multiply by eur_rate/)
    assert.deepEqual(column(orders, 'currency').values, ['EUR', 'GBP', 'USD', 'CHF'])
    assert.deepEqual(column(orders, 'state').values, ['open', 'paid', 'cancelled'])
    assert.equal(column(refunds, 'order_id').references, 'orders.order_id')
    assert.equal(column(refunds, 'amount').unit, 'currency of the order')
    assert.deepEqual([column(paid, 'revenue').unit, column(paid, 'revenue').about], ['EUR', 'paid minus refunded'])
  })

  it('runs every worked question that the resource of examples has', async () => {
    const examples = JSON.parse(await agent.read('foldgate://examples')) as { question: string; sql: string }[]
    assert.deepEqual(
      examples.map(({ question }) => question),
      SHOP_VENDOR.examples.map(({ question }) => question),
    )
    for (const { sql } of examples) assert.ok((await told('projects_query', { sql })).rows.length > 0, sql)
  })

  it('is warned that a point of view is not read', async () => {
    const { isError, texts } = await agent.call('projects_query', {
      projectId: PROJECT,
      sql: 'SELECT 1',
      entityId: 'x',
    })
    assert.deepEqual([isError, texts[0].warnings.map(({ path }: { path: string }) => path)], [false, ['entityId']])
  })

  it('lists the relations to a key that reads no project', async () => {
    const nobody = await connectAgent(service, KEYS.none)
    const relations = JSON.parse(await nobody.read('foldgate://catalogue')) as { name: string }[]
    await nobody.close()
    const { folds, tables } = SHOP_VENDOR
    assert.deepEqual(
      relations.map(({ name }) => name),
      [...folds.map(([name]) => name), ...tables],
    )
  })
})
