import { Socket } from 'node:net'
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { codeOf } from './dialect.js'
import { Refusal } from './refusal.js'

/** Connections of one pool; a call needs one for less than a millisecond at a time. */
const MAX_CONNECTIONS = 6
const CONNECT_TIMEOUT_MS = 5000
/** By the database itself, waiting for other writers included. */
const STATEMENT_TIMEOUT_MS = 10_000
/** By us, when the database does not even say that it gave up. */
const ANSWER_TIMEOUT_MS = 12_000
/** A transaction whose server has vanished without a word keeps the others out for as long as this. */
const IDLE_TRANSACTION_TIMEOUT_MS = 15_000
const KEEP_ALIVE_AFTER_MS = 10_000
/** For goodbyes; a database that does not take them is left without. */
const END_TIMEOUT_MS = 2000

const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'does not take the password: correct it in --store, or set PGPASSWORD',
  '28000': 'does not let this user in: name another in --store, or change pg_hba.conf',
  '3D000': 'has no such database: create it, or name another in --store',
  '3F000': 'has no schema to put tables in: create the one that search_path names',
  '42501': 'does not let this user make tables: grant CREATE on the schema, or name another user',
}

/**
 * Connects to a PostgreSQL database when it is first asked something. With `isDurable` false a crash of the database may
 * lose what was written in the half second before it, and writing waits for no disk.
 */
export function connectPostgres<Schema>(url: string, isDurable: boolean): Kysely<Schema> {
  const sockets = new Set<Socket>()
  const connect = () => {
    const socket = new Socket()
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket))
  }
  const pool = new pg.Pool({
    connectionString: url,
    stream: connect,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    fallback_application_name: 'foldgate',
    types: { getTypeParser: readType as typeof pg.types.getTypeParser },
  })
  // A connection that is lost between two statements is a matter of the next one, which fails or gets another.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  const end = () => {
    // The pool ends without its goodbyes having arrived; a socket that waits for that would keep the process.
    setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, END_TIMEOUT_MS).unref()
    return pool.end()
  }
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

/** Here and not in Kysely's `onCreateConnection`: a client whose hook fails is never given back to the pool. */
async function waitForNoDisk(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('set synchronous_commit = off')
  } catch (cause) {
    client.release(true)
    throw cause
  }
}

/** A connection that failed otherwise than by an answer of the database is in no known state: it is not used again. */
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

/** Our numbers are instants, counts and bytes, all far below 2^53; the driver gives 64-bit integers as text. */
function readType(...[type, format]: Parameters<typeof pg.types.getTypeParser>) {
  return type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format)
}

/** What to do about a database that could not be opened, without its address; any other error is given back. */
export function whyNotOpened(cause: unknown): unknown {
  if (cause instanceof Refusal) return cause
  const code = codeOf(cause)
  const advice = ADVICE[code]
  if (advice !== undefined) return new Refusal(`The PostgreSQL of the control store ${advice} (${code})`, { cause })
  const isAnswer = cause instanceof pg.DatabaseError && !/^(08|53|57)/.test(code)
  if (isAnswer || cause instanceof TypeError) return cause
  const reason = code || (cause instanceof Error ? cause.message : String(cause))
  return new Refusal(
    `The PostgreSQL of the control store cannot be reached (${reason}): start it, or correct --store`,
    {
      cause,
    },
  )
}
