import {
  type ColumnDataType,
  type ColumnDefinitionBuilder,
  type Kysely,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
} from 'kysely'
import { Refusal } from './refusal.js'

/** What the store says to its two databases in different words; all the rest is the same for both. */
export interface Dialect {
  /**
   * The time by the clock of the database, in epoch milliseconds, when servers of several machines use it: their own
   * clocks differ. Null when one server has the store to itself.
   */
  clock: RawBuilder<number> | null
  /** A primary key that only grows, and never gives a number twice. */
  sequence: { type: ColumnDataType; column(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder }
  /** Said first in a transaction: nobody else writes until it ends. */
  keepOthersOut(within: QueryExecutorProvider): Promise<void>
  /** Whether a statement failed because its table is not there. */
  lacksTable(error: unknown): boolean
}

/** SQLite, in a file of the data folder. */
export const EMBEDDED: Dialect = {
  clock: null,
  sequence: { type: 'integer', column: column => column.primaryKey().autoIncrement() },
  keepOthersOut: async () => {}, // its driver begins every transaction as a writer
  lacksTable: error => error instanceof Error && error.message.startsWith('no such table'),
}

/** PostgreSQL, of one server or of several. */
export const POSTGRES: Dialect = {
  clock: sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  sequence: { type: 'bigserial', column: column => column.primaryKey() },
  async keepOthersOut(within) {
    await sql`select pg_advisory_xact_lock(${WRITING}, ${HERE})`.execute(within)
  },
  lacksTable: error => codeOf(error) === '42P01',
}

/** The first number of our advisory locks, "fold" and "gate" in ASCII; the second is the schema that the store is in. */
const WRITING = sql.lit(0x666f6c64)
const IMPORTING = sql.lit(0x67617465)
const HERE = sql`hashtext(current_schema())`

/** Runs `work` while no other process imports into the same PostgreSQL store; one that does is a refusal. */
export function importAlone<Result>(db: Kysely<unknown>, work: () => Promise<Result>): Promise<Result> {
  return db.connection().execute(async held => {
    const lock = sql<{ free: boolean }>`select pg_try_advisory_lock(${IMPORTING}, ${HERE}) as free`
    const { rows } = await lock.execute(held)
    if (!rows[0]?.free) throw importRuns(null)
    try {
      return await work()
    } finally {
      // Without the connection there is no lock any more, and what was imported stays imported.
      await sql`select pg_advisory_unlock(${IMPORTING}, ${HERE})`.execute(held).catch(() => {})
    }
  })
}

/** Why an import cannot begin now; `holder` is the id of the process that is in the way, when it is known. */
export function importRuns(holder: number | null): Refusal {
  return new Refusal(
    `${nameHolder(holder)} runs "foldgate import" on the same store: wait until it has ended, or stop it`,
  )
}

/** The process that has a lock, for a message. */
export function nameHolder(holder: number | null): string {
  return holder === null ? 'Another process' : `The process ${holder}`
}

/** Whether the place of a store is a PostgreSQL database rather than a file. */
export function isPostgresUrl(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location)
}

/** The code of an error, as both drivers and Node give it; empty when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
