import assert from 'node:assert/strict'
import { deserialize, serialize } from 'node:v8'
import fc from 'fast-check'
import { bindingsOf } from '#lib/duckdb/child/bind.js'
import type { Connection, Instance } from '#lib/duckdb/child/duckdb.js'
import { createInstance } from '#lib/duckdb/child/instance.js'
import { columnType } from '#lib/duckdb/child/types.js'
import { readChunk } from '#lib/duckdb/child/vectors.js'
import { jsonRows } from '#lib/values/json.js'
import { spellDecimal, spellFloat } from '#lib/values/numbers.js'
import { Output } from '#lib/values/output.js'
import { parseType, typeText } from '#lib/values/parameter-types.js'
import { type BoundParameter, readParameters, textOfParameters } from '#lib/values/parameters.js'
import * as temporal from '#lib/values/temporal.js'

const [INT64, DAY] = [2n ** 63n, 86_400_000_000n]

/** A number where JSON can hold it, else its digits. */
const digits = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`)
const integers = (min: bigint, max: bigint) =>
  fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n, 1n)).map(digits)
const signed = (bits: bigint) => integers(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n)
const unsigned = (bits: bigint) => integers(0n, 2n ** bits - 1n)
const finite = (value: number) => (Number.isFinite(value) ? value : `${value}`)
const units = (min: bigint, max: bigint, spell: (value: bigint) => string) =>
  fc
    .oneof(
      fc.bigInt({ min, max }),
      fc.constantFrom(min, max, 0n, -1n < min ? 0n : -1n),
      fc.constantFrom(INT64 - 1n, 1n - INT64),
    )
    .map(spell)
const clock = (max: bigint) => fc.oneof(fc.bigInt({ min: 0n, max }), fc.constantFrom(0n, max)).map(Number)
const decimals = (width: number, scale: number) =>
  fc.bigInt({ min: 1n - 10n ** BigInt(width), max: 10n ** BigInt(width) - 1n }).map(value => {
    const text = spellDecimal(value, { kind: 'decimal', width, scale })
    return `${value}`.replace('-', '').length > 15 ? text : Number(text)
  })

/** Values of each type, in the form in which rows have them. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  BOOLEAN: fc.boolean(),
  TINYINT: signed(8n),
  SMALLINT: signed(16n),
  INTEGER: signed(32n),
  BIGINT: signed(64n),
  HUGEINT: signed(128n),
  UTINYINT: unsigned(8n),
  USMALLINT: unsigned(16n),
  UINTEGER: unsigned(32n),
  UBIGINT: unsigned(64n),
  UHUGEINT: unsigned(128n),
  FLOAT: fc.float().map(value => (Number.isFinite(value) ? Number(spellFloat(value)) : `${value}`)),
  DOUBLE: fc.double().map(finite),
  'DECIMAL(4,1)': decimals(4, 1),
  'DECIMAL(9,9)': decimals(9, 9),
  'DECIMAL(15,0)': decimals(15, 0),
  'DECIMAL(18,3)': decimals(18, 3),
  'DECIMAL(38,10)': decimals(38, 10),
  VARCHAR: fc.string({ unit: 'binary' }),
  UUID: fc.uuid(),
  BLOB: fc.uint8Array().map(bytes => Buffer.from(bytes).toString('base64')),
  BIT: fc.array(fc.constantFrom('0', '1'), { minLength: 1, maxLength: 40 }).map(bits => bits.join('')),
  DATE: fc.oneof(
    fc.integer({ min: 1 - 2 ** 31, max: 2 ** 31 - 1 }).map(temporal.spellDate),
    fc.integer({ min: -800_000, max: 800_000 }).map(temporal.spellDate),
    fc.constantFrom('infinity', '-infinity', '2024-02-29', '-000001-12-31', '+010000-01-01'),
  ),
  TIME: clock(DAY).map(temporal.spellTime),
  TIME_NS: clock(DAY * 1000n).map(temporal.spellTimeNs),
  'TIME WITH TIME ZONE': fc
    .record({ micros: clock(DAY), offset: fc.integer({ min: -57_599, max: 57_599 }) })
    .map(temporal.spellTimeWithZone),
  TIMESTAMP: units(-9_223_372_022_400_000_000n, INT64 - 2n, temporal.spellTimestamp),
  TIMESTAMP_S: units(-9_223_372_022_400n, 9_223_372_036_854n, temporal.spellTimestampS),
  TIMESTAMP_MS: units(-9_223_372_022_400_000n, 9_223_372_036_854_775n, temporal.spellTimestampMs),
  TIMESTAMP_NS: units(-9_223_286_400_000_000_000n, INT64 - 2n, temporal.spellTimestampNs),
  'TIMESTAMP WITH TIME ZONE': units(-9_223_372_022_400_000_000n, INT64 - 2n, temporal.spellInstant),
  INTERVAL: fc
    .record({
      months: fc.integer(),
      days: fc.integer(),
      micros: fc.oneof(fc.bigInt({ min: -INT64, max: INT64 - 1n }), fc.constantFrom(-INT64, INT64 - 1n, 0n)),
    })
    .map(temporal.spellInterval),
}

/** Random values of each type, made by the engine. */
const MADE: Readonly<Record<string, string>> = {
  BOOLEAN: 'random() < 0.5',
  TINYINT: '(r % 128)::TINYINT',
  SMALLINT: '(r % 32768)::SMALLINT',
  INTEGER: '(r % 2147483648)::INTEGER',
  BIGINT: 'r::BIGINT',
  HUGEINT: 'r::HUGEINT * hash(i)',
  UTINYINT: '(hash(i) % 256)::UTINYINT',
  USMALLINT: '(hash(i) % 65536)::USMALLINT',
  UINTEGER: '(hash(i) % 4294967296)::UINTEGER',
  UBIGINT: 'hash(i)',
  UHUGEINT: 'hash(i)::UHUGEINT * hash(i + 1)',
  FLOAT: '((random() - 0.5) * 10.0 ^ (i % 76 - 38))::FLOAT',
  DOUBLE: '(random() - 0.5) * 10.0 ^ (i % 600 - 300)',
  'DECIMAL(10,2)': '((random() - 0.5) * 1e8)::DECIMAL(10,2)',
  'DECIMAL(38,20)': '((random() - 0.5) * 1e17)::DECIMAL(38,20) / 3',
  VARCHAR: `(SELECT string_agg(chr((hash(i * 97 + j) % 55000 + 1)::INTEGER), '') FROM range(i % 9) t(j))`,
  UUID: 'uuid()',
  BLOB: `unhex(left(md5(i::VARCHAR), 2 * (i % 17)::INTEGER))`,
  BIT: `right(hash(i)::BIT::VARCHAR, (i % 64 + 1)::INTEGER)::BIT`,
  DATE: `(DATE '1970-01-01' + (r % 2147483646)::INTEGER)`,
  TIME: `(TIME '00:00:00' + to_microseconds((hash(i) % 86400000000)::BIGINT))`,
  TIME_NS: `('01:02:03.' || right(hash(i)::VARCHAR, 9))::TIME_NS`,
  'TIME WITH TIME ZONE': `('01:02:03.' || i || printf('%+03d:%02d:%02d', i % 31 - 15, i % 60, i % 50))::TIMETZ`,
  TIMESTAMP: 'make_timestamp((r % 9223372022400000000)::BIGINT)',
  TIMESTAMP_S: 'make_timestamp((r % 9223372022400000000)::BIGINT)::TIMESTAMP_S',
  TIMESTAMP_MS: 'make_timestamp((r % 9223372022400000000)::BIGINT)::TIMESTAMP_MS',
  TIMESTAMP_NS: 'make_timestamp_ns((r % 9223286400000000000)::BIGINT)',
  'TIMESTAMP WITH TIME ZONE': "make_timestamp((r % 9223372022400000000)::BIGINT) AT TIME ZONE 'UTC'",
  INTERVAL: `to_months((r % 2147483648)::INTEGER) + to_days((hash(i) % 2147483648)::INTEGER) +
    to_microseconds(r // (i + 1))`,
}

