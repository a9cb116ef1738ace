import { Socket } from 'node:net'
import { waitForWork } from 'foldgate/internal'
import { codeOf, Refusal } from 'foldgate-server/parts'
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'

/** Connections per pool; a call uses one for less than a millisecond at a time. */
const MAX_CONNECTIONS = 6
const CONNECT_TIMEOUT_MS = 5000
/** Enforced by the database, including the wait for other writers. */
const STATEMENT_TIMEOUT_MS = 10_000
/** Enforced by the client, for a database that does not report its own timeout. */
const ANSWER_TIMEOUT_MS = 12_000
/**
 * How long a transaction may block other writers after its server has disappeared
 * without closing the connection.
 */
const IDLE_TRANSACTION_TIMEOUT_MS = 15_000
const KEEP_ALIVE_AFTER_MS = 10_000
/** How long a connection that listens may take to answer: calls wait for it. */
const LISTENER_TIMEOUT_MS = 500
/** How long to wait for connections to close before they are destroyed. */
const END_TIMEOUT_MS = 2000

const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'rejects the password: correct it in the URL of the store, or set PGPASSWORD',
  '28000': 'rejects this user: name another in the URL of the store, or change pg_hba.conf',
  '3D000': 'has no such database: create it, or name another in the URL of the store',
  '3F000': 'has no schema to put tables in: create the one that search_path names',
  '08P01':
    'or the pooler in front of it refuses the session: let the pooler ignore the startup parameters ' +
    'statement_timeout and idle_in_transaction_session_timeout (ignore_startup_parameters of PgBouncer)',
  '42501':
    'does not let this user read and write the tables, or create them: grant it ALL on them and CREATE on the schema, ' +
    'or name another user',
  '25006':
    'takes no writes: name the primary instead of a standby in the URL of the store, or turn ' +
    'default_transaction_read_only off',
  '53100': 'has no room left on its disk: free some',
  '53300': 'has no connection left: raise max_connections, or end other sessions',
}

/**
 * Connects to a PostgreSQL database on first use. With `isDurable` false, writes do not wait for the disk,
 * and a crash of the database may lose those of the last half second. With `isPatient`, statements take as long
 * as they need: an index of a large table may take minutes.
 */
export function connectPostgres<Schema>(
  url: string,
  { isDurable = true, isPatient = false }: { isDurable?: boolean; isPatient?: boolean } = {},
): Kysely<Schema> {
  const { pool, end } = openPool(url, {
    max: MAX_CONNECTIONS,
    ...(isPatient ? {} : { statement_timeout: STATEMENT_TIMEOUT_MS, query_timeout: ANSWER_TIMEOUT_MS }),
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    types: { getTypeParser: readType as typeof pg.types.getTypeParser },
  })
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const take = async () => {
    const client = await pool.connect()
    const known = clients.get(client)
    if (known) return known
    if (!isDurable) await waitForNoDisk(client)
    const taken = dropWhenBroken(client)
    clients.set(client, taken)
    return taken
  }
  return new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool: { connect: take, end },
    }),
  })
}

/**
 * A pool of one connection for tables that are sealed. Statements take as long as they need. `end` waits for no
 * database that hangs.
 */
export function readingPool(url: string): { pool: pg.Pool; end(): Promise<void> } {
  return openPool(url, { max: 1 })
}

function openPool(url: string, options: pg.PoolConfig): { pool: pg.Pool; end(): Promise<void> } {
  const sockets = new Set<Socket>()
  const connect = () => {
    const socket = new Socket()
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket))
  }
  const pool = new pg.Pool({
    ...options,
    connectionString: url,
    stream: connect,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    fallback_application_name: 'foldgate',
  })
  // Ignores a connection lost between two statements: the next one fails or gets another connection.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  const end = () => {
    // The pool does not wait for its sockets to close; a socket that stays open would keep the process alive.
    setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, END_TIMEOUT_MS).unref()
    return pool.end()
  }
  return { pool, end }
}

/** Not in Kysely's `onCreateConnection`: a client whose hook fails is never returned to the pool. */
async function waitForNoDisk(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('set synchronous_commit = off')
  } catch (cause) {
    client.release(true)
    throw cause
  }
}

/**
 * Drops a connection after any error that is not an answer of the database, since its state is then unknown.
 */
function dropWhenBroken(client: pg.PoolClient): PostgresPoolClient {
  let isBroken = false
  const query = async (text: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(text, [...parameters])
    } catch (cause) {
      isBroken ||= !(cause instanceof pg.DatabaseError)
      throw cause
    }
  }
  return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(isBroken) }
}

/**
 * Parses 64-bit integers, which the driver returns as strings: ours are instants,
 * counts and bytes, all below 2^53.
 */
function readType(...[type, format]: Parameters<typeof pg.types.getTypeParser>) {
  return type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format)
}

/** A connection that listens to a channel. It is given up when it does not answer in time. */
export class Listener {
  readonly #socket = new Socket()
  readonly #client: pg.Client
  readonly #onEnd: () => void
  #isEnded = false

  constructor(url: string, { onTold, onEnd }: { onTold(what: string): void; onEnd(): void }) {
    this.#onEnd = onEnd
    this.#client = new pg.Client({
      connectionString: url,
      stream: () => this.#socket,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      fallback_application_name: 'foldgate',
    })
    this.#client.on('notification', ({ payload = '' }) => onTold(payload))
    this.#client.on('error', () => this.end())
    this.#client.on('end', () => this.end())
  }

  async listen(channel: string): Promise<void> {
    await this.#client.connect()
    await this.#ask(`listen ${pg.escapeIdentifier(channel)}`)
  }

  /** Resolves once the database has answered, and has delivered whatever was told before it was asked. */
  async prove(): Promise<void> {
    await this.#ask('select 1')
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#socket.destroy() // closing in order would wait for a database that hangs
    this.#onEnd()
  }

  #ask(statement: string): Promise<unknown> {
    return waitForWork({ ms: LISTENER_TIMEOUT_MS }, this.#client.query(statement))
  }
}

/**
 * Turns an error into a Refusal that says what to do, with what PostgreSQL says and without the URL; returns any
 * other error unchanged.
 */
export function whyNotUsable(cause: unknown): unknown {
  if (cause instanceof Refusal) return cause
  const code = codeOf(cause)
  const advice = ADVICE[code]
  if (advice !== undefined)
    return new Refusal(`The PostgreSQL of the control store ${advice} (${said(cause)})`, { cause })
  const isAnswer = cause instanceof pg.DatabaseError && !/^(08|53|57)/.test(code)
  if (isAnswer || cause instanceof TypeError) return cause
  return new Refusal(
    `The PostgreSQL of the control store cannot be reached (${said(cause)}): start it, or correct the URL of the store`,
    {
      cause,
    },
  )
}

/** What PostgreSQL said, on one line; the code of any other error, or its message if it has none. */
function said(cause: unknown): string {
  const code = codeOf(cause)
  const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  const words = line.replace(/\p{Cc}/gu, ' ')
  return cause instanceof pg.DatabaseError ? `${code}: ${words}` : code || words
}
