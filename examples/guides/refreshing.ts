import { type Catalogue, directorySnapshots } from 'foldgate'
import { openSealer, SealerError } from 'foldgate/sealing'
import { fromPostgres } from 'foldgate-postgres'
import type { Pool } from 'pg'

/** Where a project is sealed, and from which database. */
export interface Refreshing {
  catalogue: Catalogue
  folder: string
  pool: Pool
}

/** Seals the cars and trips of a database, as they were at one moment. */
export async function refreshFrom({ catalogue, folder, pool }: Refreshing, projectId: string): Promise<void> {
  const snapshots = directorySnapshots(`${folder}/snapshots`)
  const sealer = await openSealer({ catalogue, snapshots, folder: `${folder}/scratch` })
  try {
    const tables = {
      cars: fromPostgres(pool, 'SELECT car_id, city FROM cars'),
      trips: fromPostgres(pool, 'SELECT trip_id, car_id, km FROM trips WHERE NOT is_test'),
    }
    await sealer.seal({ projectId, tables })
    await snapshots.prune(projectId, 3)
  } finally {
    await sealer.close()
  }
}

/** Adds the trips after a given one, and seals all of them when another process has sealed meanwhile. */
export async function appendTrips({ catalogue, folder, pool }: Refreshing, projectId: string, after: number) {
  const snapshots = directorySnapshots(`${folder}/snapshots`)
  const sealer = await openSealer({ catalogue, snapshots, folder: `${folder}/scratch` })
  try {
    const cars = () => fromPostgres(pool, 'SELECT car_id, city FROM cars')
    const trips = (where: string) =>
      fromPostgres(pool, `SELECT trip_id, car_id, km FROM trips WHERE ${where}`)
    try {
      const tables = { cars: cars(), trips: trips(`trip_id > ${Number(after)}`) }
      return await sealer.seal({ projectId, tables, append: ['trips'] })
    } catch (error) {
      if (!(error instanceof SealerError && error.reason === 'outdated')) throw error
      return await sealer.seal({ projectId, tables: { cars: cars(), trips: trips('true') } })
    }
  } finally {
    await sealer.close()
  }
}

/** Seals all tenants of a database at once. Returns what was wrong. */
export async function refreshTenants(
  { catalogue, folder, pool }: Refreshing,
  projects: ReadonlyMap<string, string>,
): Promise<string[]> {
  const snapshots = directorySnapshots(`${folder}/snapshots`)
  const sealer = await openSealer({ catalogue, snapshots, folder: `${folder}/scratch` })
  try {
    const tables = {
      cars: fromPostgres(pool, 'SELECT tenant_id, car_id, city FROM cars'),
      trips: fromPostgres(pool, 'SELECT tenant_id, trip_id, car_id, km FROM trips'),
    }
    const { sealed, failed, empty, strays } = await sealer.sealMany({ tables, by: 'tenant_id', projects })
    for (const { projectId } of sealed) await snapshots.prune(projectId, 3)
    return [
      ...failed.map(({ key, error }) => `${key} keeps its numbers: ${error.message}`),
      ...empty.map(({ key }) => `${key} keeps its numbers: it has no rows`),
      ...strays.map(({ table, key, rows }) => `${rows} rows of ${table} are of no tenant: ${key ?? 'NULL'}`),
    ]
  } finally {
    await sealer.close()
  }
}