describe('values of parameters', () => {
  let instance: Instance
  let connection: Connection
  before(async () => {
    instance = await createInstance({ threads: 1, memoryLimitBytes: 2 ** 29 } as never)
    connection = await instance.connect()
    await connection.run(`SET TimeZone = 'UTC'`)
  })
  after(() => instance.closeSync())

  /** The rows of a statement, as the service answers them. */
  async function rowsOf(sql: string, sent: object = {}): Promise<Record<string, unknown>[]> {
    const result = await connection.run(sql, ...bindingsOf(crossed(readParameters(sent))))
    const columns = result.columnNames().map((name, at) => ({ name, type: columnType(result.columnType(at)) }))
    const write = jsonRows(columns)
    const out = new Output()
    for (let index = 0; index < result.chunkCount; index++) {
      const chunk = result.getChunk(index)
      const vectors = readChunk(
        chunk,
        columns.map(({ type }) => type),
      )
      for (let row = 0; row < chunk.rowCount; row++) {
        write(vectors, row, out)
        out.ascii('\n')
      }
    }
    const lines = out.take().toString().trim().split('\n')
    return lines.map(line => JSON.parse(line) as Record<string, unknown>)
  }

  for (const [type, values] of Object.entries(VALUES)) {
    it(`are the same ${type} that rows have, alone and in lists`, async () => {
      const item = fc.option(values, { freq: 10 })
      const property = fc.asyncProperty(
        fc.array(item),
        fc.array(fc.option(fc.array(item))),
        values,
        async (a, b, c) => {
          const sent = {
            one: { type, value: c },
            list: { type: `${type}[]`, value: a },
            lists: { type: `${type.toLowerCase()}[][]`, value: b },
          }
          const sql = 'SELECT $ONE AS one, $list AS list, $lists AS lists, typeof($one) AS a, typeof($lists) AS c'
          assert.deepEqual(await rowsOf(sql, sent), [{ one: c, list: a, lists: b, a: type, c: `${type}[][]` }])
        },
      )
      await fc.assert(property, { numRuns: 60 })
    })

    it(`${type}: texts for digests differ where values do`, () => {
      const text = (value: unknown) => textOfParameters(readParameters({ a: { type, value } }))
      const property = fc.property(values, values, (a, b) => {
        assert.equal(text(a) === text(b), Object.is(a, b))
        assert.equal(text(a), text(structuredClone(a)))
      })
      fc.assert(property)
      assert.equal(typeText(parseType(`${type}[]`)), `${type}[]`)
    })
  }

  for (const [type, sql] of Object.entries(MADE)) {
    it(`of type ${type} find the rows that they were read from`, async () => {
      await connection.run(
        `CREATE OR REPLACE TABLE made AS
         SELECT i, CASE WHEN i % 50 > 0 THEN (${sql})::${type} END AS v
         FROM (SELECT i, (hash(i * 31) // 2)::BIGINT * (i % 2 * 2 - 1) AS r
               FROM range(2000) t(i))`,
      )
      const [all] = await rowsOf('SELECT list(v ORDER BY i) AS v FROM made')
      const value = all?.v as unknown[]
      assert.ok(new Set(value).size > (type === 'BOOLEAN' ? 2 : 100), 'values are random')
      for (let from = 0; from < value.length; from += 500) {
        const some = { values: { type: `${type}[]`, value: value.slice(from, from + 500) }, from }
        const compared = `SELECT count(*) AS n FROM made WHERE i >= $from AND i < $from + 500
          AND v IS DISTINCT FROM $values[(i - $from + 1)::BIGINT]`
        assert.deepEqual(await rowsOf(compared, some), [{ n: 0 }])
      }
      for (const [at, one] of value.slice(0, 40).entries()) {
        const found = await rowsOf('SELECT count(*) AS n FROM made WHERE i = $at AND v IS NOT DISTINCT FROM $one', {
          at,
          one: { type, value: one },
        })
        assert.deepEqual(found, [{ n: 1 }])
      }
    })
  }

  it('without a type are BOOLEAN, VARCHAR, BIGINT, DOUBLE, or a NULL that has none', async () => {
    const sent = { a: true, b: 'é😀\0', c: -(2 ** 53 - 1), d: 0.5, e: -0, f: 2e20, g: null, __PROTO__: 1 }
    const given = JSON.parse(JSON.stringify(sent).replace('"e":0', '"e":-0').replace('PROTO', 'proto')) as object
    const names = Object.keys(given)
    const [row] = await rowsOf(`SELECT ${names.map(name => `$${name} AS ${name}`).join()}`, given)
    assert.deepEqual(Object.entries(row ?? {}), Object.entries(given))
    const [types] = await rowsOf(`SELECT ${names.map(name => `typeof($${name}) AS ${name}`).join()}`, given)
    const expected = ['BOOLEAN', 'VARCHAR', 'BIGINT', 'DOUBLE', 'DOUBLE', 'DOUBLE', '"NULL"', 'BIGINT']
    assert.deepEqual(Object.values(types ?? {}), expected)
  })

  it('that are NULL have the type that the statement gives them', async () => {
    const sql = `SELECT $a::DATE AS a, typeof($a::DATE) AS b, $a AS c, $l IS NULL AS d`
    const sent = { a: { type: 'DATE', value: null }, l: { type: 'INTEGER[]', value: null } }
    assert.deepEqual(await rowsOf(sql, sent), [{ a: null, b: 'DATE', c: null, d: true }])
  })

  it('are never read as SQL', async () => {
    const hostile = `'); DROP TABLE made; --`
    assert.deepEqual(
      await rowsOf('SELECT $a AS a, $b AS b', { a: hostile, b: { type: 'VARCHAR[]', value: [hostile] } }),
      [{ a: hostile, b: [hostile] }],
    )
  })
})

/** Parameters as they reach the process of the engine. */
function crossed(parameters: readonly BoundParameter[]): readonly BoundParameter[] {
  return deserialize(serialize(parameters)) as BoundParameter[]
}
