import assert from 'node:assert/strict'
import { defineCatalogue, defineQuery, defineTable } from 'foldgate'
import { mcpEndpoint } from 'foldgate/mcp'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { type Agent, connectAgent } from './agent.js'

const ANIMALS = ['otter', 'heron', 'badger', 'newt', 'marten', 'curlew', 'adder', 'pike', 'lynx', 'vole']

/** A catalogue with so many named queries, each of which counts the amounts of an item above some least one. */
function catalogueOf(count: number, more = '') {
  const queries = Array.from({ length: count }, (_, at) => {
    const animal = `${ANIMALS[at % ANIMALS.length]}${at < ANIMALS.length ? '' : at}`
    return defineQuery({
      name: `${animal}_by_item`,
      version: 1,
      about: `How many amounts of each item does the ${animal} see?${more}`,
      parameters: {
        least: { type: 'DOUBLE', about: `Smallest amount that counts${more}`, default: 0 },
        items: { type: 'VARCHAR[]', about: 'Items that count', default: null },
      },
      columns: { item: { type: 'VARCHAR', about: 'What is counted' }, amounts: { type: 'BIGINT', about: 'How many' } },
      sql: `SELECT item, count(*) AS amounts FROM amounts
        WHERE amount >= $least AND ($items IS NULL OR list_contains($items, item)) GROUP BY item ORDER BY item`,
    })
  })
  return defineCatalogue({
    relations: [defineTable({ name: 'amounts', columns: { item: 'VARCHAR', amount: 'DOUBLE' } })],
    queries,
  })
}

const FILES = { 'amounts.csv': 'item,amount\nland,1\nland,5\nwater,3\n' }
const MOST_BYTES = 16_000
const MOST_CHARACTERS = 1024
const LONG = ` ${'It counts each of them once, whatever its amount. '.repeat(40)}`

/** Every schema in a value. */
function* schemasIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const member of Object.values(value)) yield* schemasIn(member)
}

describe('the tools for agents', () => {
  for (const [count, more, own] of [
    [0, '', 0],
    [1, LONG, 1],
    [8, '', 8],
    [20, '', 'one'],
    [8, LONG, 'one'],
    [200, LONG, 'one'],
  ] as const)
    it(`are at most 16 kB, with ${count} queries of ${more.length} further characters`, async () => {
      const service = await startService({ catalogue: catalogueOf(count, more), files: FILES, mcp: mcpEndpoint() })
      const agent = await connectAgent(service)
      try {
        const { tools } = await agent.client.listTools()
        const bytes = Buffer.byteLength(JSON.stringify(tools))
        assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`)
        const names = tools.map(({ name }) => name).filter(name => name.startsWith('queries_'))
        assert.deepEqual(own === 'one' ? names : names.length, own === 'one' ? ['queries_run'] : own)
        for (const { description, type } of schemasIn(tools)) {
          assert.ok(!Array.isArray(type), 'some clients refuse lists of types')
          if (typeof description === 'string') assert.ok(description.length <= MOST_CHARACTERS, description)
        }
      } finally {
        await agent.close()
        await service.close()
      }
    })

  describe('where there are more queries than a model reads', () => {
    let service: Service
    let agent: Agent
    before(async () => {
      service = await startService({ catalogue: catalogueOf(30), files: FILES, mcp: mcpEndpoint() })
      agent = await connectAgent(service)
    })
    after(async () => {
      await agent.close()
      await service.close()
    })

    const run = async (params: object) => {
      const before = service.usage.length
      const { isError, texts } = await agent.call('queries_run', { ...params })
      assert.equal(service.usage.length, before + 1, 'a call takes a unit')
      return { isError, told: texts[0] }
    }

    it('find a query by words of its name and description, however they end', async () => {
      assert.match(agent.client.getInstructions() ?? '', /queries_run answers questions .* which its "search" finds/)
      for (const search of ['badgers', 'What does the BADGER see of each item?', 'badger_by_item']) {
        const { told } = await run({ search })
        const [first] = told.result.queries
        assert.deepEqual([first.query, Object.keys(first.parameters)], ['badger_by_item', ['least', 'items']], search)
        assert.match(first.about, /^How many amounts of each item does the badger see\? Columns: item VARCHAR/)
      }
      const common = (await run({ search: 'item' })).told.result
      assert.deepEqual([common.queries.length, common.shown], [5, 'first 5 of 30'])
      for (const search of ['zebra', '', undefined]) {
        const { result } = (await run({ search })).told
        assert.deepEqual([result.shown, result.names.length, result.queries], ['none of 30 fits', 30, undefined])
      }
    })

    it('run it, and say what is wrong with the call', async () => {
      const params = { projectId: PROJECT, query: 'badger_by_item' }
      assert.deepEqual((await run({ ...params, parameters: { least: 3 } })).told.result.rows, [
        ['land', 1],
        ['water', 1],
      ])
      const beside = await run({ ...params, least: 3 })
      assert.deepEqual([beside.isError, beside.told.data], [true, { path: 'least' }])
      const wrong = await run({ ...params, parameters: { lest: 3 } })
      assert.deepEqual([wrong.isError, wrong.told.data], [true, { path: 'parameters.lest' }])
      const unknown = await run({ ...params, query: 'bager_by_item' })
      assert.deepEqual([unknown.isError, unknown.told.data], [true, { path: 'query' }])
      assert.match(unknown.told.message, /Did you mean "badger_by_item"\?/)
      await assert.rejects(agent.call('queries_badger_by_item', params), /not found/i)
    })

    it('take null for what is optional, and for values', async () => {
      const none = { page: null, include: null, snapshot: null }
      const query = await run({ projectId: PROJECT, query: 'newt_by_item', search: null, parameters: null, ...none })
      const rows = [
        ['land', 2],
        ['water', 1],
      ]
      assert.deepEqual([query.isError, query.told], [false, { result: { ...query.told.result, rows } }])
      const values = await run({ projectId: PROJECT, query: 'newt_by_item', parameters: { items: null }, ...none })
      assert.deepEqual(values.told.result.rows, rows)
      const sql = 'SELECT $x::INTEGER AS x'
      const given = { sql, parameters: { x: null }, dryRun: null, ...none, page: { limit: null, cursor: null } }
      const own = await agent.call('projects_query', { projectId: PROJECT, ...given })
      assert.deepEqual([own.isError, own.texts[0].result.rows, own.texts[0].warnings], [false, [[null]], undefined])
      const file = { sql: 'SELECT 1 AS one', format: null, csvInjection: null, parameters: null, query: null }
      const exported = await agent.call('projects_export', { projectId: PROJECT, ...file, include: null })
      assert.deepEqual([exported.isError, exported.texts[0].result.rows], [false, 1])
      const listed = await agent.call('projects_list', { page: null })
      assert.deepEqual([listed.isError, listed.texts[0].warnings], [false, undefined])
    })
  })
})
