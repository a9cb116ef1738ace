import assert from 'node:assert/strict'
import { fromPostgres } from 'foldgate-postgres'
import pg from 'pg'
import { ask } from '../../../../test/server/stores.js'
import { givenPool, readAll, rowsOf } from './reading.js'

describe('sources of one pool', () => {
  const given = givenPool()
  beforeEach(() => ask('CREATE TABLE foldgate_rows AS SELECT i FROM generate_series(1, 3) AS i'))
  afterEach(() => ask('DROP TABLE foldgate_rows'))

  const sources = () =>
    ['TABLE foldgate_rows', 'SELECT count(*) AS n FROM foldgate_rows'].map(sql => fromPostgres(given.pool, sql))

  it('share a session, and those of another pool do not', () => {
    const [one, two] = sources()
    assert.ok(one?.session)
    assert.equal(one.session, two?.session)
    assert.notEqual(fromPostgres(new pg.Pool(), 'SELECT 1 AS a').session, one.session)
  })

  it('see the same rows, whatever is written between two of them', async () => {
    const [rows, count] = sources()
    assert.ok(rows?.session && count)
    const session = await rows.session.begin(new AbortController().signal)
    const before = await readAll(rows, { session })
    await ask('INSERT INTO foldgate_rows VALUES (4)')
    const after = await readAll(count, { session })
    const again = await readAll(rows, { session })
    await rows.session.end(session, false)
    assert.equal(before.csv.toString(), 'i\n1\n2\n3\n')
    assert.equal(after.csv.toString(), 'n\n3\n')
    assert.deepEqual(again.csv, before.csv)
    assert.equal((await readAll(count)).csv.toString(), 'n\n4\n')
  })

  it('can be read twice at once, in a transaction each', async () => {
    const [, count] = sources()
    assert.ok(count?.session)
    const { signal } = new AbortController()
    const early = await count.session.begin(signal)
    await ask('INSERT INTO foldgate_rows VALUES (4)')
    const late = await count.session.begin(signal)
    assert.equal(given.pool.totalCount - given.pool.idleCount, 2)
    const read = await Promise.all([early, late].map(session => readAll(count, { session })))
    for (const session of [early, late]) await count.session.end(session, false)
    assert.deepEqual(
      read.map(({ csv }) => csv.toString()),
      ['n\n3\n', 'n\n4\n'],
    )
    assert.equal(given.pool.idleCount, given.pool.totalCount)
  })

  it('write nothing', async () => {
    await ask(
      "CREATE FUNCTION foldgate_write() RETURNS int LANGUAGE sql AS 'INSERT INTO foldgate_rows VALUES (5) RETURNING i'",
    )
    try {
      await assert.rejects(rowsOf(given.pool, 'SELECT foldgate_write() AS n'), /read-only transaction \(25006\)$/)
    } finally {
      await ask('DROP FUNCTION foldgate_write')
    }
    assert.deepEqual(await ask('SELECT count(*)::int AS n FROM foldgate_rows'), [{ n: 3 }])
  })

  it('are read only in a session of theirs', async () => {
    const [rows] = sources()
    await assert.rejects(
      async () => rows?.read({ table: 'rows', columns: null, session: undefined, signal: AbortSignal.abort() }),
      TypeError,
    )
  })

  it('refuse a timeout that is none', () => {
    for (const timeoutMs of [-1, 1.5, Number.NaN, 2 ** 31])
      assert.throws(() => fromPostgres(given.pool, 'SELECT 1 AS a', { timeoutMs }), TypeError)
  })
})
