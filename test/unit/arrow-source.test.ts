import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import {
  Bool,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  DurationSecond,
  Field,
  FixedSizeList,
  Float16,
  Float32,
  Int8,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeData,
  Null,
  RecordBatch,
  RecordBatchReader,
  Schema,
  Struct,
  Table,
  TimeSecond,
  TimestampMicrosecond,
  TimestampNanosecond,
  TimestampSecond,
  tableFromArrays,
  tableToIPC,
  Uint64,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow'
import { fromArrow } from 'foldgate/sealing'
import { feedOne, inFolder, readBack } from './fed.js'

/** Feeds a source of Parquet; returns its columns as the engine shows them. */
const through = (source: ReturnType<typeof fromArrow>, columns: Record<string, string>) =>
  inFolder(async folder => readBack(await feedOne(source, folder), columns))
const rejects = (source: ReturnType<typeof fromArrow>, says: string) =>
  assert.rejects(
    inFolder(folder => feedOne(source, folder)),
    { message: `the source of "orders" failed: ${says}` },
  )
const one = (values: unknown[], type: DataType) => new Table({ v: vectorFromArray(values as never[], type) })
const integers = (name: string, ...values: number[]) => tableFromArrays({ [name]: Int32Array.from(values) })

describe('fromArrow', () => {
  const KEPT: [table: Table, type: string, stored: (string | null)[]][] = [
    [one(['', null, 'a\0b "x"\n🦊'], new Utf8()), 'VARCHAR', ['', null, 'a\0b "x"\n🦊']],
    [one(['x'], new LargeUtf8()), 'VARCHAR', ['x']],
    [one(['x', 'y', 'x', null], new Dictionary(new Utf8(), new Int8())), 'VARCHAR', ['x', 'y', 'x', null]],
    [one([true, null], new Bool()), 'BOOLEAN', ['true', null]],
    [one([2n ** 63n - 1n, -(2n ** 63n)], new Int64()), 'BIGINT', ['9223372036854775807', '-9223372036854775808']],
    [one([2n ** 64n - 1n], new Uint64()), 'UBIGINT', ['18446744073709551615']],
    [one([NaN, -0, null], new Float32()), 'FLOAT', ['nan', '-0.0', null]],
    [one([1.5], new Float16()), 'FLOAT', ['1.5']],
    [one([new Date('-000043-03-15T00:00:00Z')], new DateDay()), 'DATE', ['0044-03-15 (BC)']],
    [one([1], new TimestampMicrosecond('Europe/Berlin')), 'TIMESTAMPTZ', ['1970-01-01 00:00:00.001+00']],
    [exact(new TimestampNanosecond(), BigInt64Array.of(1n)), 'TIMESTAMP_NS', ['1970-01-01 00:00:00.000000001']],
    [exact(new Decimal(2, 10, 128), Uint32Array.of(12345, 0, 0, 0)), 'DECIMAL(10,2)', ['123.45']],
    [one([[1, 2], null, []], new List(new Field('item', new Int32(), true))), 'INTEGER[]', ['[1, 2]', null, '[]']],
    [one([[1, 2]], new FixedSizeList(2, new Field('item', new Int32(), true))), 'INTEGER[]', ['[1, 2]']],
  ]
  for (const [table, type, stored] of KEPT)
    it(`keeps ${table.schema.fields[0]?.type} as ${type}`, async () => {
      assert.deepEqual(
        await through(fromArrow(table), { v: type }),
        stored.map(value => [value]),
      )
    })

  const REFUSED: [type: DataType, instead: string][] = [
    [new Null(), 'Utf8'],
    [new Struct([new Field('x', new Int32(), true)]), 'Utf8'],
    [new DateMillisecond(), 'Date32<DAY>'],
    [new TimeSecond(), 'Time64<MICROSECOND>'],
    [new TimestampSecond(), 'Timestamp<MICROSECOND>'],
    [new TimestampNanosecond('UTC'), 'Timestamp<MICROSECOND>'],
    [new DurationSecond(), 'Int64'],
    [new Decimal(2, 60, 256), 'Decimal128 of at most 38 digits'],
    [new List(new Field('item', new Null(), true)), 'Utf8'],
    [new Dictionary(new TimestampSecond(), new Int8()), 'Timestamp<MICROSECOND>'],
  ]
  for (const [type, instead] of REFUSED)
    it(`refuses ${type}`, async () => {
      const batch = new RecordBatch(
        new Schema([new Field('v', type, true)]),
        makeData({
          type: new Struct([new Field('v', type, true)]),
          children: [makeData({ type } as never)],
          length: 0,
        }),
      )
      await rejects(
        fromArrow([batch]),
        `column "v" is of the Arrow type ${type}, which a table does not keep: cast it to ${instead}`,
      )
    })

  it('takes a table, a batch, tables of several batches, and a reader of a stream', async () => {
    const [first, second] = [integers('v', 1, 2), integers('v', 3)]
    const both = first.concat(second)
    const takes = [both, both.batches, [first, ...second.batches], await RecordBatchReader.from(tableToIPC(both))]
    for (const taken of takes)
      assert.deepEqual(await through(fromArrow(taken), { v: 'INTEGER' }), [['1'], ['2'], ['3']])
    const [batch] = first.batches as [RecordBatch]
    assert.deepEqual(await through(fromArrow(batch), { v: 'INTEGER' }), [['1'], ['2']])
  })

  it('takes what both copies of apache-arrow in Node have made, and no third one', async () => {
    const required = createRequire(import.meta.url)('apache-arrow') as typeof import('apache-arrow')
    for (const { tableFromArrays } of [required, await import('apache-arrow')]) {
      const table = tableFromArrays({ v: ['a', 'b'] })
      assert.deepEqual(await through(fromArrow(table), { v: 'VARCHAR' }), [['a'], ['b']])
    }
    const third = { numRows: 0, schema: { fields: [] } }
    await rejects(
      fromArrow(third),
      'a batch is of another copy of apache-arrow than foldgate loads: install one version of it',
    )
  })

  it('keeps NULL in later batches of a column that has none in the first, and dictionaries that differ', async () => {
    const table = (values: (string | null)[], nullable: boolean) => {
      const { data } = one(values, new Dictionary(new Utf8(), new Int32())).batches[0] as RecordBatch
      return new RecordBatch(new Schema([new Field('v', data.children[0]?.type as DataType, nullable)]), data)
    }
    const source = fromArrow([table(['a', 'b'], false), table([null, 'c', 'b'], true)])
    assert.deepEqual(await through(source, { v: 'VARCHAR' }), [['a'], ['b'], [null], ['c'], ['b']])
  })

  it('keeps the columns of a table without rows', async () => {
    assert.deepEqual(await through(fromArrow(integers('v')), { v: 'INTEGER' }), [])
  })

  it('writes a batch that is larger than a slice whole', async () => {
    const text = 'x'.repeat(10_000)
    const values = Array.from({ length: 3000 }, (_, at) => (at % 7 === 0 ? null : `${at} ${text}`))
    const source = fromArrow(one(values, new Utf8()))
    const found = await through(source, { v: 'VARCHAR' })
    assert.ok(found.every(([value], at) => value === values[at]) && found.length === 3000)
  })

  it('refuses what is not Arrow, no batch, and batches that differ', async () => {
    assert.throws(() => fromArrow(7 as never), /fromArrow\(\) takes a Table of apache-arrow, or an Iterable of batches/)
    await rejects(fromArrow([{}] as never), 'batch 1 is no RecordBatch and no Table of apache-arrow')
    await rejects(fromArrow([]), 'there is no batch, and so there are no columns')
    const differ = 'batch 2 has other columns or types than the first one'
    await rejects(fromArrow([integers('v', 1), integers('w', 1)]), differ)
    await rejects(fromArrow([integers('v', 1), one([1.5], new Float32())]), differ)
  })

  it('tells what the batches have thrown, and leaves no file of those before', async () => {
    async function* batches() {
      yield integers('v', 1)
      throw new Error('out of batches')
    }
    await rejects(fromArrow(batches()), 'out of batches')
  })

  it('asks for a batch when the last one was written, and for none when no more is wanted', async () => {
    let asked = 0
    let isEnded = false
    const rows = Int32Array.from({ length: 122_880 }, (_, at) => at)
    function* batches() {
      try {
        for (;;) {
          asked += 1
          yield tableFromArrays({ v: rows })
        }
      } finally {
        isEnded = true
      }
    }
    const { signal } = new AbortController()
    const { chunks } = await fromArrow(batches()).read({ table: 'orders', columns: null, session: undefined, signal })
    let taken = 0
    for await (const chunk of chunks) {
      assert.ok(chunk.length > 100_000)
      taken += 1
      assert.ok(asked <= taken + 3, `${asked} batches were taken when ${taken} were written`)
      if (taken === 5) break
    }
    assert.ok(isEnded)
    assert.ok(asked <= 8)
  })
})

/** A column of values as they are in memory. */
function exact(type: DataType, data: BigInt64Array | Uint32Array): Table {
  return new Table({ v: new Vector([makeData({ type, data } as never)]) })
}
