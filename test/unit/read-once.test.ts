import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { setImmediate } from 'node:timers/promises'
import { fromCsv, fromParquet, fromRows, type TableSource } from 'foldgate/sealing'
import { feedOne, fileWith, inFolder, textOf, through } from './fed.js'

const CSV = 'id,name\n1,"é ""x"""\n2,🦊\n'
const never = new Promise<never>(() => {})

/** Begins to read a source; returns its chunks. */
async function chunksOf(
  source: TableSource,
  signal = new AbortController().signal,
): Promise<AsyncIterator<Uint8Array>> {
  const { chunks } = await source.read({ table: 'orders', columns: null, session: undefined, signal })
  return chunks[Symbol.asyncIterator]()
}

const failing = (source: TableSource, says: string) =>
  assert.rejects(textOf(source), { message: `the source of "orders" failed: ${says}` })

describe('fromCsv and fromParquet', () => {
  const bytes = Buffer.from(CSV)
  const pieces = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1))
  const SUPPLIES: [what: string, supply: () => Parameters<typeof fromCsv>[0]][] = [
    ['bytes', () => bytes],
    ['an array of bytes, one at a time', () => pieces],
    ['a stream of Node', () => Readable.from(pieces)],
    ['a stream of the web', () => ReadableStream.from(pieces) as never],
    ['the body of a response', () => new Response(CSV).body as never],
    ['a stream of strings', () => Readable.from(pieces).setEncoding('utf8')],
    ['strings that end in the middle of a character', () => CSV.split('')],
  ]
  for (const [what, supply] of SUPPLIES)
    it(`take ${what}`, async () => {
      assert.equal(await textOf(fromCsv(supply())), CSV)
    })

  it('take a file that is read as a stream', () =>
    inFolder(async folder => {
      const stream = createReadStream(await fileWith(folder, CSV), { highWaterMark: 7 })
      assert.equal(await textOf(fromCsv(stream)), CSV)
    }))

  it('tell an empty text from NULL in CSV that does', async () => {
    const columns = { a: 'VARCHAR', b: 'VARCHAR' }
    const csv = 'a,b\n"",\n'
    assert.deepEqual(await through(fromCsv([csv]), columns), [[null, null]])
    assert.deepEqual(await through(fromCsv([csv], { hasEmptyText: true }), columns), [['', null]])
  })

  it('refuse a path, and what has no pieces', () => {
    const says = /^fromCsv\(\) takes an Iterable or AsyncIterable of bytes; fromFile\(\) takes a path$/
    assert.throws(() => fromCsv('orders.csv'), { name: 'TypeError', message: says })
    assert.throws(() => fromCsv(null as never), { name: 'TypeError', message: says })
    assert.throws(() => fromParquet('orders.parquet' as never), TypeError)
    assert.throws(() => fromRows('orders' as never), TypeError)
  })

  it('refuse pieces that are no bytes', async () => {
    await failing(fromCsv([7] as never), 'a piece is a number: give bytes or strings')
    await failing(fromParquet(['PAR1'] as never), 'a piece is a string: give bytes')
    const half = 'a string holds half of a surrogate pair, which UTF-8 has not'
    await failing(fromCsv(['a\n\ud83e']), half)
    await failing(fromCsv(['a\n\ud83e', bytes]), half)
    await failing(fromCsv(['a\n\ud83e', 'x']), half)
    await failing(fromCsv(['a\n\udd8a']), half)
  })
})

describe('a source', () => {
  const read = async (source: TableSource) => void (await inFolder(folder => feedOne(source, folder)))
  const ALREADY = 'the source was read already: make a new one for each table and each sealing'

  it('is read once', async () => {
    const generator = (function* () {
      yield CSV
    })()
    const stream = Readable.from([CSV])
    const web = ReadableStream.from([CSV]) as never
    for (const supply of [[CSV], generator, stream, web]) {
      const source = fromCsv(supply)
      await read(source)
      await failing(source, ALREADY)
    }
    for (const spent of [generator, stream, web]) await failing(fromCsv(spent), ALREADY)
  })

  it('is refused for a stream that somebody has read, destroyed or locked', async () => {
    const consumed = Readable.from([CSV])
    for await (const _ of consumed);
    const locked = ReadableStream.from([CSV])
    locked.getReader()
    for (const spent of [consumed, Readable.from([CSV]).destroy(), locked as never])
      await failing(fromCsv(spent), ALREADY)
  })

  it('asks for rows only as far as they are stored, and for none when no more is wanted', async () => {
    let taken = 0
    let isEnded = false
    async function* rows() {
      try {
        for (;;) yield { id: ++taken, text: 'x'.repeat(1000) }
      } finally {
        isEnded = true
      }
    }
    const chunks = await chunksOf(fromRows(rows()))
    let bytes = 0
    for (let at = 0; at < 5; at++) {
      const { value } = await chunks.next()
      assert.ok(value.length < 80 * 1024)
      bytes += value.length
      await setImmediate()
      assert.ok(taken * 1000 <= bytes)
    }
    await chunks.return?.()
    assert.ok(isEnded)
  })

  it('ends its stream when its signal fires while it waits', async () => {
    for (const [make, stream] of [
      [fromRows, new Readable({ objectMode: true, read() {} })],
      [fromCsv, new Readable({ read() {} })],
    ] as const) {
      const aborting = new AbortController()
      const chunks = await chunksOf(make(stream), aborting.signal)
      const next = chunks.next()
      await setImmediate()
      aborting.abort(new Error('not wanted'))
      await assert.rejects(next)
      assert.ok(stream.destroyed)
    }
  })

  it('cancels a stream of the web, and ends an iterator, when its signal fires', async () => {
    const ended: string[] = []
    const web = new ReadableStream({ pull: () => never, cancel: () => void ended.push('web') })
    const iterator = { next: () => never, return: async () => ended.push('iterator') }
    for (const supply of [web, { [Symbol.asyncIterator]: () => iterator }]) {
      const aborting = new AbortController()
      const chunks = await chunksOf(fromCsv(supply as never), aborting.signal)
      chunks.next().catch(() => {})
      await setImmediate()
      aborting.abort()
      await setImmediate()
    }
    assert.deepEqual(ended, ['web', 'iterator'])
  })

  it('tells how a stream has failed', async () => {
    const stream = new Readable({
      read() {
        this.destroy(new Error('connection reset'))
      },
    })
    await failing(fromCsv(stream), 'connection reset')
  })
})

