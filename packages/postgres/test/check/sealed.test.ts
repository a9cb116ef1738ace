import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { literal } from 'foldgate/internal'
import { openSealer, SealError, type Sealer, tableFiles } from 'foldgate/sealing'
import { fromPostgres } from 'foldgate-postgres'
import { scratchFolder } from '../../../../test/server/command.js'
import { ask } from '../../../../test/server/stores.js'
import { filesOfTable } from '../../../../test/stored.js'
import { givenPool } from './reading.js'

const PROJECT = 'd2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10'
const catalogue = defineCatalogue({
  relations: [
    defineTable({ name: 'customers', unique: ['id'] }),
    defineTable({
      name: 'orders',
      columns: { id: 'BIGINT', customer_id: 'UUID', total: 'DECIMAL(12,2)', area: 'VARCHAR' },
      unique: ['id'],
      references: { customer_id: 'customers.id' },
    }),
  ],
})

describe('tables of PostgreSQL', () => {
  const scratch = scratchFolder()
  const given = givenPool()
  let sealer: Sealer
  before(async () => {
    await ask(`CREATE TABLE foldgate_customers AS SELECT md5(i::text)::uuid AS id, 'name ' || i AS name,
      ARRAY['a', NULL, '"' || i] AS tags, NULLIF(i % 3, 0) AS rank, CASE WHEN i % 2 = 0 THEN '' END AS note
      FROM generate_series(1, 5000) AS i`)
    await ask(`CREATE TABLE foldgate_orders AS SELECT i::bigint AS id, md5((1 + i % 5000)::text)::uuid AS customer_id,
      i * 0.01 AS total, point(i, i) AS area FROM generate_series(1, 20000) AS i ORDER BY random()`)
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
  })
  after(async () => {
    await sealer?.close()
    await ask('DROP TABLE foldgate_customers; DROP TABLE foldgate_orders')
  })
  const sealed = (orders = 'TABLE foldgate_orders', customers = 'TABLE foldgate_customers') =>
    sealer.seal({
      projectId: PROJECT,
      tables: { customers: fromPostgres(given.pool, customers), orders: fromPostgres(given.pool, orders) },
    })

  it('are sealed as they are, in the order of their keys', async () => {
    const { manifest } = await sealed()
    assert.deepEqual(
      manifest.tables.map(({ name, rows }) => [name, rows]),
      [
        ['customers', 5000],
        ['orders', 20_000],
      ],
    )
    const again = await sealed('SELECT * FROM foldgate_orders ORDER BY md5(id::text)')
    assert.deepEqual(
      again.manifest.tables.flatMap(tableFiles).map(({ sha256 }) => sha256),
      manifest.tables.flatMap(tableFiles).map(({ sha256 }) => sha256),
    )
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const [path = ''] = await filesOfTable(join(scratch.path, 'snapshots'), PROJECT, manifest.snapshotId, 'customers')
    const customers = literal(path)
    const types = await connection.runAndReadAll(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(${customers}))`,
    )
    assert.deepEqual(types.getRows(), [
      ['id', 'UUID'],
      ['name', 'VARCHAR'],
      ['tags', 'VARCHAR[]'],
      ['rank', 'INTEGER'],
      ['note', 'VARCHAR'],
    ])
    const totals = await connection.runAndReadAll(
      `SELECT count(*)::INT, sum(rank)::INT, count(note)::INT, count(*) FILTER (tags[2] IS NULL AND tags[3] = '"' || substr(name, 6))::INT FROM read_parquet(${customers})`,
    )
    const [expected] = await ask(
      `SELECT count(*)::int AS n, sum(rank)::int AS ranks, count(note)::int AS notes FROM foldgate_customers`,
    )
    assert.deepEqual(totals.getRows(), [[expected?.n, expected?.ranks, expected?.notes, 5000]])
    instance.closeSync()
  })

  it('are refused with the rows that are wrong, and the connection is given back', async () => {
    const wrong =
      "SELECT id, customer_id, CASE WHEN id = 7 THEN 'NaN'::numeric ELSE total END AS total, NULL AS area FROM foldgate_orders"
    await assert.rejects(sealed(wrong), (error: SealError) => {
      assert.ok(error instanceof SealError, `${error}`)
      assert.deepEqual(
        error.problems.map(({ table, column }) => [table, column]),
        [['orders', 'total']],
      )
      return true
    })
    await assert.rejects(
      sealed('TABLE foldgate_orders', 'SELECT id, point(1, 2) AS place FROM foldgate_customers'),
      /"customers".*the column "place" is of the type point, .* write "place"::text$/,
    )
    assert.equal(given.pool.idleCount, given.pool.totalCount)
  })
})
