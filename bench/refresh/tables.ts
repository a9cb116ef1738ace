import { randomUUID } from 'node:crypto'
import { defineCatalogue, defineFold, defineTable } from 'foldgate'
import pg from 'pg'
import { postgresUrl } from '../../test/server/stores.js'

/** What a row of a large table of orders has, in SQL of PostgreSQL over the number of the row. */
const LARGE = {
  order_id: 'i::bigint',
  tenant_id: '(1 + i % 40)::integer',
  quantity: '(1 + i * 7919 % 12)::integer',
  score: '(i * 0.37)::double precision',
  amount: '((i * 7919 % 100000) / 100.0)::numeric(12,2)',
  note: `'order ' || i % 1000 || ' of customer ' || i * 31 % 50000`,
  placed_on: `date '2020-01-01' + (i / 3000)::integer`,
  placed_at: `timestamptz '2020-01-01 00:00+00' + i * interval '25 seconds'`,
  is_paid: 'i % 10 <> 0',
  reference: 'md5(i::text)::uuid',
} as const

const TYPES = {
  order_id: 'BIGINT',
  tenant_id: 'INTEGER',
  quantity: 'INTEGER',
  score: 'DOUBLE',
  amount: 'DECIMAL(12,2)',
  note: 'VARCHAR',
  placed_on: 'DATE',
  placed_at: 'TIMESTAMP WITH TIME ZONE',
  is_paid: 'BOOLEAN',
  reference: 'UUID',
} as const satisfies Record<keyof typeof LARGE, string>

export const LARGE_COLUMNS = Object.keys(LARGE).join(', ')

const orders = defineTable({ name: 'orders', about: 'An order.', columns: TYPES, unique: ['order_id'] })

/** The catalogue of one large table. */
export const largeCatalogue = defineCatalogue({ relations: [orders] })

/** A table that stays, one that changes, and a fold over the one that stays. */
export const pairCatalogue = defineCatalogue({
  relations: [
    orders,
    defineTable({
      name: 'prices',
      about: 'A price.',
      columns: { price_id: 'INTEGER', price: 'DECIMAL(12,2)' },
      unique: ['price_id'],
    }),
    defineFold({
      name: 'days',
      about: 'One day and note: what was ordered.',
      reads: ['orders'],
      sql: 'SELECT placed_on, note, sum(amount) AS amount, count(*) AS orders FROM orders GROUP BY ALL',
    }),
  ],
})

/** The catalogue of each of many tenants. */
export const tenantCatalogue = defineCatalogue({
  relations: [
    defineTable({
      name: 'customers',
      about: 'A customer.',
      columns: { customer_id: 'INTEGER', name: 'VARCHAR' },
      required: ['customer_id'],
      unique: ['customer_id'],
    }),
    defineTable({
      name: 'sales',
      about: 'Something sold.',
      columns: {
        sale_id: 'BIGINT',
        customer_id: 'INTEGER',
        amount: 'DECIMAL(12,2)',
        sold_at: 'TIMESTAMP WITH TIME ZONE',
      },
      required: ['sale_id', 'customer_id', 'amount'],
      unique: ['sale_id'],
      references: { customer_id: 'customers.customer_id' },
    }),
  ],
})

const CUSTOMERS = 50
const SALES = 450

/** A database of its own on the server of the tests. */
export class BenchDatabase {
  readonly url: string
  readonly #name: string
  readonly #client: pg.Client

  private constructor(name: string, url: string) {
    this.#name = name
    this.url = url
    this.#client = new pg.Client({ connectionString: url })
  }

  static async create(): Promise<BenchDatabase> {
    const name = `bench_${randomUUID().replaceAll('-', '')}`
    await asked(`CREATE DATABASE ${name}`)
    const url = new URL(postgresUrl ?? '')
    url.pathname = `/${name}`
    const database = new BenchDatabase(name, url.href)
    await database.#client.connect()
    return database
  }

  async run(statement: string): Promise<void> {
    await this.#client.query(statement)
  }

  /** Makes a large table, whose rows lie in the order of their numbers or at random. */
  async makeLarge(table: string, rows: number, isRandom = false): Promise<void> {
    const columns = Object.entries(LARGE).map(([column, sql]) => `${sql} AS ${column}`)
    const order = isRandom ? 'ORDER BY md5(i::text)' : ''
    await this.run(
      `CREATE UNLOGGED TABLE ${table} AS SELECT ${columns.join(', ')} FROM generate_series(1::bigint, ${rows}) i ${order}`,
    )
    await this.run(`ANALYZE ${table}`)
  }

  /** Makes the rows of many tenants, 500 each, which lie between those of the others. */
  async makeTenants(tenants: number): Promise<void> {
    const each = (rows: number) => `FROM generate_series(1, ${rows}) i, generate_series(1, ${tenants}) t`
    await this.run(
      `CREATE UNLOGGED TABLE customers AS SELECT t AS tenant_id, i AS customer_id, 'Customer ' || i AS name ${each(CUSTOMERS)}`,
    )
    await this.run(
      `CREATE UNLOGGED TABLE sales AS SELECT t AS tenant_id, i::bigint AS sale_id, 1 + i % ${CUSTOMERS} AS customer_id,
         ((i * 7919 + t) % 100000 / 100.0)::numeric(12,2) AS amount,
         timestamptz '2026-01-01 00:00+00' + i * interval '1 hour' AS sold_at ${each(SALES)}`,
    )
    await this.run('CREATE INDEX ON customers (tenant_id); CREATE INDEX ON sales (tenant_id); ANALYZE')
  }

  async drop(): Promise<void> {
    await this.#client.end()
    await asked(`DROP DATABASE ${this.#name} WITH (FORCE)`)
  }
}

async function asked(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl ?? '' })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
