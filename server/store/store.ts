import { dirname, join } from 'node:path'
import type { Clock } from 'foldgate'
import type { Kysely } from 'kysely'
import { type Dialect, EMBEDDED, importAlone, importRuns, isPostgresUrl, POSTGRES } from './dialect.js'
import { lockFile, openDatabase } from './embedded.js'
import { migrate } from './migrations.js'
import type { Schema } from './schema.js'

/**
 * The control store: who reads what, how far the projects are, and what keys were used for. Several processes use one
 * at once; nothing of it is kept in memory but what a server counts and what has not changed since it was read, so each
 * sees at once what another has changed.
 */
export interface Store {
  readonly db: Kysely<Schema>
  readonly dialect: Dialect
  readonly clock: Clock
  /** All of `work` or nothing of it; nobody else writes meanwhile. */
  transaction<Result>(work: (within: Store) => Promise<Result>): Promise<Result>
  /** Runs `work` while no other process imports into this store; one that does is a refusal. */
  importAlone<Result>(work: () => Promise<Result>): Promise<Result>
  /** Another text after every change of the store, by whomever; absent where asking for it costs as much as reading. */
  readonly version?: () => string
  close(): Promise<void>
}

/** How a store is opened. */
export interface StoreOptions {
  /** Default: the system's clock. */
  clock?: Clock
  /** How long a statement may hold up the process while another one writes to the same file. Default: shortly. */
  blockingWaitMs?: number
  /** Whether what was written outlives a crash of the machine that keeps it. Default: it does. */
  isDurable?: boolean
}

/**
 * Opens the store at `location`, a file or the URL of a PostgreSQL database, made or brought up to date when needed; the
 * folder of the file, or the database, has to be there. What cannot be opened is a refusal that says what to change.
 */
export async function openStore(location: string, options: StoreOptions = {}): Promise<Store> {
  const { clock = { now: Date.now }, isDurable = true } = options
  if (!isPostgresUrl(location)) {
    const alone: Store['importAlone'] = work => importBeside(location, work)
    const { db, version } = await openDatabase<Schema>(location, options)
    return openOver(db, { dialect: EMBEDDED, clock, importAlone: alone, version })
  }
  // Loaded here, so that who has the embedded store does not wait for it.
  const { connectPostgres, whyNotOpened } = await import('./postgres.js')
  const db = connectPostgres<Schema>(location, isDurable)
  const alone: Store['importAlone'] = work => importAlone(db as Kysely<unknown>, work)
  return openOver(db, { dialect: POSTGRES, clock, importAlone: alone }).catch(cause => {
    throw whyNotOpened(cause)
  })
}

/** Opens the store at `location` for as long as `work` takes. */
export async function withStoreAt<Result>(location: string, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(location)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function openOver(
  db: Kysely<Schema>,
  given: Pick<Store, 'dialect' | 'clock' | 'importAlone' | 'version'>,
): Promise<Store> {
  const { dialect, clock } = given
  try {
    await migrate(db as Kysely<unknown>, dialect, clock.now())
  } catch (error) {
    await db.destroy()
    throw error
  }
  const storeOver = (over: Kysely<Schema>): Store => ({
    ...given,
    db: over,
    async transaction(work) {
      if (over.isTransaction) return work(storeOver(over))
      return over.transaction().execute(async within => {
        await dialect.keepOthersOut(within)
        return work(storeOver(within))
      })
    },
    close: () => over.destroy(),
  })
  return storeOver(db)
}

async function importBeside<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const lock = lockFile(join(dirname(file), 'import.lock'))
  if (!('release' in lock)) throw importRuns(lock.holder)
  try {
    return await work()
  } finally {
    lock.release()
  }
}
