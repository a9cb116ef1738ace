import assert from 'node:assert/strict'
import { KEYS, PROJECT, type Service, sharedService } from '../service/service.js'
import { JSON_ONLY_CASES, statementOf, TYPE_CASES } from './cases.js'

describe('rows as JSON', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  for (const typeCase of [...TYPE_CASES, ...JSON_ONLY_CASES]) {
    it(`writes ${typeCase.name}`, async () => {
      const { body } = await service.call('projects/query', { projectId: PROJECT, sql: statementOf([typeCase]) })
      const values = body.result?.items?.map(row => row[typeCase.name])
      assert.deepEqual(values, typeCase.json, body.message)
    })
  }

  it('writes fractional numbers with the documented digits', async () => {
    const sql = `SELECT 40::DOUBLE AS a, 0.1::FLOAT AS b, 1e16::DOUBLE AS c, 1e-5::DOUBLE AS d, 12.5::DECIMAL(4, 2) AS e`
    const message = { jsonrpc: '2.0', id: 1, method: 'projects/query', params: { projectId: PROJECT, sql } }
    const answer = await service.api.adapter.receive(JSON.stringify(message), { authorization: `Bearer ${KEYS.north}` })
    assert.ok(answer.includes('{"a":40.0,"b":0.1,"c":1e+16,"d":1e-05,"e":12.50}'), answer)
  })

  it('treats __proto__ as an ordinary column name', async () => {
    const sql = `SELECT 1 AS "__proto__", 2 AS "constructor"`
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
    assert.deepEqual(Object.entries(body.result?.items?.[0] ?? {}), [
      ['__proto__', 1],
      ['constructor', 2],
    ])
  })

  it('numbers repeated column names', async () => {
    const sql = 'SELECT 1 AS a, 2 AS a, 3 AS "A", 4 AS b, 5 AS a_1'
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
    assert.deepEqual(body.result?.items, [{ a: 1, a_1: 2, A_2: 3, b: 4, a_1_1: 5 }])
  })

  it('keeps the order of the query', async () => {
    const sql = 'SELECT i FROM range(5000) t(i) ORDER BY hash(i)'
    const ordered = await service.call('projects/query', { projectId: PROJECT, sql, page: { limit: 500 } })
    const check = `SELECT i, hash(i)::VARCHAR AS h FROM range(5000) t(i)`
    const hashes: { i: number; h: bigint }[] = []
    let cursor: string | undefined
    do {
      const page = { limit: 500, ...(cursor ? { cursor } : {}) }
      const { body } = await service.call('projects/query', { projectId: PROJECT, sql: check, page })
      for (const { i, h } of body.result?.items ?? []) hashes.push({ i: Number(i), h: BigInt(h as string) })
      cursor = body.result?.nextCursor
    } while (cursor)
    const expected = hashes.sort((a, b) => (a.h < b.h ? -1 : 1)).slice(0, 500)
    assert.deepEqual(
      ordered.body.result?.items?.map(row => row.i),
      expected.map(row => row.i),
    )
  })

  for (const [type, sql] of [
    ['VARIANT', `SELECT 1::VARIANT AS v`],
    ['BIGNUM', 'SELECT 1::BIGNUM AS v'],
  ] as const) {
    it(`refuses ${type}`, async () => {
      const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql })
      assert.deepEqual([status, body.class], [422, 'INVALID_QUERY'])
    })
  }
})
