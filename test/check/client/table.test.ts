import assert from 'node:assert/strict'
import type { Table } from 'apache-arrow'
import { createClient, type ExportFormat } from 'foldgate/client'
import { KEYS, PROJECT, type Service, sharedService } from '../../service/service.js'
import { rowsOf } from '../../types/arrow.js'
import { statementOfAll } from '../readers/columns.js'

describe('the tables that the client reads', () => {
  let service: Service
  let tableOf: (sql: string, format?: ExportFormat) => Promise<Table>
  before(async () => {
    service = await sharedService()
    const client = createClient({ url: service.url, key: KEYS.north })
    tableOf = async (sql, format) => client.readTable(await client.export({ projectId: PROJECT, sql, format }))
  })

  const typesOf = ({ schema }: Table) => schema.fields.map(({ name, type }) => `${name}: ${type}`)

  /** Every column as an array of plain values. */
  function columnsOf(table: Table): Record<string, unknown[]> {
    const names = table.schema.names.map(String)
    return JSON.parse(JSON.stringify(Object.fromEntries(names.map(name => [name, [...(table.getChild(name) ?? [])]]))))
  }

  it('have decimals of 15 digits as numbers, whatever their type', async () => {
    const table = await tableOf(`SELECT
      unnest(['99.99', '-0.01', NULL]::DECIMAL(4, 2)[]) AS c4,
      unnest(['-9999999.99', '0.07', '0']::DECIMAL(9, 2)[]) AS c9,
      unnest(['9999999999999.99', '-9999999999999.99', '0.29']::DECIMAL(18, 2)[]) AS c18,
      unnest(['-0.00000000000000000000001', '1e-30', NULL]::DECIMAL(38, 30)[]) AS c38`)
    assert.deepEqual(columnsOf(table), {
      c4: [99.99, -0.01, null],
      c9: [-9999999.99, 0.07, 0],
      c18: [9999999999999.99, -9999999999999.99, 0.29],
      c38: [-1e-23, 1e-30, null],
    })
    assert.deepEqual(typesOf(table), ['c4: Float64', 'c9: Float64', 'c18: Float64', 'c38: Float64'])
  })

  it('have only those decimals as strings that pages have as strings', async () => {
    const table = await tableOf(`SELECT
      unnest(['10000000000000.00', '9999999999999.99', NULL, '-99999999999999999999.50']::DECIMAL(38, 2)[]) AS c,
      unnest(['-0.1', '0.10000000000000000000000000000000000001', '0', NULL]::DECIMAL(38, 38)[]) AS f`)
    assert.deepEqual(columnsOf(table), {
      c: ['10000000000000.00', 9999999999999.99, null, '-99999999999999999999.50'],
      f: [`-0.1${'0'.repeat(37)}`, '0.10000000000000000000000000000000000001', 0, null],
    })
    assert.deepEqual(typesOf(table), ['c: Union<Float64 | Utf8>', 'f: Union<Float64 | Utf8>'])
  })

  it('have dates as strings, of any year', async () => {
    const dates = ['2026-11-20', '1969-12-31', '2000-02-29', '0001-01-01', '2026-11-20', '9999-12-31']
    const table = await tableOf(`SELECT unnest([${dates.map(date => `DATE '${date}'`)}, NULL]) AS day,
      unnest([DATE '0044-03-15 (BC)', DATE '12026-11-20', DATE '5877642-06-25 (BC)', DATE '5881580-07-10',
        DATE '0001-12-31 (BC)', DATE 'infinity', DATE '-infinity']) AS far`)
    assert.deepEqual(columnsOf(table), {
      day: [...dates, null],
      far: [
        '-000043-03-15',
        '+012026-11-20',
        '-5877641-06-25',
        '+5881580-07-10',
        '0000-12-31',
        'infinity',
        '-infinity',
      ],
    })
    assert.deepEqual(typesOf(table), ['day: Dictionary<Int32, Utf8>', 'far: Dictionary<Int32, Utf8>'])
  })

  it('have both within lists, structs and maps', async () => {
    const table = await tableOf(`SELECT
      [{'day': DATE '2026-11-20', 'costs': [1.50::DECIMAL(38, 2), NULL]}, NULL] AS list,
      MAP {'a': {'cost': 12345678901234.50::DECIMAL(38, 2), 'n': 1}} AS map, [DATE '1969-07-20', NULL]::DATE[2] AS pair
      UNION ALL SELECT [], NULL, NULL`)
    assert.deepEqual(columnsOf(table), {
      list: [[{ day: '2026-11-20', costs: [1.5, null] }, null], []],
      map: [{ a: { cost: '12345678901234.50', n: 1 } }, null],
      pair: [['1969-07-20', null], null],
    })
  })

  it('have the values and types of every batch of a long file', async () => {
    const table = await tableOf(`SELECT i::INTEGER AS i, (i / 4)::DECIMAL(18, 2) AS c,
      CASE WHEN i = 70000 THEN 1e20 ELSE i END::DECIMAL(38, 1) AS wide, DATE '2000-01-01' + (i % 400)::INTEGER AS day,
      CASE WHEN i % 3 = 0 THEN NULL ELSE i END::DECIMAL(9, 0) AS thirds FROM range(100001) t(i)`)
    assert.ok(table.batches.length > 1)
    assert.equal(table.numRows, 100_001)
    for (const row of [0, 1, 8191, 70_000, 100_000]) {
      const { wide, ...rest } = table.get(row)?.toJSON() ?? {}
      const day = new Date(Date.UTC(2000, 0, 1 + (row % 400))).toISOString().slice(0, 10)
      assert.deepEqual(rest, { i: row, c: row / 4, day, thirds: row % 3 === 0 ? null : row })
      assert.equal(wide, row === 70_000 ? '100000000000000000000.0' : row)
    }
  })

  it('are the same from Arrow as from Parquet: every type, many batches, and no rows', async () => {
    const every = statementOfAll()
    const long = `SELECT i, (i / 3)::DECIMAL(38, 2) AS c, repeat('x', i::INTEGER % 50) AS text FROM range(100001) t(i) ORDER BY i`
    for (const sql of [every, long, `SELECT * FROM (${every}) WHERE false`]) {
      const [parquet, arrow] = [await tableOf(sql), await tableOf(sql, 'arrow')]
      assert.deepEqual(typesOf(arrow), typesOf(parquet))
      assert.deepEqual(rowsOf(arrow), rowsOf(parquet))
    }
  })

  it('are none of a format without tables, and say what reads it', async () => {
    for (const format of ['csv', 'ndjson', 'xlsx'] as const)
      await assert.rejects(tableOf('SELECT 1 AS n', format), {
        name: 'TypeError',
        message: 'readTable() reads exports of the formats parquet and arrow. Use download() for the others.',
      })
  })

  it('have their columns without rows', async () => {
    const table = await tableOf(`SELECT DATE '2026-11-20' AS day, [1.5::DECIMAL(4, 2)] AS list WHERE false`)
    assert.deepEqual([table.numRows, table.toArray()], [0, []])
    assert.deepEqual(typesOf(table), ['day: Dictionary<Int32, Utf8>', 'list: List<Float64>'])
  })
})
