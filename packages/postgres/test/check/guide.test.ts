import assert from 'node:assert/strict'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { openSealer, tableFiles } from 'foldgate/sealing'
import pg from 'pg'
import { sealShop } from '../../../../examples/guides/postgres.js'
import { scratchFolder } from '../../../../test/server/command.js'
import { ask, postgresUrl } from '../../../../test/server/stores.js'

const PROJECT = 'd2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10'
const ADA = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
const catalogue = defineCatalogue({
  relations: [
    defineTable({ name: 'customers', unique: ['id'] }),
    defineTable({ name: 'orders', unique: ['id'], references: { customer_id: 'customers.id' } }),
  ],
})

describe('the code of the guide on PostgreSQL', () => {
  const scratch = scratchFolder()

  it('seals the tables of a shop', async () => {
    await ask(`CREATE SCHEMA foldgate_shop
      CREATE TABLE customers (id uuid, name text, country char(2))
      CREATE TABLE orders (id bigint, customer_id uuid, ordered_at timestamptz, total numeric)`)
    await ask(`INSERT INTO foldgate_shop.customers VALUES ('${ADA}', 'Ada, "the first"', 'GB')`)
    await ask(`INSERT INTO foldgate_shop.orders VALUES (1, '${ADA}', now(), 12.5), (2, NULL, NULL, NULL)`)
    const pool = new pg.Pool({ connectionString: postgresUrl ?? '', options: '-c search_path=foldgate_shop' })
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
    try {
      const manifest = await sealShop(sealer, pool, PROJECT)
      assert.deepEqual(
        manifest.tables.map(({ name, rows }) => [name, rows]),
        [
          ['customers', 1],
          ['orders', 2],
        ],
      )
      assert.ok(manifest.tables.every(table => tableFiles(table).length === 1))
    } finally {
      await sealer.close()
      await pool.end()
      await ask('DROP SCHEMA foldgate_shop CASCADE')
    }
  })
})
