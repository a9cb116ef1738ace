import { fromPostgres } from 'foldgate/postgres'
import type { TableSource } from 'foldgate/sealing'
import type { Pool } from 'pg'

/** The tables of a shop in PostgreSQL. */
export function shopTables(pool: Pool): Record<string, TableSource> {
  return {
    customers: fromPostgres(pool, 'SELECT id, name, country FROM customers'),
    orders: fromPostgres(pool, 'SELECT id, customer_id, ordered_at, total::numeric(12, 2) FROM orders'),
  }
}
