import type { Catalogue } from 'foldgate'
import type { TableSource } from 'foldgate/sealing'
import type { Kysely } from 'kysely'
import type { Report } from '../operation/log.js'
import type { StoreChanges } from './changes.js'
import type { Dialect } from './dialect.js'

/** What a driver of the store other than the embedded one must do. */
export interface StoreDriver {
  readonly dialect: Dialect
  /**
   * Connects to the database at a URL on first use. With `isDurable` false, writes do not wait for the disk. `report` takes
   * failures of what goes on in the background.
   */
  connect(url: string, options: { isDurable: boolean; report: Report }): Connected
  /** Turns an error into a Refusal that says what to do, without the URL; returns any other one unchanged. */
  whyNotUsable(cause: unknown): unknown
}

/** A database of a {@link StoreDriver}. */
export interface Connected {
  db: Kysely<unknown>
  changes: StoreChanges
  /** Runs `work` on a connection whose statements take as long as they need. */
  patiently<Result>(work: (db: Kysely<unknown>) => Promise<Result>): Promise<Result>
  /** Runs `work` under the import lock of the store. Throws a Refusal when another process has the lock. */
  withImportLock<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Where the tables of a catalogue are in PostgreSQL. */
export interface PostgresTables {
  url: string
  /** Where those are for which there is no statement. */
  schema: string
  /** Statements that are read instead, by the names of the tables. */
  queries: ReadonlyMap<string, string>
}

/**
 * Runs work with a source for each table of a catalogue, and closes the connection afterwards. An optional table
 * that is missing has none. Throws a Refusal when the database cannot be reached, when other tables are missing,
 * and when a statement is of no table.
 */
export type WithTables = <Result>(
  catalogue: Catalogue,
  place: PostgresTables,
  work: (tables: Record<string, TableSource>) => Promise<Result>,
) => Promise<Result>
