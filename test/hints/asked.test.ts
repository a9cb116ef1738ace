import assert from 'node:assert/strict'
import { defineCatalogue, defineQuery } from 'foldgate'
import { after, before, describe, it } from 'mocha'
import { openWorld, type World } from '../agents/world.js'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { METER_FILES, meters } from './meters.js'

interface Hint {
  kind: string
  message: string
  at?: { line: number; column: number }
  instead?: string
}

const catalogue = defineCatalogue({
  relations: [...meters.relations.values()],
  queries: [
    defineQuery({
      name: 'sites_at_risk',
      version: 1,
      about: 'The sites of a risk. Its own SQL would have a hint.',
      parameters: { level: { type: 'VARCHAR', about: 'The risk' } },
      sql: 'SELECT name FROM sites WHERE risk = $level LIMIT 10',
      columns: { name: 'VARCHAR' },
    }),
  ],
})

describe('hints in each method', () => {
  let service: Service

  before(async () => {
    service = await startService({ catalogue, files: METER_FILES })
  })
  after(() => service.close())

  const ask = async (method: string, params: object, key?: string) => {
    const { status, body } = await service.call(method, { projectId: PROJECT, include: ['hints'], ...params }, key)
    assert.equal(status, 200, body.message)
    return body.result as { hints: Hint[]; items?: object[]; rows?: number }
  }
  const WRONG = "SELECT name FROM sites\nWHERE risk = 'Hi'"

  it('are beside the link of an export, and in a dry run', async () => {
    const file = await ask('projects/export', { sql: WRONG, format: 'csv' })
    const dry = await ask('projects/query', { sql: WRONG, dryRun: true })
    assert.deepEqual(file.hints[0]?.at, { line: 2, column: 14 })
    assert.deepEqual(dry.hints, file.hints)
    assert.deepEqual(file.rows, 0)
  })

  it('are about values of parameters, too', async () => {
    const sql = 'SELECT name FROM sites WHERE risk = $Risk'
    const { hints } = await ask('projects/query', { sql, parameters: { Risk: 'LOW' } })
    assert.deepEqual(
      hints.map(({ kind, at }) => [kind, at]),
      [['value', { line: 1, column: 35 }]],
    )
    assert.match(hints[0]?.message ?? '', /never has the value \$Risk\. Did you mean 'low'\?/)
    assert.deepEqual((await ask('projects/query', { sql, parameters: { Risk: 'low' } })).hints, [])
    const typed = { Risk: { type: 'VARCHAR', value: 'High' } }
    assert.equal((await ask('projects/query', { sql, parameters: typed })).hints.length, 1)
    assert.deepEqual((await ask('projects/query', { sql, parameters: { Risk: null } })).hints, [])
  })

  /** The hints of a named query for a value. */
  const named = async (level: string) => {
    const response = await fetch(`${service.url}/public/v1/queries/sites_at_risk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.north}` },
      body: JSON.stringify({ projectId: PROJECT, include: ['hints'], parameters: { level } }),
    })
    assert.equal(response.status, 200)
    return ((await response.json()) as { result: { hints: Hint[] } }).result.hints
  }

  it('of a named query are about the values alone, and tell no place in SQL that is not the caller’s', async () => {
    assert.deepEqual(
      (await named('HIGH')).map(hint => [hint.kind, hint.at, hint.instead]),
      [['value', undefined, undefined]],
    )
    assert.deepEqual(await named('high'), [])
  })

  it('are of the numbers in the statement, also when its shape was seen with others', async () => {
    const of = async (id: number) =>
      (await ask('projects/query', { sql: `SELECT name FROM sites WHERE site_id = ${id}` })).hints.map(
        ({ kind }) => kind,
      )
    assert.deepEqual([await of(1), await of(9), await of(4), await of(8)], [[], ['range'], [], ['range']])
  })

  it('come alike with each page', async () => {
    const sql = "SELECT name FROM sites WHERE country IN ('DE', 'fr') ORDER BY name"
    const first = await ask('projects/query', { sql, page: { limit: 1 } })
    const { nextCursor } = first as { nextCursor?: string }
    const second = await ask('projects/query', { sql, page: { cursor: nextCursor } })
    assert.equal(first.hints.length, 1)
    assert.deepEqual(second.hints, first.hints)
  })

  it('rest on more than descriptions tell of a column', async () => {
    const params = { projectId: PROJECT, relation: 'readings', include: ['statistics'] }
    const { body } = await service.call('projects/describe', params)
    const columns = (body.result?.columns ?? []) as { name: string; statistics?: object }[]
    const unit = columns.find(({ name }) => name === 'unit')
    assert.deepEqual(unit?.statistics, { nulls: 0, distinct: 2, values: ['kWh', 'm3'] })
  })

  it('are refused where there are none', async () => {
    const { status } = await service.call('projects/describe', { projectId: PROJECT, include: ['hints'] }, KEYS.north)
    assert.equal(status, 400)
  })
})

describe('hints on statements of vendors', () => {
  let world: World

  before(async function () {
    this.timeout(120_000)
    world = await openWorld()
  })
  after(() => world?.close())

  for (const over of ['demo', 'shop'] as const)
    it(`are none for the worked queries of the ${over}`, async function () {
      this.timeout(120_000)
      const service = world.services[over]
      const { body } = await service.call('projects/describe', { projectId: PROJECT })
      const examples = body.result?.examples ?? []
      assert.ok(examples.length > 10)
      const wrong: string[] = []
      for (const { sql } of examples) {
        const asked = await service.call('projects/query', { projectId: PROJECT, sql, include: ['hints'] })
        assert.equal(asked.status, 200, asked.body.message)
        const { hints = [] } = asked.body.result as { hints?: Hint[] }
        for (const { message } of hints) wrong.push(`${message}: ${sql}`)
      }
      assert.deepEqual(wrong, [])
    })
})
