import { createHash } from 'node:crypto'
import type { SourceRequest, SourceRows, SourceSession } from 'foldgate/internal'
import { checkOptions } from 'foldgate/internal'
import type { TableSource, TenantVersions } from 'foldgate/sealing'
import type { Pool } from 'pg'
import { refusedStatement } from './postgres-failure.js'
import { COLUMNS_BEFORE, isOneOf, selectedColumns } from './selected-columns.js'
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
  /**
   * One SELECT whose rows are others whenever those of the statement may be, such as `SELECT count(*), sum(xmin::text::bigint) FROM
   * orders`: when they are as before the newest snapshot, and so are those of all other tables, nothing is read. It runs
   * before the rows are read, as they are. For `sealMany`, it tells a version of each tenant when it selects the column `by`,
   * such as `SELECT tenant, count(*), sum(xmin::text::bigint) FROM orders GROUP BY tenant`: the others are not read. A change that it
   * does not show is not sealed. Default: rows are always read.
   */
  version?: string
}

/** How long PostgreSQL may take to say that a statement has taken too long. */
const ANSWER_MS = 1_000
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
 * @throws TypeError when an option does not exist, `timeoutMs` is neither 0 nor a whole number of milliseconds, or
 * `version` is no string.
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
  checkOptions('fromPostgres', options, { isOrdered: true, timeoutMs: true, version: true })
  const { isOrdered = false, timeoutMs, version } = options
  if (version !== undefined && typeof version !== 'string')
    throw new TypeError('version must be a SELECT statement')
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs < 2 ** 31))
    throw new TypeError('timeoutMs must be a whole number of milliseconds, or 0 for no limit')
  // No text, name or quoted text ends in a semicolon; a semicolon that ends a comment is no part of the statement
  // either.
  const selected = withoutEnd(statement)
  return {
    isOrdered,
    // What sorts or sums sends its first row late.
    ...(timeoutMs === undefined
      ? {}
      : { idleMs: Math.min(timeoutMs ? timeoutMs + ANSWER_MS : MOST_MS, MOST_MS) }),
    session: sessionOf(pool),
    ...(version === undefined
      ? {}
      : { version: request => readVersion(withoutEnd(version), selected, timeoutMs, request) }),
    read: request => readRows(selected, timeoutMs, request),
  }
}

function withoutEnd(statement: string): string {
  return statement.replace(/[\s;]+$/, '')
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

/**
 * A digest of what a statement answers now, in any order, and of the statement of the rows, which may be another one tomorrow;
 * one for each tenant when it has the column that tells them apart.
 */
async function readVersion(
  version: string,
  statement: string,
  timeoutMs: number | undefined,
  { by, session, signal }: SourceRequest,
): Promise<string | TenantVersions> {
  if (!(session instanceof Transaction)) throw new TypeError(NO_SESSION)
  await session.limit(timeoutMs, signal)
  const { fields, rows } = await session.ask({ text: version, isOne: true, signal }).catch(cause => {
    throw signal.aborted ? signal.reason : refusedStatement(cause, version, '')
  })
  const digest = (own: readonly string[]) =>
    createHash('sha256')
      .update(JSON.stringify([version, statement, own.toSorted()]))
      .digest('hex')
  const at = fields.findIndex(({ name }) => name === by)
  const texts = new Map<string | null, string[]>()
  for (const row of rows) {
    const key = row[at] ?? null
    const own = texts.get(key)
    if (own) own.push(JSON.stringify(row))
    else texts.set(key, [JSON.stringify(row)])
  }
  if (at < 0) return digest(texts.get(null) ?? [])
  return new Map([...texts].map(([key, own]) => [key, digest(own)]))
}

const NO_SESSION = 'a source of PostgreSQL is read in its session: call begin of it first'

async function readRows(
  statement: string,
  timeoutMs: number | undefined,
  { columns: declared, by, only, session, signal }: SourceRequest,
): Promise<SourceRows> {
  if (!(session instanceof Transaction)) throw new TypeError(NO_SESSION)
  await session.limit(timeoutMs, signal) // first, since finding the columns takes locks as well
  const columns = await selectedColumns(session, statement, declared, signal)
  const separating = columns.find(({ name }) => name === by)
  const wanted = only && separating ? ` WHERE ${isOneOf(separating, only)}` : ''
  const copy =
    `COPY (SELECT ${columns.map(({ sql }) => sql).join(', ')}${COLUMNS_BEFORE}${statement}\n) AS source${wanted}) ` +
    'TO STDOUT (FORMAT csv, HEADER)'
  const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]))
  return {
    format: 'csv-with-empty-text',
    chunks: session.copy(copy, signal),
    types: () => types,
  }
}
