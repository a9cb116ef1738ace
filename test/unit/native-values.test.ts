import assert from 'node:assert/strict'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { columnType } from '#lib/duckdb/child/types.js'
import { readChunk } from '#lib/duckdb/child/vectors.js'
import type { Slice } from '#lib/values/vector.js'

/** Bits of each type of whole numbers, negative for those with a sign. */
const WIDTHS: Readonly<Record<string, number>> = {
  ...{ TINYINT: -8, SMALLINT: -16, INTEGER: -32, BIGINT: -64, HUGEINT: -128 },
  ...{ UTINYINT: 8, USMALLINT: 16, UINTEGER: 32, UBIGINT: 64, UHUGEINT: 128 },
}

describe('values in the memory of the engine', () => {
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  before(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    connection = await instance.connect()
  })
  after(() => instance.closeSync())

  /** Every value of the only column, as text. */
  const valuesOf = async (sql: string): Promise<string[]> => {
    const result = await connection.run(sql)
    const types = result.columnTypes().map(type => columnType(type))
    const values: string[] = []
    for (let at = 0; at < result.chunkCount; at++) {
      const chunk = result.getChunk(at)
      const [vector] = readChunk(chunk, types)
      for (let row = 0; row < chunk.rowCount; row++) values.push(textOf(vector?.value(row)))
    }
    return values
  }
  const textOf = (value: unknown) => {
    const slice = value as Slice
    return typeof value === 'object' && value !== null && 'bytes' in value
      ? Buffer.from(slice.bytes.subarray(slice.from, slice.to)).toString()
      : String(value)
  }

  for (const [type, width] of Object.entries(WIDTHS))
    it(`are read around every power of two of ${type}`, async () => {
      const bits = BigInt(Math.abs(width))
      const [least, most] = width < 0 ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n]
      const powers = Array.from({ length: Number(bits) + 1 }, (_, n) => 1n << BigInt(n))
      const near = powers.flatMap(power => [power - 1n, power, power + 1n, -power - 1n, -power, -power + 1n])
      const values = near.filter(value => value >= least && value <= most)
      const rows = values.map(value => `('${value}')`).join(', ')
      const read = await valuesOf(`SELECT v::${type} FROM (VALUES ${rows}) t(v)`)
      assert.deepEqual(read, values.map(String))
    })

  for (const size of [1, 2, 254, 255, 256, 257, 65_534, 65_535, 65_536, 65_537])
    it(`are read from an ENUM of ${size} names`, async () => {
      const names = Array.from({ length: size }, (_, at) => `n${at}`)
      const type = `ENUM(${names.map(name => `'${name}'`).join(', ')})`
      const read = await valuesOf(`SELECT ('n' || i)::${type} FROM range(${size}) t(i)`)
      assert.deepEqual(read, names)
    })

  it('are strings that lie in either order in memory, among short ones and NULLs', async () => {
    // A table in memory has them backwards in its blocks; a computed string lies after the one before it.
    const made = `SELECT CASE WHEN i % 7 = 0 THEN NULL WHEN i % 5 = 0 THEN 's' || i ELSE repeat(i::VARCHAR || '-', 1 + i % 90) END AS v FROM range(6000) t(i)`
    const expected = Array.from({ length: 6000 }, (_, i) =>
      i % 7 === 0 ? null : i % 5 === 0 ? `s${i}` : `${i}-`.repeat(1 + (i % 90)),
    ).filter(text => text !== null)
    await connection.run(`CREATE OR REPLACE TABLE texts AS ${made}`)
    for (const sql of [`SELECT * FROM (${made}) WHERE v IS NOT NULL`, 'SELECT v FROM texts WHERE v IS NOT NULL'])
      assert.deepEqual(await valuesOf(sql), expected)
    for (const order of ['v', 'v DESC'])
      assert.deepEqual(
        await valuesOf(`SELECT v FROM texts WHERE v IS NOT NULL ORDER BY ${order}`),
        order === 'v' ? [...expected].sort() : [...expected].sort().reverse(),
      )
  })

  it('keep U+FEFF wherever it stands, in values and in names of an ENUM', async () => {
    const texts = ['\uFEFF', '\uFEFFa', 'a\uFEFF', `\uFEFF${'long enough for the heap'.repeat(2)}`, '\uFEFF\uFEFF']
    const quoted = texts.map(text => `'${text}'`)
    assert.deepEqual(await valuesOf(`SELECT unnest([${quoted.join(', ')}])`), texts)
    assert.deepEqual(await valuesOf(`SELECT unnest([${quoted.join(', ')}])::ENUM(${quoted.join(', ')})`), texts)
  })
})
