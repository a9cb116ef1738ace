import type { TableSource } from 'foldgate/sealing'
import { fromPostgres } from 'foldgate-postgres'
import type { Pool } from 'pg'

const SCHEMA = 'shop'

/** The column that says whose a row is. The column is read, and not stored. */
export const TENANT = 'tenant_id'

/** The columns that are read, by table, with their types as PostgreSQL names them. */
const READ: Record<string, Record<string, string>> = {
  customers: {
    tenant_id: 'integer',
    customer_id: 'bigint',
    name: 'text',
    country: 'text',
    joined_on: 'date',
  },
  orders: {
    tenant_id: 'integer',
    order_id: 'bigint',
    customer_id: 'bigint',
    placed_at: 'timestamp with time zone',
    state: 'text',
  },
  order_lines: {
    tenant_id: 'integer',
    order_id: 'bigint',
    line: 'integer',
    product: 'text',
    quantity: 'integer',
    price: 'numeric(10,2)',
  },
}

/** Columns that the tables have besides, and that no caller reads. */
const LEFT_OUT: Record<string, readonly string[]> = { customers: ['email'] }

/** The tables of the catalogue, for all tenants at once. They are read in one transaction. */
export function sourcesIn(pool: Pool): Record<string, TableSource> {
  const sources = Object.entries(READ).map(([table, columns]) => {
    const source = fromPostgres(pool, `SELECT ${Object.keys(columns).join(', ')} FROM ${SCHEMA}.${table}`)
    return [table, source] as const
  })
  return Object.fromEntries(sources)
}

const COLUMNS = `
  SELECT relname AS "table", attname AS "column", format_type(atttypid, atttypmod) AS type
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relname = ANY($2) AND attnum > 0 AND NOT attisdropped
  ORDER BY relname, attnum`

/** Thrown when the tables of the database are no longer those that this host was written for. */
export class SchemaChanged extends Error {
  constructor(readonly changes: readonly string[]) {
    super(changes.join('\n'))
  }
}

/**
 * Throws a {@link SchemaChanged} that says what to do about each change. A new column is one too: whether callers may
 * read it is for a person to decide.
 */
export async function checkSchema(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ table: string; column: string; type: string }>(COLUMNS, [
    SCHEMA,
    Object.keys(READ),
  ])
  const changes = Object.entries(READ).flatMap(([table, columns]) => {
    const found = new Map(rows.filter(row => row.table === table).map(({ column, type }) => [column, type]))
    if (found.size === 0) return [`${table} is gone: restore it, or take it out of READ and the catalogue`]
    const known = new Set([...Object.keys(columns), ...(LEFT_OUT[table] ?? [])])
    const added = [...found.keys()].filter(column => !known.has(column))
    return [
      ...Object.entries(columns).flatMap(([column, type]) =>
        change(`${table}.${column}`, type, found.get(column)),
      ),
      ...added.map(column => `${table}.${column} is new: add it to READ and the catalogue, or to LEFT_OUT`),
    ]
  })
  if (changes.length > 0) throw new SchemaChanged(changes)
}

function change(place: string, type: string, found: string | undefined): string[] {
  if (found === undefined) return [`${place} is gone: restore it, or take it out of READ and the catalogue`]
  if (found === type) return []
  return [`${place} is ${found}, and was ${type}: change it back, or change READ and the catalogue`]
}
