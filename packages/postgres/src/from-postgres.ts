import type { SourceRequest, SourceRows, SourceSession } from 'foldgate/internal'
import { checkOptions } from 'foldgate/internal'
import type { TableSource } from 'foldgate/sealing'
import type { Pool } from 'pg'
import { COLUMNS_BEFORE, selectedColumns } from './selected-columns.js'
import { Transaction } from './transaction.js'

/** Options of {@link fromPostgres}. */
export interface PostgresSourceOptions {
  /**
   * Whether the order of the rows is kept, for a statement with ORDER BY. Otherwise they are stored in the order
   * of the unique key of the table. Default: false.
   */
  isOrdered?: boolean
  /**
   * Milliseconds that PostgreSQL may take for the statement, until its last row is read; 0 for no limit. Default:
   * the `statement_timeout` of the connection, and 60 s without a row.
   */
  timeoutMs?: number
}

/** The longest time of a timer. */
const MOST_MS = 2 ** 31 - 1

const sessions = new WeakMap<Pool, SourceSession<Transaction>>()

/**
 * The rows of a statement of PostgreSQL. All sources of one pool are read in one transaction, which sees the database
 * as it was when the sealing began. The bytes of COPY go to the process that seals; no row becomes an object on the
 * way. Each column gets the type that holds its values without loss. When there is none, `read` rejects with the cast
 * to write into the statement, unless the catalogue declares the column as VARCHAR.
 *
 * @param pool - A pool of `pg`. A connection of it is taken while sources are read.
 * @param statement - One SELECT, VALUES or TABLE, whose columns have names. It is run as it is, so it must not be made
 * of what strangers send.
 * @param options - Whether the order of the rows is kept, and how long the statement may take, in milliseconds.
 * @returns A source for `tables` of `seal`. When the statement fails or the database cannot be reached, sealing fails
 * with a `SealerError` of the reason `source`.
 * @throws TypeError when an option does not exist, or `timeoutMs` is neither 0 nor a whole number of milliseconds.
 *
 * @example
 * ```ts
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
 * const tables = {
 *   customers: fromPostgres(pool, 'SELECT id, name, country FROM customers'),
 *   orders: fromPostgres(pool, 'SELECT id, customer_id, total::numeric(12, 2) FROM orders'),
 * }
 * await sealer.seal({ projectId, tables })
 * ```
 */
export function fromPostgres(
  pool: Pool,
  statement: string,
  options: PostgresSourceOptions = {},
): TableSource {
  checkOptions('fromPostgres', options, { isOrdered: true, timeoutMs: true })
  const { isOrdered = false, timeoutMs } = options
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs < 2 ** 31))
    throw new TypeError('timeoutMs must be a whole number of milliseconds, or 0 for no limit')
  // No text, name or quoted text ends in a semicolon; a semicolon that ends a comment is no part of the statement
  // either.
  const selected = statement.replace(/[\s;]+$/, '')
  return {
    isOrdered,
    // What sorts or sums sends its first row late.
    ...(timeoutMs === undefined ? {} : { idleMs: timeoutMs || MOST_MS }),
    session: sessionOf(pool),
    read: request => readRows(selected, timeoutMs, request),
  }
}

function sessionOf(pool: Pool): SourceSession<Transaction> {
  const known = sessions.get(pool)
  if (known) return known
  const session: SourceSession<Transaction> = {
    begin: signal => Transaction.begin(pool, signal),
    end: transaction => transaction.end(),
  }
  sessions.set(pool, session)
  return session
}

async function readRows(
  statement: string,
  timeoutMs: number | undefined,
  { columns: declared, session, signal }: SourceRequest,
): Promise<SourceRows> {
  if (!(session instanceof Transaction))
    throw new TypeError('a source of PostgreSQL is read in its session: call begin of it first')
  const columns = await selectedColumns(session, statement, declared, signal)
  await session.limit(timeoutMs, signal)
  const copy =
    `COPY (SELECT ${columns.map(({ sql }) => sql).join(', ')}${COLUMNS_BEFORE}${statement}\n) AS source) ` +
    'TO STDOUT (FORMAT csv, HEADER)'
  const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]))
  return {
    format: 'csv-with-empty-text',
    chunks: session.copy(copy, signal),
    types: () => types,
  }
}
