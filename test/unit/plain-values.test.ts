import assert from 'node:assert/strict'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { columnType } from '#lib/duckdb/child/types.js'
import { readChunk } from '#lib/duckdb/child/vectors.js'
import { CsvRows } from '#lib/values/csv.js'
import { jsonRows } from '#lib/values/json.js'
import { Output } from '#lib/values/output.js'

const INTEGERS = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'HUGEINT']
/** Widths and scales of decimals, at the bounds of their layouts and of what a double holds. */
const DECIMALS = [
  ...[
    [1, 0],
    [3, 1],
    [4, 4],
    [5, 2],
    [9, 9],
    [10, 3],
    [15, 2],
    [15, 15],
    [16, 1],
    [18, 0],
    [18, 2],
    [18, 9],
    [18, 18],
  ],
  ...[
    [19, 2],
    [38, 38],
  ],
]

describe('values that most rows have', () => {
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  before(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    connection = await instance.connect()
  })
  after(() => instance.closeSync())

  /** Each value as both formats write it, beside the engine's text of it; rows are read in chunks of the engine. */
  async function writtenOf(sql: string): Promise<{ csv: string; json: string; text: string | null }[]> {
    const result = await connection.run(`SELECT v, v::VARCHAR AS text FROM (${sql})`)
    const types = result.columnTypes().map(type => columnType(type))
    const [column] = types.map(type => ({ name: 'v', type }))
    const columns = column ? [column] : []
    const [csv, json, out] = [new CsvRows(columns, true), jsonRows(columns), new Output()]
    const written: { csv: string; json: string; text: string | null }[] = []
    for (let at = 0; at < result.chunkCount; at++) {
      const chunk = result.getChunk(at)
      const vectors = readChunk(chunk, types)
      for (let row = 0; row < chunk.rowCount; row++) {
        csv.row(vectors, row, out)
        const inCsv = out.take().toString()
        json(vectors, row, out)
        written.push({
          csv: inCsv.slice(0, -1),
          json: out.take().toString().slice('{"v":'.length, -1),
          // The engine leaves out a zero before the point where a type has no digits there.
          text: (chunk.getColumnVector(1).getItem(row) as string | null)?.replace(/^(-?)\./, '$10.') ?? null,
        })
      }
    }
    return written
  }

  async function areAsTheEngineSpells(sql: string, isBare: (text: string) => boolean): Promise<void> {
    const written = await writtenOf(sql)
    assert.ok(written.length > 1)
    for (const { csv, json, text } of written) {
      if (text === null) assert.deepEqual([csv, json], ['', 'null'])
      else assert.deepEqual([csv, json], [text, isBare(text) ? text : `"${text}"`])
    }
  }

  /** Whole numbers around powers of two and of ten that have at most so many digits. */
  const wholeNumbers = (digits: number): bigint[] => {
    const powers = [2n, 10n].flatMap(base => Array.from({ length: 128 }, (_, power) => base ** BigInt(power)))
    const near = powers.flatMap(power => [power - 1n, power, power + 1n, (power * 7n) / 3n])
    return near.flatMap(value => [value, -value]).filter(value => `${value}`.replace('-', '').length <= digits)
  }

  /** NULLs among values, and values alone. */
  const among = (values: readonly string[]) => `SELECT unnest([${values.join(', NULL, ')}]) AS v`
  const isSafe = (text: string) => Number.isSafeInteger(Number(text)) && String(Number(text)) === text

  for (const type of INTEGERS)
    it(`are the digits of each ${type}`, async () => {
      const values = wholeNumbers(38).map(value => `TRY_CAST('${value}' AS ${type})`)
      await areAsTheEngineSpells(among(values), isSafe)
    })

  it('are the digits of whole numbers beside one that a double does not hold, and without it', async () => {
    const from = `SELECT (i * 4503599627370) AS v FROM range(-2000, 2000) t(i)`
    await areAsTheEngineSpells(from, isSafe)
    await areAsTheEngineSpells(`${from} UNION ALL SELECT 9007199254740993`, isSafe)
  })

  for (const [width, scale] of DECIMALS as [number, number][])
    it(`are the digits of each DECIMAL(${width}, ${scale})`, async () => {
      const values = wholeNumbers(width).map(value => {
        const digits = `${value}`.replace('-', '').padStart(scale + 1, '0')
        const text = `${value < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}`
        return `CAST('${text}' AS DECIMAL(${width}, ${scale}))`
      })
      const isBare = (text: string) => text.replace(/[-.]/g, '').replace(/^0+/, '').length <= 15
      await areAsTheEngineSpells(among(values), isBare)
    })

  it('are the days of ten thousand years, in any order', async () => {
    const days = `SELECT DATE '0001-01-01' + ((i * 7919) % 3652058)::INTEGER AS v FROM range(40000) t(i)`
    await areAsTheEngineSpells(
      `${days} UNION ALL SELECT unnest([NULL, 'infinity', '-infinity', '1970-01-01']::DATE[])`,
      () => false,
    )
  })

  it('are UUIDs', async () => {
    const ends = [`'00000000-0000-0000-0000-000000000000'`, `'ffffffff-ffff-ffff-ffff-ffffffffffff'`, 'NULL']
    await areAsTheEngineSpells(
      `SELECT md5(i::VARCHAR)::UUID AS v FROM range(3000) t(i) UNION ALL SELECT unnest([${ends.join(', ')}])::UUID`,
      () => false,
    )
  })
})
