import { codeOf, type Dialect, importIsRunning } from 'foldgate-server/parts'
import { type Kysely, sql } from 'kysely'
import { createTriggers, refuseUpdates } from './triggers.js'

/** PostgreSQL, for one server or several. */
export const POSTGRES: Dialect = {
  clock: sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  sequence: { type: 'bigserial', column: column => column.primaryKey() },
  async lockOutWriters(within) {
    await sql`select pg_advisory_xact_lock(${WRITING}, ${HERE})`.execute(within)
  },
  tellChanges: createTriggers,
  refuseUpdates,
  lacksTable: error => codeOf(error) === '42P01',
}

/** The first number of our advisory locks, "fold" and "gate" in ASCII; the second is a hash of the schema. */
const WRITING = sql.lit(0x666f6c64)
const IMPORTING = sql.lit(0x67617465)
const HERE = sql`hashtext(current_schema())`

/**
 * Runs `work` under the import lock of a PostgreSQL store. Throws a Refusal
 * when another process has the lock.
 */
export function withImportLock<Result>(db: Kysely<unknown>, work: () => Promise<Result>): Promise<Result> {
  return db.connection().execute(async held => {
    const lock = sql<{ free: boolean }>`select pg_try_advisory_lock(${IMPORTING}, ${HERE}) as free`
    const { rows } = await lock.execute(held)
    if (!rows[0]?.free) throw importIsRunning(null)
    try {
      return await work()
    } finally {
      // If the connection is lost, so is the lock: the import need not fail for it.
      await sql`select pg_advisory_unlock(${IMPORTING}, ${HERE})`.execute(held).catch(() => {})
    }
  })
}
