import assert from 'node:assert/strict'
import { KEYS, PROJECT, type Service, sharedService } from '../service/service.js'
import { readParquetRows } from './arrow.js'
import { statementOf, TYPE_CASES } from './cases.js'

describe('exports read by parquet-wasm', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  async function exported(sql: string): Promise<Record<string, unknown>[]> {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql })
    assert.ok(body.result?.url, body.message)
    const headers = { authorization: `Bearer ${KEYS.north}` }
    const bytes = new Uint8Array(await (await fetch(body.result.url, { headers })).arrayBuffer())
    assert.equal(bytes.byteLength, body.result.bytes)
    const rows = readParquetRows(bytes)
    assert.equal(rows.length, body.result.rows)
    return rows
  }

  for (const typeCase of TYPE_CASES) {
    it(`contain ${typeCase.name} as the contract specifies`, async () => {
      const rows = await exported(statementOf([typeCase]))
      assert.deepEqual(
        rows.map(row => row[typeCase.name]),
        typeCase.parquet ?? typeCase.json,
      )
    })
  }

  it('contain the same rows as the pages, in the same order', async () => {
    const sql = 'SELECT * FROM risk_rows ORDER BY row_id'
    const rows = await exported(sql)
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql, page: { limit: 500 } })
    const paged = body.result?.items?.map(row => ({ ...row, meta: row.meta }))
    assert.deepEqual(
      rows.map(row => ({ ...row, meta: JSON.parse(row.meta as string) })),
      paged,
    )
  })

  it('name their columns as pages do', async () => {
    const [row] = await exported('SELECT 1 AS a, 2 AS a, 3 AS "A b"')
    assert.deepEqual(row, { a: 1, a_1: 2, 'A b': 3 })
  })

  it('refuse a HUGEINT that does not fit and suggest a cast', async () => {
    const sql = `SELECT '170141183460469231731687303715884105727'::HUGEINT AS h`
    const { status, body } = await service.call('projects/export', { projectId: PROJECT, sql })
    assert.deepEqual([status, body.class], [422, 'INVALID_QUERY'])
    assert.match(body.message ?? '', /cast/i)
  })
})
