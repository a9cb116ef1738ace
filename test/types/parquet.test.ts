import assert from 'node:assert/strict'
import { tableFromIPC } from 'apache-arrow'
import { readParquet } from 'parquet-wasm'
import { KEYS, PROJECT, type Service, sharedService } from '../service/service.js'
import { readParquetRows } from './arrow.js'
import { statementOf, TYPE_CASES } from './cases.js'

describe('exports read by parquet-wasm', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  async function fileOf(sql: string): Promise<Uint8Array> {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql })
    assert.ok(body.result?.url, body.message)
    const headers = { authorization: `Bearer ${KEYS.north}` }
    const bytes = new Uint8Array(await (await fetch(body.result.url, { headers })).arrayBuffer())
    assert.equal(bytes.byteLength, body.result.bytes)
    assert.equal(readParquetRows(bytes).length, body.result.rows)
    return bytes
  }

  const exported = async (sql: string) => readParquetRows(await fileOf(sql))

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

  it('have types that common readers take', async () => {
    const bytes = await fileOf(`
      SELECT uuid() AS id, sum(i) AS total, [1, NULL]::INTEGER[2] AS pair, TIMESTAMP_NS '2026-11-20 01:02:03.5' AS at,
        [TIMESTAMP_NS '2026-11-20 01:02:03.5'] AS instants, {'ids': [uuid()]} AS ids FROM range(3) t(i)`)
    const { schema } = tableFromIPC(readParquet(bytes).intoIPCStream())
    assert.deepEqual(
      schema.fields.map(({ name, type }) => `${name}: ${type}`),
      [
        'id: Utf8',
        'total: Int64',
        'pair: List<Int32>',
        'at: Timestamp<MICROSECOND>',
        'instants: List<Timestamp<MICROSECOND>>',
        'ids: Struct<{ids:List<Utf8>}>',
      ],
    )
    const precise = await fileOf("SELECT TIMESTAMP_NS '2026-11-20 01:02:03.123456789' AS at")
    const [field] = tableFromIPC(readParquet(precise).intoIPCStream()).schema.fields
    assert.equal(String(field?.type), 'Timestamp<NANOSECOND>')
  })

  for (const [value, type] of [
    ['9223372036854775808', 'HUGEINT'],
    ['-9223372036854775809', 'HUGEINT'],
    ['340282366920938463463374607431768211455', 'UHUGEINT'],
  ])
    it(`refuse ${value} as ${type}, also within a list, and suggest a cast`, async () => {
      for (const column of [`'${value}'::${type}`, `[NULL, '${value}'::${type}]`]) {
        const sql = `SELECT ${column} AS h, TIMESTAMP_NS '2026-11-20 01:02:03.123456789' AS at`
        const { status, body } = await service.call('projects/export', { projectId: PROJECT, sql })
        assert.deepEqual([status, body.class], [422, 'INVALID_QUERY'])
        assert.match(
          body.message ?? '',
          /HUGEINT value does not fit into the BIGINT of the file\. Cast it to VARCHAR or/,
        )
      }
    })
})
