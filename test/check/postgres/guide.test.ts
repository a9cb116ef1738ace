import assert from 'node:assert/strict'
import pg from 'pg'
import { shopTables } from '../../../examples/guides/postgres-tables.js'
import { ask, postgresUrl } from '../../server/stores.js'
import { inDuckDb, readAll } from './reading.js'

describe('the tables of the guide', () => {
  it('are read from PostgreSQL', async () => {
    await ask(`CREATE SCHEMA foldgate_shop
      CREATE TABLE customers (id uuid, name text, country char(2))
      CREATE TABLE orders (id bigint, customer_id uuid, ordered_at timestamptz, total numeric)`)
    const pool = new pg.Pool({ connectionString: postgresUrl ?? '', options: '-c search_path=foldgate_shop' })
    try {
      const ada = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
      await pool.query(`INSERT INTO customers VALUES ('${ada}', 'Ada, "the first"', 'GB')`)
      await pool.query(`INSERT INTO orders VALUES (1, '${ada}', '2026-11-26 01:02:03+01', 12.5), (2, NULL, NULL, NULL)`)
      const { customers, orders } = shopTables(pool)
      assert.ok(customers && orders)
      assert.deepEqual(await inDuckDb(await readAll(customers), 'SELECT * FROM rows'), [
        [ada, 'Ada, "the first"', 'GB'],
      ])
      assert.deepEqual(
        await inDuckDb(
          await readAll(orders),
          'SELECT id, customer_id, epoch_ms(ordered_at), total FROM rows ORDER BY id',
        ),
        [
          ['1', ada, `${Date.UTC(2026, 10, 26, 0, 2, 3)}`, '12.50'],
          ['2', null, null, null],
        ],
      )
    } finally {
      await pool.end()
      await ask('DROP SCHEMA foldgate_shop CASCADE')
    }
  })
})
