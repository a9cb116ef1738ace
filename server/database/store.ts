import { dirname, join } from 'node:path'
import type { Clock } from 'foldgate'
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { additions, installed } from '../input/installed.js'
import { type Actor, actorOr, processActor } from '../operation/actor.js'
import type { Report } from '../operation/log.js'
import { changesOf, type StoreChanges } from './changes.js'
import { type Dialect, EMBEDDED, importIsRunning, isPostgresUrl } from './dialect.js'
import type { StoreDriver } from './driver.js'
import { lockFile, openDatabase, whyNotUsable } from './embedded.js'
import { recordEvent, type StoreEvent } from './events.js'
import { type Migration, migrate, type Patiently } from './migrations.js'
import type { StoreSchema } from './schema.js'

/**
 * The control store: users, keys and what they read, the state of projects, and the usage of keys. Several
 * processes may use it at once. A server keeps in memory only its counters and what has not changed since it
 * was read, so it sees what another process has changed: at once in the embedded store, within 100 ms in PostgreSQL.
 */
export interface Store {
  readonly db: Kysely<StoreSchema>
  readonly dialect: Dialect
  readonly clock: Clock
  /** Runs `work` in a transaction, during which no other process writes. */
  transaction<Result>(work: (within: Store) => Promise<Result>): Promise<Result>
  /** Runs `work` under the import lock of this store. Throws a Refusal when another process has the lock. */
  withImportLock<Result>(work: () => Promise<Result>): Promise<Result>
  /** Records an event in the audit, and tells packages of it. Call it in the transaction of what happened. */
  tell(event: StoreEvent): Promise<void>
  /** Tells of changes of the store, by any process. */
  readonly changes: StoreChanges
  /** Writes, and rejects when that fails: with a Refusal that says what to do where that is known. */
  requireWritable(): Promise<void>
  close(): Promise<void>
}

/** What a package adds to the store. */
export interface StoreAddition {
  /** Steps that make its tables. */
  migrations: readonly Migration[]
  /** Hears of an event in the transaction of what happened, so that what it does is committed with that, or not at all. */
  hear(within: Store, event: StoreEvent): Promise<void>
  /** What it keeps for users and organizations, which is counted when they are removed. */
  holding: Holding
}

/** What a removal takes: a user, the projects of these ids, or an organization, whose projects are asked for apart. */
export type Going =
  | { user: string }
  | { projects: SelectQueryBuilder<StoreSchema, 'projects', { id: string }> }
  | { organization: string }

/** Things of one kind that a package keeps for users and organizations. */
export interface Holding {
  /** Field of answers that counts them. */
  field: string
  /** The noun for one of them, and for several. */
  one: string
  several: string
  /** What takes some of them along when it is removed. The package removes them when it hears of that. */
  goesWith: readonly ('user' | 'projects' | 'organization')[]
  /** Counts the holdings that go. */
  count(store: Store, going: Going): Promise<number>
  /**
   * Removes the holdings of a user, who ends them with a password, and counts them. Without it, they outlast
   * passwords.
   */
  removeOf?(within: Store, userId: string): Promise<number>
}

/** How a store is opened. */
export interface StoreOptions {
  /** Default: the system clock. */
  clock?: Clock
  /** How long a statement may block the process while another one writes to the same file. Default: 20 ms. */
  blockingWaitMs?: number
  /** Whether writes survive a crash of the machine that stores them. Default: true. */
  isDurable?: boolean
  /** The file as the user gave it, for messages. Default: the location. */
  name?: string
  /** Takes failures of what goes on in the background. Default: no failure is told. */
  report?: Report
  /** Who changes what no user of the pages does. Default: a command. */
  actor?: Actor
}

/**
 * Opens the store at `location`, a file or the URL of a PostgreSQL database, and creates or migrates its
 * tables when needed; the folder of the file, or the database, must exist. Throws a Refusal that says what to
 * change when the store cannot be opened.
 */
