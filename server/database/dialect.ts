import {
  type ColumnDataType,
  type ColumnDefinitionBuilder,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
} from 'kysely'
import { Refusal } from '../input/refusal.js'

/** The differences between the two databases that the store runs on. */
export interface Dialect {
  /**
   * SQL for the current time of the database in epoch milliseconds, when servers on several machines use it:
   * their own clocks differ. Null when a single server uses the store.
   */
  clock: RawBuilder<number> | null
  /** A primary key that only grows and never reuses a number. */
  sequence: { type: ColumnDataType; column(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder }
  /** Blocks all other writers until the transaction ends; runs first in it. */
  lockOutWriters(within: QueryExecutorProvider): Promise<void>
  /** Makes the database tell changes of rows that are kept in memory, where it does not tell every change anyway. */
  tellChanges(db: QueryExecutorProvider): Promise<void>
  /** Makes the database refuse statements that update rows of a table. */
  refuseUpdates(db: QueryExecutorProvider, table: string): Promise<void>
  /** Whether a statement failed because its table does not exist. */
  lacksTable(error: unknown): boolean
}

/** SQLite, in a file of the data folder. */
export const EMBEDDED: Dialect = {
  clock: null,
  sequence: { type: 'integer', column: column => column.primaryKey().autoIncrement() },
  lockOutWriters: async () => {}, // the driver begins every transaction with the write lock
  tellChanges: async () => {}, // every change has another version
  async refuseUpdates(db, table) {
    await sql`create trigger ${sql.id(`${table}_stays`)} before update on ${sql.table(table)}
      begin select raise(abort, ${sql.lit(`rows of the table ${table} cannot be changed`)}); end`.execute(db)
  },
  lacksTable: error => error instanceof Error && error.message.startsWith('no such table'),
}

/**
 * Creates the Refusal for a second import or removal. `holder` is the id of the process that
 * imports, or null when unknown.
 */
export function importIsRunning(holder: number | null): Refusal {
  return new Refusal(
    `${nameHolder(holder)} is importing into the same store, or removing files from it: wait until it ends, or stop it`,
  )
}

/** Names the process that has a lock, for a message. */
export function nameHolder(holder: number | null): string {
  return holder === null ? 'Another process' : `The process ${holder}`
}

/** Whether the location of a store is a PostgreSQL URL rather than a file. */
export function isPostgresUrl(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location)
}

/** Returns the `code` that both drivers and Node put on errors; empty when there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
