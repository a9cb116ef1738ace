import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fromCsv, fromFile, fromRows, type TableSource } from 'foldgate/sealing'
import { type FeedOptions, feedSources } from '#lib/sources/feed.js'
import { SourceFailed } from '#lib/sources/stored-chunks.js'
import { inFolder } from './fed.js'
import { Session, sourceOf } from './session.js'

const never = new Promise<never>(() => {})
const feed = (sources: Record<string, TableSource>, folder: string, options: Partial<FeedOptions> = {}) =>
  feedSources(new Map(Object.entries(sources).map(([table, source]) => [table, { source, columns: null }])), {
    folder,
    ...options,
  })

/** Feeds in an empty folder, which must be empty after a failure; returns the failure. */
async function failing(sources: Record<string, TableSource>, options: Partial<FeedOptions> = {}): Promise<Error> {
  return inFolder(async folder => {
    const cause = await feed(sources, folder, options).then(
      () => assert.fail('it did not fail'),
      cause => cause,
    )
    assert.deepEqual(await readdir(folder), [])
    return cause
  })
}

describe('feedSources', () => {
  it('stores what sources deliver in files of this user, and copies no file', () =>
    inFolder(async folder => {
      const rows = fromRows([
        { id: 1, name: 'one' },
        { name: null, id: 2 },
      ])
      const path = join(folder, 'here.parquet')
      const csv = fromCsv(['id\n', '1\n'], { isOrdered: true })
      const fed = await feed({ rows, file: fromFile(path), csv }, folder)
      assert.deepEqual(fed, [
        {
          table: 'rows',
          path: join(folder, 'source-1'),
          format: 'csv-with-empty-text',
          types: { id: 'BIGINT', name: 'VARCHAR' },
          isOrdered: false,
        },
        { table: 'file', path, format: 'parquet', types: null, isOrdered: true },
        { table: 'csv', path: join(folder, 'source-2'), format: 'csv', types: null, isOrdered: true },
      ])
      assert.equal(await readFile(join(folder, 'source-1'), 'utf8'), '"id","name"\n1,"one"\n2,\n')
      assert.equal(await readFile(join(folder, 'source-2'), 'utf8'), 'id\n1\n')
      assert.deepEqual((await readdir(folder)).sort(), ['source-1', 'source-2'])
      assert.equal((await stat(join(folder, 'source-1'))).mode & 0o777, 0o600)
    }))

  it('stores chunks of any size, whose memory their source uses again', () =>
    inFolder(async folder => {
      const sizes = [1, 1024 ** 2 - 2, 1, 1, 3 * 1024 ** 2, 5]
      async function* chunks() {
        const memory = Buffer.alloc(3 * 1024 ** 2)
        for (const size of sizes) yield memory.fill(`${size}`.slice(-1)).subarray(0, size)
      }
      await feed({ orders: sourceOf(chunks()) }, folder)
      const expected = sizes.map(size => `${size}`.slice(-1).repeat(size)).join('')
      assert.ok((await readFile(join(folder, 'source-1'), 'utf8')) === expected)
    }))

  it('reads the sources of a session one after the other, between its begin and its end', () =>
    inFolder(async folder => {
      const session = new Session()
      const other = new Session('other')
      session.log = other.log
      await feed({ a: session.source('a'), b: other.source('b'), c: session.source('c') }, folder)
      assert.deepEqual(session.log, [
        ...['begin', 'read a in 1', 'end of a', 'read c in 1', 'end of c', 'end 1'],
        ...['begin other', 'read b in other 1', 'end of b', 'end other 1'],
      ])
    }))

  const WRONG: [what: string, sources: () => Record<string, TableSource>, says: RegExp][] = [
    ['a path', () => ({ a: 'a.csv' as never }), /^tables\.a is a string: write fromFile\("a\.csv"\)$/],
    ['what is no source', () => ({ a: {} as TableSource }), /^the source of "a" is no object with read\(\): make one/],
    ['null', () => ({ a: null as unknown as TableSource }), /^the source of "a" is no object with read\(\): make one/],
    [
      'a source of two tables',
      () => {
        const source = fromRows([])
        return { a: source, b: source }
      },
      /^the source of "b" is that of "a" too: make one for each table/,
    ],
  ]
  for (const [what, sources, says] of WRONG)
    it(`refuses ${what} before anything is read`, async () => {
      const session = new Session()
      const cause = await failing({ first: session.source('first'), ...sources() })
      assert.ok(cause instanceof TypeError)
      assert.match(cause.message, says)
      assert.ok(!cause.message.includes('secret'))
      assert.deepEqual(session.log, [])
    })

  it('tells what a source has thrown, with its table, and ends it and its session', async () => {
    const session = new Session()
    const thrown = new Error('connection reset')
    const good = session.source('good')
    const bad = session.source('bad', () => Promise.reject(thrown))
    const cause = await failing({ good, bad, later: session.source('later') })
    assert.ok(cause instanceof SourceFailed)
    assert.equal(cause.message, 'the source of "bad" failed: connection reset')
    assert.equal(cause.cause, thrown)
    assert.deepEqual(session.log, [
      ...[
        'begin',
        'read good in 1',
        'end of good',
        'read bad in 1',
        'end of bad',
        'signal to good',
        'signal to bad',
        'end 1 failed',
      ],
    ])
  })

  const BROKEN: [what: string, source: TableSource, says: string][] = [
    ['rejects', { read: () => Promise.reject('no rows') }, 'no rows'],
    [
      'throws',
      {
        read: () => {
          throw new Error('no rows')
        },
      },
      'no rows',
    ],
    ['has no chunks', { read: async () => ({ format: 'csv' }) as never }, 'its chunks are no AsyncIterable'],
    [
      'has another format',
      sourceOf(pieces('a\n'), { format: 'json' as 'csv' }),
      'its format is none of csv, csv-with-empty-text, parquet',
    ],
    ['delivers text', sourceOf(pieces('a\n', 'text')), 'a chunk is a string instead of bytes'],
    ['delivers nothing', sourceOf(pieces()), 'it has delivered no bytes, not even a header'],
    [
      'tells no types',
      sourceOf(pieces('a\n'), { types: () => ({ a: 'BIGINT); DROP' }) }),
      'column "a" is of a type that no table can have: cast it',
    ],
    ['delivers too much', sourceOf(pieces('a\n', '1\n'.repeat(100))), 'it has delivered more than 100 bytes'],
  ]
  for (const [what, source, says] of BROKEN)
    it(`tells a source that ${what}`, async () => {
      const cause = await failing({ orders: source }, { mostBytes: 100 })
      assert.ok(cause instanceof SourceFailed)
      assert.equal(cause.message, `the source of "orders" failed: ${says}`)
    })

  it('tells a source that delivers nothing for a while, at any of its steps, and waits for no end of it', async () => {
    const session = new Session()
    const beginless = { ...session.source('orders'), session: { begin: () => never, end: async () => {} } }
    const stuck = [
      { read: () => never },
      sourceOf({
        [Symbol.asyncIterator]: () => ({ next: () => never, return: async () => ({ done: true, value: null }) }),
      }),
      beginless,
    ]
    for (const source of stuck) {
      const { message } = await failing({ orders: source }, { idleMs: 20 })
      assert.equal(message, 'the source of "orders" failed: it has delivered nothing for 0.02 s')
    }
  })

  it('waits for a source as long as it says', async () => {
    const slow = { idleMs: 20, read: () => never }
    const { message } = await failing({ orders: slow }, { idleMs: 2 ** 30 })
    assert.equal(message, 'the source of "orders" failed: it has delivered nothing for 0.02 s')
  })

  it('ends a session that begins when it is not waited for any more', async () => {
    const session = new Session()
    let begin = () => {}
    const late = new Promise<void>(resolve => {
      begin = resolve
    })
    const source = {
      ...session.source('orders'),
      session: { begin: () => late.then(() => session.begin()), end: session.end },
    }
    await failing({ orders: source }, { idleMs: 20 })
    begin()
    await session.ended
    assert.deepEqual(session.log, ['begin', 'end 1 failed'])
  })

  it('tells the reason of an abort, before and while a source is read, and ends it', async () => {
    const reason = new Error('not wanted')
    assert.equal(await failing({ a: fromRows([{ a: 1 }]) }, { signal: AbortSignal.abort(reason) }), reason)
    const session = new Session()
    const aborting = new AbortController()
    const source = session.source('a', async () => {
      aborting.abort(reason)
      await never
    })
    assert.equal(await failing({ a: source }, { signal: aborting.signal, endingMs: 20 }), reason)
    assert.deepEqual(session.log, ['begin', 'read a in 1', 'signal to a', 'end 1 failed'])
  })

  it('tells of a session that does not end, unless its source has failed', async () => {
    const session = new Session()
    const end = async () => {
      throw new Error('no commit')
    }
    const source = (chunk?: () => Promise<void>) => ({
      ...session.source('a', chunk),
      session: { begin: async () => 1, end },
    })
    assert.equal((await failing({ a: source() })).message, 'the source of "a" failed: no commit')
    const rejecting = source(() => Promise.reject(new Error('no row')))
    assert.equal((await failing({ a: rejecting })).message, 'the source of "a" failed: no row')
  })

  it('tells a session whose end takes too long', async () => {
    const source = { ...sourceOf(pieces('a\n')), session: { begin: async () => 1, end: () => never } }
    const { message } = await failing({ a: source }, { endingMs: 20 })
    assert.equal(message, 'the source of "a" failed: its session has not ended for 0.02 s')
  })

  it('leaves what was in the folder alone when a file cannot be written', () =>
    inFolder(async folder => {
      await mkdir(join(folder, 'source-1'))
      await assert.rejects(feed({ a: fromRows([{ a: 1 }]) }, folder), { code: 'EEXIST' })
      assert.deepEqual(await readdir(folder), ['source-1'])
    }))
})

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield text === 'text' ? (text as unknown as Uint8Array) : Buffer.from(text)
}
