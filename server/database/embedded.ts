import { statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { RecentMap } from 'foldgate/internal'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import Database from 'libsql'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { codeOf } from './dialect.js'
import { type StoreVersions, shareVersions } from './versions.js'

/**
 * How long a statement waits for another writer: first in the driver, which blocks
 * the process, then by retrying.
 */
const BLOCKING_WAIT_MS = 20
const LONGEST_WAIT_MS = 10_000
const RETRY_AFTER_MS = 10
const MOST_PREPARED = 200

/** What is wrong and what to do, by the primary result code of SQLite. */
const ADVICE: Readonly<Record<number, string>> = {
  5: `has been locked by another process for ${LONGEST_WAIT_MS / 1000} s: wait until that process ends, or stop it`,
  8: 'cannot be written: this user must be allowed to write to it and to its folder',
  10: 'cannot be read or written: check that its disk works and has room',
  11: 'is damaged: restore it from a backup as docs/operate.md says, or move it away to start with an empty one',
  13: 'has no room left on its disk: free some',
  14: 'cannot be opened: it must be a file, and this user must be allowed to read and write it and its folder',
  26: 'is not a database: move it away, or name another folder',
}

/** Codes of failures that a full disk may cause. */
const OF_THE_DISK: readonly number[] = [10, 13]

/**
 * Waits for other writers without blocking the process. While the driver itself waits, nothing else runs, not
 * even the transaction of this process that it may be waiting for.
 */
class PatientDriver extends SqliteDriver {
  readonly #database: Database.Database
  readonly #onUse: () => void
  /** Prepared statements by their SQL: preparing takes ten times as long as most of them run. */
  readonly #prepared = new RecentMap<string, SqliteStatement>(MOST_PREPARED)

  constructor(database: Database.Database, onUse: () => void) {
    super({ database })
    this.#database = database
    this.#onUse = onUse
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    return {
      executeQuery: query => this.#execute(query),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    }
  }

  /**
   * Takes the write lock first: a transaction that has read cannot write once another writer has committed.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /**
   * SQLite ends a transaction itself when the disk is full. Rolling back then would fail and hide that error.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection)
  }

  async #execute<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // Retries reuse the statement: libsql leaves one that hit a lock half open until it runs again.
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql)
    this.#prepared.delete(sql) // prepared again if it fails
    const result = await patiently(() => {
      this.#onUse()
      if (statement.reader) return { rows: statement.all(parameters) as Row[] }
      return { rows: [] as Row[], numAffectedRows: BigInt(statement.run(parameters).changes) }
    })
    this.#prepared.set(sql, statement)
    return result
  }
}

/**
 * Retries a statement while another writer has the lock, for 10 s at most; until then it has changed nothing.
 */
async function patiently<Result>(statement: () => Result): Promise<Result> {
  const deadline = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    try {
      return statement()
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > deadline) throw cause
      await setTimeout(RETRY_AFTER_MS)
    }
  }
}

class LibsqlDialect extends SqliteDialect {
  readonly #database: Database.Database
  readonly #onUse: () => void

  constructor(database: Database.Database, onUse: () => void) {
    super({ database })
    this.#database = database
    this.#onUse = onUse
  }

  override createDriver(): SqliteDriver {
    return new PatientDriver(this.#database, this.#onUse)
  }
}

/**
 * Opens a database file in WAL mode and creates it if missing. A statement that waits for another writer
 * blocks the process for `blockingWaitMs` at a time. A commit is on disk before it returns; with `isDurable`
 * false it is on disk soon after, and a crash of the machine (not of the process) may lose it. `versions` tells
 * every change of the file by any process. {@link whyNotUsable} explains what it
 * throws. Only this file imports the driver.
 */
export async function openDatabase<Schema>(
  file: string,
  {
    blockingWaitMs = BLOCKING_WAIT_MS,
    isDurable = true,
  }: { blockingWaitMs?: number; isDurable?: boolean } = {},
): Promise<{ db: Kysely<Schema>; versions: StoreVersions }> {
  const database = new Database(file)
  const pragma = (text: string) => database.prepare(`PRAGMA ${text}`).all()
  try {
    pragma(`busy_timeout = ${blockingWaitMs}`)
    await patiently(() => pragma('journal_mode = WAL'))
    pragma(`synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`)
    pragma('foreign_keys = ON')
  } catch (cause) {
    database.close()
    throw cause
  }
  const changes = database.prepare('SELECT data_version, total_changes() AS own FROM pragma_data_version')
  const versions = shareVersions(() => {
    // By name: libsql adds a column with the time taken to every row.
    const { data_version, own } = changes.get() as { data_version: number; own: number }
    return `${data_version} ${own}`
  })
  return { db: new Kysely<Schema>({ dialect: new LibsqlDialect(database, versions.forget) }), versions }
}

/**
 * Takes a lock that the kernel releases when this process ends, even if it is killed, so no lock becomes
 * stale. When another process has the lock, returns the id of that process as `holder`, or null when unknown.
 */
export function lockFile(file: string): { release(): void } | { holder: number | null } {
  let database: Database.Database | null = null
  try {
    const opened = new Database(file)
    database = opened
    // Another process that takes the lock at the same time writes to the file for a moment.
    opened.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`)
    opened.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER)')
    opened.exec(`DELETE FROM holder; INSERT INTO holder VALUES (${process.pid})`)
    // Blocks writers but not readers: the next process can read the id of this one.
    opened.exec('BEGIN IMMEDIATE')
    return { release: () => opened.close() }
  } catch (cause) {
    if (!database || !isBusy(cause)) throw whyNotUsable(cause, 'lock file', file)
    const holder = holderIn(database)
    database.close()
    return { holder }
  }
}

/** The process that has a lock; null while it has not written its id yet. */
function holderIn(database: Database.Database): number | null {
  try {
    const rows = database.prepare('SELECT pid FROM holder WHERE pid <> ?').all(process.pid) as {
      pid: number
    }[]
    return rows[0]?.pid ?? null
  } catch {
    return null
  }
}

/**
 * Turns an error of the driver that the user can fix into a Refusal that names the file, as `name`, and says
 * what to do; returns any other error unchanged.
 */
export function whyNotUsable(cause: unknown, what: string, name: string): unknown {
  const code = resultCode(cause) & 0xff
  const advice = ADVICE[code]
  const free = OF_THE_DISK.includes(code) ? freeAt(name) : ''
  return advice === undefined ? cause : new Refusal(`The ${what} ${quoted(name)} ${advice}${free}`, { cause })
}

/** The free space on the disk of a file, in words that end a sentence; empty when unknown. */
function freeAt(file: string): string {
  try {
    const { bavail, bsize } = statfsSync(dirname(resolve(file)))
    return ` (${Math.floor((bavail * bsize) / 1024)} KiB are free)`
  } catch {
    return ''
  }
}

/**
 * The result code of SQLite, or 0 for any other error. When opening fails, the
 * driver gives it only in the message.
 */
function resultCode(error: unknown): number {
  if (error instanceof Database.SqliteError) return error.rawCode ?? 0
  const text = error instanceof Error ? error.message : ''
  return Number(/^ConnectionFailed\(.*: (\d+)"\)$/.exec(text)?.[1] ?? 0)
}

function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}
