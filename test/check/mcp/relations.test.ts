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
    { name: 'entity_key', type: 'VARCHAR', references: 'entities.entity_key' },
    { name: 'item', type: 'VARCHAR' },
    { name: 'amount', type: 'BIGINT' },
  ],
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
    assert.deepEqual([Object.keys(result), more], [['relations'], {}])
    assert.deepEqual(result.relations.slice(0, 2), [TOTALS, AMOUNTS])
    const entities = result.relations[2]
    assert.deepEqual([entities.about, entities.unique], ['One holder of an entity.', ['entity_key', 'parent_key']])
    assert.deepEqual(entities.notes, [
      'entity_key is not unique: one row per entity_key and parent_key. Joining on it multiplies rows.',
    ])
    assert.deepEqual(structured, texts[0])
  })

  it('needs no engine for relations that the catalogue tells whole', async () => {
    const events = service.events.length
    await describing({ relations: ['totals', 'entities'] })
    const [told, ...others] = service.events.slice(events)
    assert.ok(told?.type === 'call' && others.length === 0)
    assert.equal('build' in told.phasesMs, false)
  })

  it('is what the other entry points tell when no relations are named, and what a row of a table is', async () => {
    const params = { projectId: PROJECT, relation: 'amounts' }
    const { body } = await service.call('projects/describe', params)
    const result = body.result as ProjectDescription
    const tables = new Map([['entities', 'One holder of an entity.']])
    const relations = result.relations.map(each => {
      const about = each.about ?? tables.get(each.name)
      return about === undefined ? each : { ...each, about }
    })
    const told = { result: { ...result, relations } }
    for (const none of [undefined, null, []])
      assert.deepEqual((await describing({ relation: 'amounts', relations: none })).texts[0], told)
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
    const wrong = await describing({ relation: 'total', relations: ['totals'] })
    assert.deepEqual([wrong.texts[0].class, wrong.texts[0].data.path], ['INVALID_PARAMS', 'relation'])
    const foreign = await describing({ projectId: FOREIGN_PROJECT, relations: ['totals'] })
    assert.equal(foreign.texts[0].class, 'FORBIDDEN')
  })

  it('is described by the schemas and texts of the tools', async () => {
    const { tools } = await agent.client.listTools()
    const tool = tools.find(({ name }) => name === 'projects_describe')
    const { relations } = tool?.inputSchema.properties as { relations: { maxItems: number } }
    assert.equal(relations.maxItems, 20)
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
    const { columns: _, ...bare } = AMOUNTS
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
