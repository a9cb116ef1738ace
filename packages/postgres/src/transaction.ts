import { waitForWork } from 'foldgate/internal'
import type { Client, Pool, PoolClient, PoolConfig, QueryArrayConfig } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { answered, refusedConnection, unread } from './postgres-failure.js'

/** What the text of values depends on. A column is converted from this form: see conversions.ts. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL client_encoding = 'UTF8';
SET LOCAL datestyle = 'ISO';
SET LOCAL intervalstyle = 'postgres_verbose';
SET LOCAL timezone = 'UTC';
SET LOCAL extra_float_digits = 3;
SET LOCAL bytea_output = 'hex'`

/** Rows are passed on in pieces of about this size; the connection delivers 8 KiB at a time. */
const CHUNK_BYTES = 262_144
/** How long PostgreSQL may take to end a transaction, or to hear that a statement is to end. */
const END_TIMEOUT_MS = 3000
/** How long sealing waits for the first row of a source that has no timeout. */
const IDLE_MS = 60_000
/** The part of its time that a statement may wait for a lock. */
const OF_LOCKS = 0.9
/** The longest that a timer of Node runs. */
const LONGEST_MS = 2 ** 31 - 1

/** Values as PostgreSQL writes them, whatever parsers the host has registered. */
const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as QueryArrayConfig['types']

/** What PostgreSQL answered. */
export interface QueryAnswer {
  fields: readonly { name: string; dataTypeID: number; dataTypeModifier: number }[]
  rows: readonly (readonly (string | null)[])[]
}

/** A transaction in which sources are read, one after the other. It sees the database as it was when it began. */
export class Transaction {
  readonly #pool: Pool
  readonly #client: PoolClient
  /** A statement runs whose end has not been heard of. */
  #isBusy = false
  /** By which PostgreSQL knows it, and the timeouts that its connection came with, milliseconds, 0 for none. */
  #backend: { pid: string; startedAt: string; timeoutMs: number; lockMs: number } | null = null

  private constructor(pool: Pool, client: PoolClient) {
    this.#pool = pool
    this.#client = client
    client.on('error', ignore) // a connection that is lost between two statements would end the host
  }

  static async begin(pool: Pool, signal: AbortSignal): Promise<Transaction> {
    signal.throwIfAborted()
    const connecting = (async () => pool.connect())()
    const client = await waitForWork({ signal }, connecting).catch(cause => {
      connecting.then(late => late.release(), ignore)
      throw signal.aborted ? signal.reason : refusedConnection(cause)
    })
    const transaction = new Transaction(pool, client)
    try {
      await transaction.#start(signal)
      return transaction
    } catch (cause) {
      await transaction.end()
      throw signal.aborted ? signal.reason : refusedConnection(cause)
    }
  }

  async #start(signal: AbortSignal): Promise<void> {
    await this.ask({ text: BEGIN, signal })
    const timeout = (name: string) => `(SELECT setting FROM pg_catalog.pg_settings WHERE name = '${name}')`
    const text = `SELECT pg_backend_pid(), now(), ${timeout('statement_timeout')}, ${timeout('lock_timeout')}`
    const [[pid, startedAt, timeoutMs, lockMs] = []] = (await this.ask({ text, signal })).rows
    this.#backend = {
      ...{ pid: `${pid}`, startedAt: `${startedAt}` },
      ...{ timeoutMs: Number(timeoutMs), lockMs: Number(lockMs) },
    }
  }

  /**
   * Lets each of the next statements take so long; without a number, as long as the connection allows. A lock may be waited
   * for somewhat less: when that takes all of the time, PostgreSQL says so, and not that the statement was slow.
   */
  async limit(timeoutMs: number | undefined, signal: AbortSignal): Promise<void> {
    const text = "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)"
    const { timeoutMs: own = 0, lockMs = 0 } = this.#backend ?? {}
    const mostMs = timeoutMs ?? Math.min(own || IDLE_MS, IDLE_MS)
    const waitMs = mostMs === 0 ? lockMs : Math.ceil(mostMs * OF_LOCKS)
    const values = [`${timeoutMs ?? own}`, `${lockMs === 0 ? waitMs : Math.min(lockMs, waitMs)}`]
    await this.ask({ text, values, signal }).catch(cause => {
      throw signal.aborted ? signal.reason : unread(cause)
    })
  }

  /** Asks PostgreSQL. With `isOne`, it refuses a text with several statements. */
  async ask(question: {
    text: string
    values?: unknown[]
    isOne?: boolean
    signal: AbortSignal
  }): Promise<QueryAnswer> {
    const { text, values = [], isOne = false, signal } = question
    const config: QueryArrayConfig & { queryMode?: 'extended' } = {
      ...{ text, values, rowMode: 'array', types: AS_TEXT },
      ...(isOne ? { queryMode: 'extended' } : {}),
    }
    signal.throwIfAborted()
    this.#isBusy = true
    try {
      const { fields, rows } = await waitForWork({ signal }, this.#client.query(config))
      this.#isBusy = false
      return { fields, rows }
    } catch (cause) {
      this.#isBusy = !answered(cause)
      throw cause
    }
  }

  /** Runs `COPY … TO STDOUT`, and passes its bytes on. */
  async *copy(text: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    signal.throwIfAborted()
    // What bounds the wait for an answer does not bound the reading of all rows.
    const rows = Object.assign(copyTo(text), { query_timeout: LONGEST_MS, callback: undefined as unknown })
    rows.on('error', ignore) // an error that comes when nobody reads any more would end the host
    const abort = () => rows.destroy(signal.reason)
    signal.addEventListener('abort', abort)
    this.#isBusy = true
    this.#client.query(rows)
    try {
      let [gathered, bytes]: [Buffer[], number] = [[], 0]
      for await (const chunk of rows) {
        gathered.push(chunk)
        bytes += chunk.length
        if (bytes < CHUNK_BYTES) continue
        yield Buffer.concat(gathered, bytes)
        gathered = []
        bytes = 0
      }
      this.#isBusy = false
      if (bytes > 0) yield Buffer.concat(gathered, bytes)
    } catch (cause) {
      this.#isBusy = !answered(cause)
      throw signal.aborted ? signal.reason : unread(cause)
    } finally {
      signal.removeEventListener('abort', abort)
      if (typeof rows.callback === 'function') rows.callback() // stops the timer of the client
    }
  }

  /** Ends the transaction and gives the connection back. A statement that runs is ended too. */
  async end(): Promise<void> {
    let isBroken = this.#isBusy
    const rollback = () => waitForWork({ ms: END_TIMEOUT_MS }, this.#client.query('ROLLBACK'))
    if (!isBroken)
      await rollback().catch(() => {
        isBroken = true
      })
    // Closes a broken connection. PostgreSQL notices it when it sends a row, so a statement that has none yet is
    // cancelled besides.
    this.#client.release(isBroken)
    this.#client.off('error', ignore)
    if (this.#isBusy) await this.#cancel().catch(ignore)
  }

  async #cancel(): Promise<void> {
    if (!this.#backend) return
    const { pid, startedAt } = this.#backend
    // Not of the pool: others may wait for all that it has.
    const AnyClient = this.#client.constructor as new (config: PoolConfig) => Client
    const other = new AnyClient(this.#pool.options)
    other.on('error', ignore)
    const text = 'SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND xact_start = $2'
    const ask = async () => {
      await other.connect()
      await other.query(text, [pid, startedAt])
    }
    try {
      await waitForWork({ ms: END_TIMEOUT_MS }, ask())
    } finally {
      void other.end().catch(ignore)
    }
  }
}

function ignore(): void {}
