import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import pg from 'pg'
import { catalogue } from '../../../examples/catalogue.js'
import { appendTrips, type Refreshing, refreshFrom, refreshTenants } from '../../../examples/guides/refreshing.js'
import { scratchFolder } from '../../server/command.js'
import { dropStores, postgresUrl, storeInPostgres } from '../../server/stores.js'

describe('the code of the guide on refreshing', () => {
  const scratch = scratchFolder()
  let pool: pg.Pool
  let given: Refreshing
  before(async function () {
    if (!postgresUrl) return this.skip()
    pool = new pg.Pool({ connectionString: await storeInPostgres(`guide ${scratch.path}`) })
    await pool.query(`CREATE TABLE cars (tenant_id integer, car_id integer, city text);
      CREATE TABLE trips (tenant_id integer, trip_id integer, car_id integer, km numeric(8,1), is_test boolean);
      INSERT INTO cars VALUES (1, 1, 'Lima'), (2, 2, 'Nairobi');
      INSERT INTO trips VALUES (1, 1, 1, 12, false), (1, 2, 1, 4, true), (2, 3, 2, 31, false)`)
  })
  after(async () => {
    await pool?.end()
    await dropStores('guide ')
  })
  beforeEach(() => {
    given = { catalogue, folder: join(scratch.path, randomUUID()), pool }
  })

  const manifestsOf = (projectId: string) => directorySnapshots(join(given.folder, 'snapshots')).manifests(projectId)
  /** Rows of cars and trips in the newest snapshot. */
  async function rowsOf(projectId: string): Promise<number[]> {
    const [newest] = await manifestsOf(projectId)
    return ['cars', 'trips'].map(name => newest?.tables.find(table => table.name === name)?.rows ?? 0)
  }

  it('seals a database, and keeps the newest three', async () => {
    const projectId = randomUUID()
    for (let times = 0; times < 4; times++) {
      await pool.query('UPDATE cars SET city = $1 WHERE car_id = 1', [`Lima ${times}`])
      await refreshFrom(given, projectId)
    }
    assert.deepEqual(await rowsOf(projectId), [2, 2])
    assert.equal((await manifestsOf(projectId)).length, 3)
  })

  it('appends what is new', async () => {
    const projectId = randomUUID()
    await refreshFrom(given, projectId)
    await pool.query('INSERT INTO trips VALUES (2, 4, 2, 7, false)')
    try {
      await appendTrips(given, projectId, 3)
      assert.deepEqual(await rowsOf(projectId), [2, 3])
    } finally {
      await pool.query('DELETE FROM trips WHERE trip_id = 4')
    }
  })

  it('seals all tenants at once, and tells what was wrong', async () => {
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()]
    const all = new Map(Object.entries({ 1: first, 2: second }))
    assert.deepEqual(await refreshTenants(given, all), [])
    assert.deepEqual(
      [await rowsOf(first), await rowsOf(second)],
      [
        [1, 2],
        [1, 1],
      ],
    )
    const told = await refreshTenants(given, new Map(Object.entries({ 1: first, 3: third })))
    assert.deepEqual(told.sort(), [
      '1 rows of cars are of no tenant: 2',
      '1 rows of trips are of no tenant: 2',
      '3 keeps its numbers: it has no rows',
    ])
  })
})
