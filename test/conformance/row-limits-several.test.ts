import assert from 'node:assert/strict'
import { defineCatalogue, defineFold, defineQuery, defineTable } from 'foldgate'
import { type LimitedService, startLimited } from '../service/limited.js'
import { KEYS, PROJECT } from '../service/service.js'

const DEPARTMENTS = {
  'staff.csv': 'staff_id,department,region,name\n1,17,north,Ada\n2,17,south,Bob\n3,18,north,Cy\n4,,north,Di\n',
  'shifts.csv': 'shift_id,staff_id,hours\n10,1,4\n11,2,8\n12,3,2\n13,4,9\n14,,7\n',
  'swaps.csv': 'swap_id,shift_id\n100,10\n101,11\n102,12\n103,14\n',
  'rota_days.csv': 'rota_id,day\n1,2026-01-01\n',
  'days.csv': 'day\n2026-01-01\n2026-01-02\n',
  'secrets.csv': 'secret\nnobody\n',
}
const hospital = defineCatalogue({
  rowLimits: { department: { type: 'BIGINT', about: 'Number of a department' }, region: { type: 'VARCHAR' } },
  relations: [
    defineTable({
      name: 'staff',
      columns: { staff_id: 'BIGINT', department: 'INTEGER', region: 'VARCHAR', name: 'VARCHAR' },
      unique: ['staff_id'],
      rowLimits: { department: 'department', region: 'region' },
    }),
    defineTable({
      name: 'shifts',
      references: { staff_id: 'staff.staff_id' },
      rowLimits: { department: { through: 'staff_id' }, region: { through: 'staff_id' } },
    }),
    defineTable({
      name: 'swaps',
      references: { shift_id: 'shifts.shift_id' },
      rowLimits: { department: { through: 'shift_id' } },
    }),
    defineTable({ name: 'rota', optional: true, rowLimits: { department: 'department' } }),
    defineTable({
      name: 'rota_days',
      references: { rota_id: 'rota.rota_id' },
      rowLimits: { department: { through: 'rota_id' } },
      warnings: ['rota_id'],
    }),
    defineTable({ name: 'days', rowLimits: 'none' }),
    defineTable({ name: 'secrets' }),
    defineFold({
      name: 'hours',
      about: 'One department: its hours.',
      reads: ['shifts', 'staff'],
      sql: 'SELECT department, sum(hours) AS hours FROM shifts JOIN staff USING (staff_id) GROUP BY ALL',
    }),
    defineFold({
      name: 'average',
      about: 'One row: hours of a shift, over all departments.',
      reads: ['shifts'],
      sql: 'SELECT avg(hours) AS hours FROM shifts',
      rowLimits: 'none',
    }),
    defineFold({ name: 'told', about: 'One secret.', reads: ['secrets', 'days'], sql: 'SELECT secret FROM secrets' }),
  ],
  queries: [
    defineQuery({
      name: 'colleagues',
      version: 1,
      about: 'Names in departments.',
      parameters: { department: { type: 'BIGINT[]', about: 'Departments' } },
      sql: 'SELECT name FROM staff WHERE list_contains($department, department) ORDER BY name',
    }),
  ],
  examples: [
    { question: 'Who works?', sql: 'SELECT name FROM staff' },
    { question: 'Who swaps?', sql: 'SELECT * FROM swaps' },
  ],
})

describe('several row limits', () => {
  let of: LimitedService
  before(async () => {
    of = await startLimited({ catalogue: hospital, files: DEPARTMENTS })
  })
  after(() => of.close())

  const rows = async (sql: string, key: string) => {
    const { result, outcome, message } = await of.everywhere('projects/query', { projectId: PROJECT, sql }, key)
    return outcome === 'OK' ? result.items.map((row: object) => Object.values(row)[0]) : message
  }
  const department = { department: [17] }

  it('hold together, and a NULL is nobody’s', async () => {
    const [one, both, all] = [
      of.limited({ rows: department }),
      of.limited({ rows: { ...department, region: ['north'] } }),
      of.limited({ rows: { department: [17, 18, 18] } }),
    ] as [string, string, string]
    const names = 'SELECT name FROM staff ORDER BY 1'
    assert.deepEqual(await rows(names, one), ['Ada', 'Bob'])
    assert.deepEqual(await rows(names, both), ['Ada'])
    assert.deepEqual(await rows(names, all), ['Ada', 'Bob', 'Cy'])
    const shifts = 'SELECT shift_id FROM shifts ORDER BY 1'
    assert.deepEqual(await rows(shifts, one), [10, 11])
    assert.deepEqual(await rows(shifts, both), [10])
    assert.deepEqual(await rows(shifts, all), [10, 11, 12])
    assert.deepEqual(await rows('SELECT swap_id FROM swaps ORDER BY 1', all), [100, 101, 102])
    assert.deepEqual(await rows('SELECT hours FROM hours ORDER BY 1', all), [2, 12])
    assert.deepEqual(await rows('SELECT hours FROM hours', both), [4])
    for (const table of ['rota', 'rota_days'])
      assert.deepEqual(await rows(`SELECT count(*) AS n FROM ${table}`, one), [0], 'the snapshot lacks rota')
    for (const key of [one, both, all, KEYS.north])
      assert.deepEqual(await rows('SELECT hours FROM average', key), [6], 'of all rows')
  })

  it('make a relation unknown that has no way to each of them, or says nothing', async () => {
    const both = of.limited({ rows: { ...department, region: ['north'] } })
    const described = async (key: string) => {
      const { result } = await of.everywhere('projects/describe', { projectId: PROJECT }, key)
      return [result.relations.map(({ name }: { name: string }) => name), result.examples.length]
    }
    assert.deepEqual(await described(of.limited({ rows: department })), [
      ['hours', 'average', 'staff', 'shifts', 'swaps', 'rota', 'rota_days', 'days'],
      2,
    ])
    assert.deepEqual(await described(both), [['hours', 'average', 'staff', 'shifts', 'days'], 1])
    for (const hidden of ['swaps', 'secrets', 'told']) {
      const unknown = (text: unknown) => JSON.stringify(text).replaceAll(hidden, 'xyzzy')
      const sql = `SELECT * FROM ${hidden}`
      assert.equal(unknown(await rows(sql, both)), unknown(await rows('SELECT * FROM xyzzy', both)))
    }
    const narrower = of.limited({ rows: department, relations: ['staff', 'secrets'] })
    assert.deepEqual((await described(narrower))[0], ['staff'])
    const document = await of.get('/public/v1/catalogue.json', both)
    assert.doesNotMatch(JSON.stringify(document.body), /swap|secret/)
  })

  it('are values of parameters of named queries, which nobody sends', async () => {
    const ask = async (key: string, parameters: object) => {
      const headers = { authorization: `Bearer ${key}` }
      const body = JSON.stringify({ projectId: PROJECT, parameters })
      const answer = await fetch(`${of.service.url}/public/v1/queries/colleagues`, { method: 'POST', headers, body })
      const { result, data } = (await answer.json()) as {
        result?: { items: { name: string }[] }
        data?: { path: string }
      }
      return result?.items.map(({ name }) => name) ?? data?.path
    }
    const key = of.limited({ rows: department })
    assert.deepEqual(await ask(key, {}), ['Ada', 'Bob'])
    assert.equal(await ask(key, { department: [18] }), 'parameters.department')
    assert.deepEqual(await ask(KEYS.north, { department: [18] }), ['Cy'])
    const { body } = await of.get('/public/v1/queries.json', key)
    assert.deepEqual(body.components.schemas.ColleaguesV1Params.properties.parameters, undefined)
  })
})
