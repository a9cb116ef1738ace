import type { Clock } from 'foldgate'
import type { Kysely } from 'kysely'
import { openDatabase } from './database.js'
import { migrate } from './migrations.js'
import type { Schema } from './schema.js'

/**
 * The control store: who reads what, how far the projects are, and what keys were used for. Several processes use one
 * file at once; nothing of it is kept in memory but what a server counts, so each sees at once what another has changed.
 */
export interface Store {
  readonly db: Kysely<Schema>
  readonly clock: Clock
  /** All of `work` or nothing of it; nobody else writes meanwhile. */
  transaction<Result>(work: (within: Store) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** How a store is opened. */
export interface StoreOptions {
  /** Default: the system's clock. */
  clock?: Clock
  /** How long a statement may hold up the process while another one writes. Default: shortly. */
  blockingWaitMs?: number
}

/** Opens the store in `file`, made or brought up to date when needed; the folder of the file has to be there. */
export async function openStore(file: string, options: StoreOptions = {}): Promise<Store> {
  const { clock = { now: Date.now }, blockingWaitMs } = options
  const db = await openDatabase<Schema>(file, blockingWaitMs)
  try {
    await migrate(db as Kysely<unknown>, clock.now())
  } catch (error) {
    await db.destroy()
    throw error
  }
  return storeOver(db, clock)
}

function storeOver(db: Kysely<Schema>, clock: Clock): Store {
  return {
    db,
    clock,
    transaction: work =>
      db.isTransaction
        ? work(storeOver(db, clock))
        : db.transaction().execute(within => work(storeOver(within, clock))),
    close: () => db.destroy(),
  }
}