describe('the rows of fromRows', () => {
  const columns = { id: 'BIGINT', name: 'VARCHAR' }
  const fails = async (rows: unknown[], says: string, declared: Record<string, string> | null = columns) =>
    assert.rejects(textOf(fromRows(rows as never), declared), { message: `the source of "orders" failed: ${says}` })

  it('have their columns in any order, and NULL for keys that are missing', async () => {
    const rows = [{ name: 'one', id: 1 }, { id: 2n }, {}, Object.assign(Object.create(null), { name: '' })]
    assert.deepEqual(await through(fromRows(rows), columns), [
      ['1', 'one'],
      ['2', null],
      [null, null],
      [null, ''],
    ])
  })

  it('have their columns from the first one if none are declared', async () => {
    assert.equal(await textOf(fromRows([{ 'a "b",\n': 1, ä: null }, { ä: 'x' }])), '"a ""b"",\n","ä"\n1,\n,"x"\n')
    const rows = fromRows([JSON.parse('{"__proto__": 1, "constructor": null}'), {}])
    assert.equal(await textOf(rows), '"__proto__","constructor"\n1,\n,\n')
  })

  it('are none in a table with declared columns', async () => {
    assert.equal(await textOf(fromRows([]), columns), '"id","name"\n')
  })

  it('are refused with their number', async () => {
    const advice = 'a row is an object with a key per column'
    await fails([{}, { id: 1, nmae: 'x' }], 'row 2 has the key "nmae", which is no column of the table')
    for (const [row, kind] of [
      [null, 'null'],
      [[1], 'an array'],
      ['text', 'a string'],
      [new Map(), 'an object of the class Map'],
      [Promise.resolve({}), 'an object of the class Promise'],
      [new Date(), 'a Date'],
    ])
      await fails([{}, row], `row 2 is ${kind}: ${advice}`)
    const none = 'and the catalogue declares no columns of orders: declare them'
    await fails([], `there are no rows, ${none}`, null)
    await fails([{}], `row 1 has no keys, ${none}`, null)
  })

  const KINDS: [values: unknown[], type: string][] = [
    [[1, null, 2n, -0], 'BIGINT'],
    [[1, 2.5, -0, 1e21, NaN], 'DOUBLE'],
    [[1n, 2n ** 63n], 'DECIMAL(38,0)'],
    [[null, 'x'], 'VARCHAR'],
    [[null, undefined], 'VARCHAR'],
    [[[1], { a: 1 }], 'JSON'],
    [[Buffer.from('a'), Uint8Array.of(1)], 'BLOB'],
    [[false], 'BOOLEAN'],
    [[new Date()], 'TIMESTAMPTZ'],
  ]
  it('tell the types of columns that are not declared', () =>
    inFolder(async folder => {
      const width = Math.max(...KINDS.map(([values]) => values.length))
      const rows = Array.from({ length: width }, (_, row) =>
        Object.fromEntries(KINDS.map(([values], at) => [`c${at}`, values[row]])),
      )
      const { types } = await feedOne(fromRows(rows), folder)
      assert.deepEqual(types, Object.fromEntries(KINDS.map(([, type], at) => [`c${at}`, type])))
    }))

  const another = ', and those before are of another kind: declare the type of the column'
  const both = ', and the column has both bigints and other numbers: declare its type'
  const MIXED: [values: unknown[], says: string][] = [
    [[1, 'x'], `a string${another}`],
    [['x', 1], `a number${another}`],
    [['x', new Date()], `a Date${another}`],
    [[true, 1], `a number${another}`],
    [['x', { a: 1 }], `an object${another}`],
    [[0.5, 1n], `a bigint${both}`],
    [[1n, 1e21], `a number${both}`],
  ]
  for (const [[first, second], says] of MIXED)
    it(`are refused when one is ${says.split(',')[0]} after ${typeof first}`, () =>
      fails([{ a: first }, {}, { a: second }], `row 3, column "a": the value is ${says}`, null))
})
