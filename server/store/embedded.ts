import { setTimeout } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import Database from 'libsql'
import { codeOf } from './dialect.js'
import { Refusal } from './refusal.js'

/** How long a statement waits for another process that writes: shortly in the driver, then beside it. */
const BLOCKING_WAIT_MS = 20
const LONGEST_WAIT_MS = 10_000
const RETRY_AFTER_MS = 10
const MOST_PREPARED = 200

/**
 * Waits for other writers without holding up the process: a driver that waits by itself stops everything else, and
 * waits in vain for a transaction of the same process.
 */
class PatientDriver extends SqliteDriver {
  readonly #database: SqliteDatabase
  /** Prepared once, by their text: that takes ten times as long as most of them run. */
  readonly #prepared = new Map<string, SqliteStatement>()

  constructor(database: SqliteDatabase) {
    super({ database })
    this.#database = database
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    return {
      executeQuery: query => this.#execute(query),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    }
  }

  /** Takes the write lock at the start: a transaction that reads first could not wait for another writer any more. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async #execute<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // Kept while it is tried again: libsql leaves a statement that was kept out half open until the same one runs again.
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql)
    this.#prepared.delete(sql) // one that fails is prepared anew
    const result = await patiently(() => {
      if (statement.reader) return { rows: statement.all(parameters) as Row[] }
      return { rows: [] as Row[], numAffectedRows: BigInt(statement.run(parameters).changes) }
    })
    this.#prepared.set(sql, statement)
    if (this.#prepared.size > MOST_PREPARED) this.#prepared.delete(this.#prepared.keys().next().value as string)
    return result
  }
}

/** Runs a statement again until no other writer is in its way; one that was kept out has done nothing. */
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
  readonly #database: SqliteDatabase

  constructor(database: SqliteDatabase) {
    super({ database })
    this.#database = database
  }

  override createDriver(): SqliteDriver {
    return new PatientDriver(this.#database)
  }
}

/**
 * Opens a database file, created when missing, in WAL mode. A statement that another writer keeps out holds up the
 * process for `blockingWaitMs` at a time. Every commit is on disk before it returns, or with `isDurable` false soon
 * after: then a crash of the machine may lose it, that of a process never. This is the one place that names the driver.
 * A file that is no database is a {@link Refusal}. `version` is another text after every change of the file, by whomever.
 */
export async function openDatabase<Schema>(
  file: string,
  { blockingWaitMs = BLOCKING_WAIT_MS, isDurable = true }: { blockingWaitMs?: number; isDurable?: boolean } = {},
): Promise<{ db: Kysely<Schema>; version: () => string }> {
  const database = new Database(file)
  const pragma = (text: string) => database.prepare(`PRAGMA ${text}`).all()
  try {
    pragma(`busy_timeout = ${blockingWaitMs}`)
    await patiently(() => pragma('journal_mode = WAL'))
    pragma(`synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`)
    pragma('foreign_keys = ON')
  } catch (cause) {
    database.close()
    if (codeOf(cause) !== 'SQLITE_NOTADB') throw cause
    throw new Refusal('control.db in the data folder is no database: move it away, or name another folder', { cause })
  }
  const changes = database.prepare('SELECT data_version, total_changes() AS own FROM pragma_data_version')
  return {
    db: new Kysely<Schema>({ dialect: new LibsqlDialect(database) }),
    version: () => {
      // By name: libsql adds to every row how long it took.
      const { data_version, own } = changes.get() as { data_version: number; own: number }
      return `${data_version} ${own}`
    },
  }
}

/**
 * Takes a lock that ends with this process, however it ends: the kernel holds it, so no stale lock is left behind.
 * `holder` is the process id of who has it when it cannot be had.
 */
export function lockFile(file: string): { release(): void } | { holder: number | null } {
  const database = new Database(file)
  try {
    database.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER)')
    database.exec(`DELETE FROM holder; INSERT INTO holder VALUES (${process.pid})`)
    // Writers are kept out from here on, readers are not: who comes second can read who holds the lock.
    database.exec('BEGIN IMMEDIATE')
    return { release: () => database.close() }
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    const rows = database.prepare('SELECT pid FROM holder WHERE pid <> ?').all(process.pid) as { pid: number }[]
    database.close()
    return { holder: rows[0]?.pid ?? null }
  }
}

function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}
