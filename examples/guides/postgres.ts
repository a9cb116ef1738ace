import type { Sealer, SnapshotManifest } from 'foldgate/sealing'
import { fromPostgres } from 'foldgate-postgres'
import type { Pool } from 'pg'

/** Seals the tables of a shop, as they are in PostgreSQL now. */
export async function sealShop(sealer: Sealer, pool: Pool, projectId: string): Promise<SnapshotManifest> {
  const tables = {
    customers: fromPostgres(pool, 'SELECT id, name, country FROM customers'),
    orders: fromPostgres(pool, 'SELECT id, customer_id, ordered_at, total::numeric(12, 2) FROM orders'),
  }
  const { manifest } = await sealer.seal({ projectId, tables })
  return manifest
}