export async function openStore(location: string, options: StoreOptions = {}): Promise<Store> {
  const { clock = { now: Date.now }, isDurable = true, report = () => {} } = options
  const { actor = processActor('command') } = options
  if (!isPostgresUrl(location)) {
    const alone: Store['withImportLock'] = work => withImportLockIn(location, work)
    return namingFile(options.name ?? location, async () => {
      const { db, versions } = await openDatabase<StoreSchema>(location, options)
      return openOver(db, {
        dialect: EMBEDDED,
        clock,
        actor,
        withImportLock: alone,
        changes: changesOf(versions),
        explain: cause => whyNotUsable(cause, WHAT, options.name ?? location),
      })
    })
  }
  const { storeDriver } = await installed<{ storeDriver: StoreDriver }>('--store', 'foldgate-postgres')
  const { db, patiently, ...connected } = storeDriver.connect(location, { isDurable, report })
  const explain = storeDriver.whyNotUsable
  const given = { dialect: storeDriver.dialect, clock, actor, explain, ...connected }
  return openOver(db as Kysely<StoreSchema>, given, patiently).catch(cause => {
    throw explain(cause)
  })
}

/** Where the control store of a data folder is. */
interface Control {
  /** The folder as the user gave it, for messages. */
  name: string
  /** A file in the folder, or the URL of a PostgreSQL database. */
  control: string
}

/** What the embedded store is called in messages. */
const WHAT = 'control store'

/** Opens the control store of a data folder. Its messages name the folder as the user gave it. */
export function openControl(folder: Control, options: Omit<StoreOptions, 'name'> = {}): Promise<Store> {
  return openStore(folder.control, { ...options, name: controlName(folder) })
}

/** Opens the control store of a data folder, runs `work` on it, and closes it. */
export async function withControl<Result>(
  folder: Control,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openControl(folder)
  try {
    return await namingControl(folder, () => work(store))
  } finally {
    await store.close()
  }
}

/** Runs `work`; errors of the embedded store that the user can fix become Refusals that name its file. */
export function namingControl<Result>(
  folder: Pick<Control, 'name'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return namingFile(controlName(folder), work)
}

async function namingFile<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw whyNotUsable(cause, WHAT, name)
  }
}

/** The present time as SQL: that of the database where servers share it, else that of this process. */
export function nowIn({ dialect, clock }: Pick<Store, 'dialect' | 'clock'>): RawBuilder<number> {
  return dialect.clock ?? sql`${sql.lit(clock.now())}`
}

function controlName({ name }: Pick<Control, 'name'>): string {
  return join(name, 'control.db')
}

async function openOver(
  db: Kysely<StoreSchema>,
  {
    actor,
    explain,
    ...given
  }: Pick<Store, 'dialect' | 'clock' | 'withImportLock' | 'changes'> & {
    actor: Actor
    /** Turns an error into a Refusal that says what to do, where that is known. */
    explain(cause: unknown): unknown
  },
  patiently: Patiently = work => work(db as Kysely<unknown>),
): Promise<Store> {
  const { dialect, clock } = given
  const parts = await additions<StoreAddition>()
  const added = parts.flatMap(({ migrations = [] }) => migrations)
  try {
    await migrate(db as Kysely<unknown>, { dialect, now: clock.now(), patiently, added })
  } catch (error) {
    await db.destroy()
    throw error
  }
  const storeOver = (over: Kysely<StoreSchema>): Store => ({
    ...given,
    db: over,
    async tell(event) {
      await recordEvent(over, event, actorOr(actor, event))
      for (const { hear } of parts) await hear?.(storeOver(over), event)
    },
    async transaction(work) {
      if (over.isTransaction) return work(storeOver(over))
      const result = await over.transaction().execute(async within => {
        await dialect.lockOutWriters(within)
        return work(storeOver(within))
      })
      await given.changes.settle()
      return result
    },
    async requireWritable() {
      // A store refuses only what it has to write: this row has no other use.
      const row = { name: 'a look whether writes succeed', started_at: clock.now() }
      const write = over.insertInto('chores').values(row)
      await write
        .onConflict(conflict => conflict.column('name').doUpdateSet(row))
        .execute()
        .catch(cause => {
          throw explain(cause)
        })
    },
    async close() {
      await given.changes.close()
      await over.destroy()
    },
  })
  return storeOver(db)
}

async function withImportLockIn<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const lock = lockFile(join(dirname(file), 'import.lock'))
  if (!('release' in lock)) throw importIsRunning(lock.holder)
  try {
    return await work()
  } finally {
    lock.release()
  }
}
