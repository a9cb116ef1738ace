import assert from 'node:assert/strict'
import { fromPostgres } from 'foldgate-postgres'
import pg from 'pg'
import { ask, postgresUrl } from '../../../../test/server/stores.js'
import { until } from '../../../../test/until.js'
import { givenPool, readAll, rowsOf } from './reading.js'

/** Has rows at once, and for long. */
const SLOW = "SELECT generate_series(1, 100000000) AS i, repeat('x', 1000) AS text"
/** Computes for long before its first row. */
const SILENT = 'SELECT count(*) AS n FROM generate_series(1, 1000000) AS a, generate_series(1, 1000000) AS b'

describe('the connection of a source', () => {
  const NAME = `foldgate-test-${process.pid}`
  const given = givenPool({ application_name: NAME, max: 2 })

  /** The statements that PostgreSQL runs for the pool. */
  const running = async () =>
    (await ask(`SELECT query FROM pg_stat_activity WHERE application_name = '${NAME}' AND state <> 'idle'`)).map(
      ({ query }) => String(query),
    )
  /** Nothing runs, and whoever waits for a connection gets one that works. */
  const isFree = async () => {
    await until(async () => (await running()).length === 0, 'the end of all statements')
    assert.equal(given.pool.idleCount, given.pool.totalCount)
    assert.equal(given.pool.waitingCount, 0)
    const clients = await Promise.all([given.pool.connect(), given.pool.connect()])
    for (const client of clients) assert.deepEqual((await client.query('SELECT 1 AS a')).rows, [{ a: 1 }])
    for (const client of clients) client.release()
  }
  /** Begins to read, and returns the chunks and what ends the reading. */
  const reading = async (statement: string, timeoutMs?: number) => {
    const abort = new AbortController()
    const { signal } = abort
    const source = fromPostgres(given.pool, statement, timeoutMs === undefined ? {} : { timeoutMs })
    const session = await source.session?.begin(signal)
    const { chunks } = await source.read({ table: 'rows', columns: null, session, signal }).catch(async cause => {
      await source.session?.end(session, true)
      throw cause
    })
    return { abort, chunks: chunks[Symbol.asyncIterator](), end: () => source.session?.end(session, true) }
  }
  afterEach(isFree)

  it('is given back when the reading is aborted amid rows', async () => {
    const { abort, chunks, end } = await reading(SLOW)
    for (let count = 0; count < 10; count++) assert.ok((await chunks.next()).value)
    const reason = new Error('no longer wanted')
    abort.abort(reason)
    await assert.rejects(async () => {
      while (!(await chunks.next()).done);
    }, reason)
    await end()
  })

  it('is given back when the reading is aborted while PostgreSQL computes, and so is its processor', async () => {
    const { abort, chunks, end } = await reading(SILENT)
    const next = chunks.next()
    await until(async () => (await running()).some(query => query.includes('COPY')), 'the statement to run')
    const reason = new Error('no longer wanted')
    abort.abort(reason)
    await assert.rejects(next, reason)
    await end()
  })

  it('is given back when whoever reads stops amid rows', async () => {
    const { chunks, end } = await reading(SLOW)
    await chunks.next()
    await chunks.return?.()
    await end()
  })

  it('is given back when nothing is read', async () => {
    const { end } = await reading(SLOW)
    await end()
  })

  it('is given back when the sealing is aborted while it waits for a connection, or before', async () => {
    const clients = await Promise.all([given.pool.connect(), given.pool.connect()])
    const abort = new AbortController()
    const { session } = fromPostgres(given.pool, 'SELECT 1 AS a')
    const began = session?.begin(abort.signal)
    await until(() => given.pool.waitingCount === 1, 'the source to wait')
    const reason = new Error('no longer wanted')
    abort.abort(reason)
    await assert.rejects(async () => began, reason)
    for (const client of clients) client.release()
    await until(() => given.pool.waitingCount === 0 && given.pool.idleCount === 2, 'the connection')
    await assert.rejects(async () => session?.begin(abort.signal), reason)
  })

  it('is given back when the reading is aborted while the statement waits for a lock', async () => {
    await ask('CREATE TABLE foldgate_locked (i int)')
    const locking = new pg.Client({ connectionString: postgresUrl ?? '' })
    await locking.connect()
    try {
      await locking.query('BEGIN; LOCK TABLE foldgate_locked')
      const abort = new AbortController()
      const source = fromPostgres(given.pool, 'TABLE foldgate_locked')
      const session = await source.session?.begin(abort.signal)
      const read = source.read({ table: 'rows', columns: null, session, signal: abort.signal })
      await until(async () => (await running()).some(query => query.includes('foldgate_locked')), 'the lock')
      const reason = new Error('no longer wanted')
      abort.abort(reason)
      await assert.rejects(read, reason)
      await source.session?.end(session, true)
      await until(async () => (await running()).length === 0, 'the end of the statement')
    } finally {
      await locking.end()
      await ask('DROP TABLE foldgate_locked')
    }
  })

  it('is given back when a row cannot be computed', async () => {
    const { chunks, end } = await reading('SELECT 1 / (500000 - i) AS n FROM generate_series(1, 1000000) AS i')
    await assert.rejects(async () => {
      while (!(await chunks.next()).done);
    }, /^Error: PostgreSQL ended the statement: division by zero \(22012\)$/)
    await end()
  })

  it('is replaced when it is lost amid rows', async () => {
    const { chunks, end } = await reading(SLOW)
    await chunks.next()
    await ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${NAME}' AND state <> 'idle'`,
    )
    await assert.rejects(async () => {
      while (!(await chunks.next()).done);
    }, /^Error: (PostgreSQL ended the statement: terminating connection .*\(57P01\)|The connection to PostgreSQL was lost: .*)$/)
    await end()
  })

  it('is replaced when it is lost between two statements', async () => {
    const { signal } = new AbortController()
    const source = fromPostgres(given.pool, 'SELECT 1 AS a')
    const session = await source.session?.begin(signal)
    await ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${NAME}' AND state <> 'idle'`,
    )
    await assert.rejects(
      source.read({ table: 'rows', columns: null, session, signal }),
      /^Error: (PostgreSQL ended the statement: terminating connection|The connection to PostgreSQL was lost)/,
    )
    await source.session?.end(session, true)
  })

  it('ends a statement that takes longer than it may, and says how to let it', async () => {
    const ended = reading(SILENT, 100).then(({ chunks, end }) => chunks.next().finally(end))
    await assert.rejects(ended, ({ message }: Error) => {
      assert.match(
        message,
        /^PostgreSQL ended the statement: canceling statement due to statement timeout \(57014\)\. Let it take/,
      )
      return true
    })
  })

  it('keeps the timeout that it came with for other sources', async () => {
    const timeout = "SELECT current_setting('statement_timeout') AS t"
    const pool = new pg.Pool({ connectionString: postgresUrl ?? '', statement_timeout: 7000 })
    try {
      const sources = [fromPostgres(pool, timeout), fromPostgres(pool, timeout, { timeoutMs: 0 })]
      const session = await sources[0]?.session?.begin(new AbortController().signal)
      const told: string[] = []
      for (const at of [0, 1, 0]) told.push((await readAll(sources[at] as never, { session })).csv.toString())
      await sources[0]?.session?.end(session, false)
      assert.deepEqual(told, ['t\n7s\n', 't\n0\n', 't\n7s\n'])
      assert.deepEqual((await pool.query(timeout)).rows, [{ t: '7s' }])
    } finally {
      await pool.end()
    }
  })
})

describe('a pool that bounds the wait for answers', () => {
  const given = givenPool({ query_timeout: 300, max: 1 })

  it('does not end the reading of rows that takes longer', async () => {
    const statement = 'SELECT i, pg_sleep(0.2) IS NULL AS nothing FROM generate_series(1, 3) AS i'
    assert.equal((await rowsOf(given.pool, statement)).csv.toString(), 'i,nothing\n1,f\n2,f\n3,f\n')
    assert.equal(given.pool.idleCount, 1)
  })
})
