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

/** How long a statement waits for another writer: first in the driver, which blocks the process, then by retrying. */
const BLOCKING_WAIT_MS = 20
const LONGEST_WAIT_MS = 10_000
const RETRY_AFTER_MS = 10
const MOST_PREPARED = 200

/**
 * Waits for other writers without blocking the process. While the driver itself waits, nothing else runs, not even the
 * transaction of this process that it may be waiting for.
 */
class PatientDriver extends SqliteDriver {
  readonly #database: SqliteDatabase
  /** Prepared statements by their SQL: preparing takes ten times as long as most of them run. */
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

  /** Takes the write lock first: a transaction that has read cannot write once another writer has committed. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async #execute<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // Retries reuse the statement: libsql leaves one that hit a lock half open until it runs again.
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql)
    this.#prepared.delete(sql) // prepared again if it fails
    const result = await patiently(() => {
      if (statement.reader) return { rows: statement.all(parameters) as Row[] }
      return { rows: [] as Row[], numAffectedRows: BigInt(statement.run(parameters).changes) }
    })
    this.#prepared.set(sql, statement)
    if (this.#prepared.size > MOST_PREPARED) this.#prepared.delete(this.#prepared.keys().next().value as string)
    return result
  }
}

/** Retries a statement while another writer has the lock, for 10 s at most; until then it has changed nothing. */
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
 * Opens a database file in WAL mode and creates it if missing. A statement that waits for another writer blocks the
 * process for `blockingWaitMs` at a time. A commit is on disk before it returns; with `isDurable` false it is on disk
 * soon after, and a crash of the machine (not of the process) may lose it. `version` returns a new string after every
 * change of the file by any process. Throws a {@link Refusal} when the file is not a database. Only this file
 * imports the driver.
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
      // By name: libsql adds a column with the time taken to every row.
      const { data_version, own } = changes.get() as { data_version: number; own: number }
      return `${data_version} ${own}`
    },
  }
}

/**
 * Takes a lock that the kernel releases when this process ends, even if it is killed, so no lock becomes stale. When
 * another process has the lock, returns the id of that process as `holder`, or null when unknown.
 */
export function lockFile(file: string): { release(): void } | { holder: number | null } {
  const database = new Database(file)
  try {
    database.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER)')
    database.exec(`DELETE FROM holder; INSERT INTO holder VALUES (${process.pid})`)
    // Blocks writers but not readers: the next process can read the id of this one.
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
