import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import {
  type DataType,
  Decimal,
  Table,
  TimeNanosecond,
  TimestampNanosecond,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow'
import { fromParquet } from 'foldgate/sealing'
import { Table as ParquetTable, writeParquet } from 'parquet-wasm'
import { scratchFolder } from '../server/command.js'
import { sealOne } from './one-table.js'

/** A Parquet file of one column, written by another writer than the engine. */
function parquetOf(name: string, type: DataType, values: unknown[]): Uint8Array {
  const table = new Table({ [name]: vectorFromArray(values as never[], type) })
  return writeParquet(ParquetTable.fromIPCStream(tableToIPC(table, 'stream')))
}

describe('a Parquet file', () => {
  const scratch = scratchFolder()
  const message = async (bytes: Uint8Array, columns?: Record<string, string>) => {
    const { problems } = await sealOne(scratch.path, columns, fromParquet(bytes))
    return problems.map(({ column, message }) => [column, message])
  }
  /** A file that the engine writes of a SELECT. */
  async function written(select: string): Promise<string> {
    const path = join(scratch.path, `${Math.random()}.parquet`)
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`)
    instance.closeSync()
    return path
  }

  it('with more digits than a DECIMAL has is refused before a page is read', async () => {
    const wide = parquetOf('price', new Decimal(2, 50, 256), [new Uint32Array([123, 0, 0, 0, 0, 0, 0, 0])])
    for (const columns of [undefined, { price: 'DECIMAL(10,2)' }])
      assert.deepEqual(await message(wide, columns), [
        [
          'price',
          'it is of the Parquet type DECIMAL(50,2), which is not stored as it is: write it as a DECIMAL of at most 38 digits',
        ],
      ])
  })

  it('with nanoseconds that the engine would drop is refused', async () => {
    assert.deepEqual(await message(parquetOf('at', new TimestampNanosecond('UTC'), [1])), [
      [
        'at',
        'it is of the Parquet type TIMESTAMP(NANOS, UTC), which is not stored as it is: write it as a TIMESTAMP in microseconds',
      ],
    ])
    assert.deepEqual(await message(parquetOf('at', new TimeNanosecond(), [1n])), [
      ['at', 'it is of the Parquet type TIME(NANOS), which is not stored as it is: write it as a TIME in microseconds'],
    ])
  })

  it('with nanoseconds without a zone keeps them, unless a declared type has fewer decimals', async () => {
    const path = await written("SELECT TIMESTAMP_NS '2024-01-02 03:04:05.123456789' AS at")
    assert.deepEqual((await sealOne(scratch.path, undefined, path)).rows, [['2024-01-02 03:04:05.123456789']])
    assert.deepEqual((await sealOne(scratch.path, { at: 'TIMESTAMP' }, path)).problems, [
      {
        table: 't',
        column: 'at',
        message:
          'row 1: "2024-01-02 03:04:05.123456789" is not a TIMESTAMP: it would be stored as 2024-01-02 03:04:05.123456. ' +
          'Correct it, or declare the column with lossy: true',
        rows: 1,
      },
    ])
    const whole = await written("SELECT TIMESTAMP_NS '2024-01-02 03:04:05.123456' AS at")
    assert.deepEqual((await sealOne(scratch.path, { at: 'TIMESTAMP' }, whole)).rows, [['2024-01-02 03:04:05.123456']])
  })

  it('with names that differ in case alone is refused, as CSV is', async () => {
    const table = new Table({ a: vectorFromArray([1]), A: vectorFromArray([2]) })
    const bytes = writeParquet(ParquetTable.fromIPCStream(tableToIPC(table, 'stream')))
    assert.deepEqual(await message(bytes), [['A', 'two columns have the name "a": rename one']])
  })

  it('is stored as it is, whatever the parts of its columns are', async () => {
    const select = `SELECT {'a': 1, 'b': [{'c': DATE '2024-01-02'}]} AS s, MAP {'k': 1.5::DECIMAL(38,1)} AS m, [[1], NULL] AS l,
      'é'::VARCHAR AS t, '\\xFF'::BLOB AS b, uuid '${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}' AS u, INTERVAL 3 DAY AS i,
      '{"x": 1}'::JSON AS j, TIMETZ '10:00:00+02' AS z, 1::UTINYINT AS n, 1.5::FLOAT AS f, true AS y, TIMESTAMPTZ '2024-01-02 00:00:00+00' AS at`
    const { rows } = await sealOne(scratch.path, undefined, await written(select))
    assert.deepEqual(rows, [
      [
        "{'a': 1, 'b': [{'c': 2024-01-02}]}",
        '{k=1.5}',
        '[[1], NULL]',
        'é',
        '\\xFF',
        '00000000-0000-4000-8000-000000000000',
        '3 days',
        '{"x": 1}',
        '08:00:00+00',
        '1',
        '1.5',
        'true',
        '2024-01-02 00:00:00+00',
      ],
    ])
  })

  it('is read as declared types that hold its values, and refused where they do not', async () => {
    const cases: [select: string, type: string, stored: string | RegExp][] = [
      ["TIMESTAMPTZ '2024-01-02 10:00:00+02'", 'TIMESTAMP', '2024-01-02 08:00:00'],
      ["TIMESTAMP '2024-01-02 10:00:00'", 'TIMESTAMPTZ', '2024-01-02 10:00:00+00'],
      ["TIMESTAMP '2024-01-02 00:00:00'", 'DATE', '2024-01-02'],
      ["TIMESTAMP '2024-01-02 10:00:00'", 'DATE', /is not a DATE: it would be stored as 2024-01-02\./],
      ["TIMESTAMP '2024-01-02 10:00:00'", 'TIME', /is not a TIME: it would be stored as 10:00:00\./],
      ["DATE '2024-01-02'", 'TIMESTAMP', '2024-01-02 00:00:00'],
      ['1::INTEGER', 'BIGINT', '1'],
      ['300::INTEGER', 'TINYINT', /^row 1: "300" is not a TINYINT$/],
      ['1.0::DOUBLE', 'INTEGER', '1'],
      ['1.5::DOUBLE', 'INTEGER', /is not an INTEGER: it would be stored as 2\./],
      ['1.1::DOUBLE', 'DECIMAL(38,30)', `1.1${'0'.repeat(29)}`],
      ['1.005::DOUBLE', 'DECIMAL(10,2)', /"1.005" is not a DECIMAL\(10,2\)/],
      ['1.50::DECIMAL(10,4)', 'DECIMAL(10,2)', '1.50'],
      ['1.234::DECIMAL(10,4)', 'DECIMAL(10,2)', /it would be stored as 1\.23\./],
      ['9007199254740993::BIGINT', 'DOUBLE', /it would be stored as 9007199254740992\.0\./],
      ['0.1::FLOAT', 'DOUBLE', '0.10000000149011612'],
      ['16777217::DOUBLE', 'FLOAT', /it would be stored as 16777216\.0\./],
      ['[1.5]::DOUBLE[]', 'INTEGER[]', /it would be stored as \[2\]\./],
      ['[0.1]::FLOAT[]', 'DOUBLE[]', '[0.10000000149011612]'],
      ['[1.50]::DECIMAL(10,4)[]', 'DECIMAL(5,1)[]', '[1.5]'],
      ['true', 'BOOLEAN', 'true'],
      ['2::INTEGER', 'BOOLEAN', /"2" is not a BOOLEAN/],
      ["'01/02/24'", 'DATE', /"01\/02\/24" is not a DATE: write it as/],
    ]
    const path = await written(`SELECT ${cases.map(([select], at) => `${select} AS c${at}`).join(', ')}`)
    const columns = Object.fromEntries(cases.map(([, type], at) => [`c${at}`, type]))
    const { problems } = await sealOne(scratch.path, columns, path)
    const isRefused = (at: number) => typeof cases[at]?.[2] !== 'string'
    assert.deepEqual(
      problems.map(({ column }) => column),
      Object.keys(columns).filter((_, at) => isRefused(at)),
    )
    for (const { column, message } of problems) assert.match(message, cases[Number(column?.slice(1))]?.[2] as RegExp)
    const kept = cases.filter((_, at) => !isRefused(at))
    const keptPath = await written(`SELECT ${kept.map(([select], at) => `${select} AS c${at}`).join(', ')}`)
    const keptColumns = Object.fromEntries(kept.map(([, type], at) => [`c${at}`, type]))
    assert.deepEqual((await sealOne(scratch.path, keptColumns, keptPath)).rows, [kept.map(([, , stored]) => stored)])
  })
})
