import assert from 'node:assert/strict'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { openSealer, type Sealer } from 'foldgate/sealing'
import { fromPostgres } from 'foldgate-postgres'
import pg from 'pg'
import { scratchFolder } from '../../../../test/server/command.js'
import { postgresUrl } from '../../../../test/server/stores.js'
import { rowsOf } from './reading.js'

const PROJECT = '7b0f0c52-5c3b-4a64-8a2f-0d5f3e6d0004'
const TABLE = 'foldgate_versions'
const ROWS = `SELECT id, total FROM ${TABLE}`

describe('a table of PostgreSQL', () => {
  const scratch = scratchFolder()
  let pool: pg.Pool
  let other: pg.Client
  let sealer: Sealer

  before(async function () {
    if (!postgresUrl) return this.skip()
    pool = new pg.Pool({ connectionString: postgresUrl })
    other = new pg.Client({ connectionString: postgresUrl })
    await other.connect()
    const relations = [defineTable({ name: 'orders', columns: { id: 'BIGINT', total: 'INTEGER' }, unique: ['id'] })]
    const catalogue = defineCatalogue({ relations })
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
  })
  beforeEach(async () => {
    await other.query(`DROP TABLE IF EXISTS ${TABLE}`)
    await other.query(`CREATE TABLE ${TABLE} (id bigint, total integer, changed integer)`)
    await other.query(`INSERT INTO ${TABLE} VALUES (1, 10, 1), (2, 20, 1)`)
  })
  afterEach(() => other.query('ROLLBACK'))
  after(async () => {
    await sealer?.close()
    await other?.query(`DROP TABLE IF EXISTS ${TABLE}`)
    await other?.end()
    await pool?.end()
  })

  it('is read when its version tells that rows have changed, and not else', async () => {
    const version = `SELECT max(changed), count(*) FROM ${TABLE};`
    const seal = async (statement = ROWS) => {
      const source = fromPostgres(pool, statement, { version })
      let reads = 0
      const read: typeof source.read = request => {
        reads += 1
        return source.read(request)
      }
      const { unchanged } = await sealer.seal({ projectId: PROJECT, tables: { orders: { ...source, read } } })
      return [unchanged, reads]
    }
    assert.deepEqual(await seal(), [false, 1])
    assert.deepEqual(await seal(), [true, 0])
    await other.query(`UPDATE ${TABLE} SET total = 11, changed = 2 WHERE id = 1`)
    assert.deepEqual(await seal(), [false, 1])
    assert.deepEqual(await seal(), [true, 0])
    assert.deepEqual(await seal(`${ROWS} WHERE id < 9`), [true, 1], 'another statement is read')
    await other.query(`UPDATE ${TABLE} SET total = 12 WHERE id = 1`)
    assert.deepEqual(await seal(), [true, 0], 'a change that the version does not show')
  })

  it('is not sealed when its version cannot be told, or writes', async () => {
    for (const [version, told] of [
      ['SELECT nothing', /the source of "orders" failed: PostgreSQL refuses the statement at line 1, column 8: /],
      ['SELECT 1; SELECT 2', /cannot insert multiple commands into a prepared statement/],
      [`DELETE FROM ${TABLE}`, /cannot execute DELETE in a read-only transaction/],
      ['SELECT pg_sleep(9)', /canceling statement due to statement timeout/],
    ] as const) {
      const orders = fromPostgres(pool, ROWS, { version, timeoutMs: 500 })
      await assert.rejects(sealer.seal({ projectId: PROJECT, tables: { orders } }), { reason: 'source', message: told })
    }
    assert.throws(() => fromPostgres(pool, ROWS, { version: 1 as never }), /version must be a SELECT statement/)
  })

  const LOCKED = /^PostgreSQL waited too long for a lock that another session holds: .*\(55P03\)\. Read again once/

  it('that another session has locked is told as that, and not as slow or lost', async () => {
    await other.query(`BEGIN; LOCK TABLE ${TABLE} IN ACCESS EXCLUSIVE MODE`)
    await assert.rejects(rowsOf(pool, ROWS, { timeoutMs: 500 }), { message: LOCKED })
    const impatient = new pg.Pool({ connectionString: postgresUrl ?? '', options: '-c lock_timeout=200' })
    try {
      await assert.rejects(rowsOf(impatient, ROWS), { message: LOCKED })
      await assert.rejects(rowsOf(impatient, ROWS, { timeoutMs: 0 }), { message: LOCKED })
    } finally {
      await impatient.end()
    }
    const unanswered = new pg.Pool({ connectionString: postgresUrl ?? '', query_timeout: 200 })
    try {
      const message = 'PostgreSQL has not answered within the query_timeout of the pool'
      await assert.rejects(rowsOf(unanswered, ROWS), { message })
    } finally {
      await unanswered.end()
    }
    await other.query('ROLLBACK')
    assert.match(`${(await rowsOf(pool, ROWS, { timeoutMs: 500 })).csv}`, /^id,total\n1,10\n2,20\n$/)
  })

  it('whose rows wait for a lock is told as that as well', async () => {
    await other.query('BEGIN; SELECT pg_advisory_xact_lock(4711)')
    const waiting = `SELECT id, (SELECT 1 FROM pg_advisory_xact_lock(4711)) AS total FROM ${TABLE}`
    await assert.rejects(rowsOf(pool, waiting, { timeoutMs: 500 }), { message: LOCKED })
  })
})
