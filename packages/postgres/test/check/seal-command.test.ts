import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineTable } from 'foldgate'
import { output, outputJson, ask as run, scratchFolder } from '../../../../test/server/command.js'
import { kiosk, writeCatalogue, writeKiosk } from '../../../../test/server/kiosk.js'
import { ask, postgresUrl } from '../../../../test/server/stores.js'

const PASSWORD = 'pa55-word'

/** The kiosk, with a table that declares nothing and may be missing. */
const catalogue = defineCatalogue({
  relations: [...kiosk.relations.values(), defineTable({ name: 'notes', optional: true })],
})

/** Variables stay for the next command. */
const NO_VARIABLE = { FOLDGATE_FROM: '' }

describe('foldgate seal --from', () => {
  const scratch = scratchFolder()
  let url: string
  let project: string
  let flags: string[]
  before(async () => {
    const place = new URL(postgresUrl ?? '')
    place.password = PASSWORD
    url = place.href
    flags = ['--catalogue', await writeCatalogue(scratch.path, catalogue)]
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'The North')
  })
  beforeEach(async () => {
    project = await output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'A shop')
    await ask(`CREATE SCHEMA "Kiosk"
      CREATE TABLE customers (customer_id int, country text, secret text)
      CREATE TABLE all_orders (order_id bigint, customer_id int, placed_on date, total numeric, state text)
      CREATE VIEW orders AS SELECT * FROM all_orders WHERE order_id > 0`)
    await ask(`INSERT INTO "Kiosk".customers VALUES (1, 'KEN', 'x'), (2, 'PER', NULL)`)
    await ask(`INSERT INTO "Kiosk".all_orders VALUES (1, 1, '2026-01-02', 30.50, 'paid'), (3, 2, '2026-02-01', 99, 'open'),
      (2, 2, '2026-01-03', 12, 'paid'), (-1, 9, NULL, NULL, 'a draft')`)
  })
  afterEach(() => ask('DROP SCHEMA "Kiosk" CASCADE'))

  const seal = async (...args: string[]) => {
    const ended = await run(scratch.path, ['seal', project, ...flags, ...args], NO_VARIABLE)
    assert.ok(!`${ended.stdout}${ended.stderr}`.includes(PASSWORD))
    return ended
  }
  const sealed = async () => {
    const list = await outputJson<{ tables: { name: string; rows: number }[] }[]>(
      scratch.path,
      'snapshot',
      'list',
      project,
    )
    return list.map(({ tables }) => tables.map(({ name, rows }) => `${name} ${rows}`).join(', '))
  }
  const refused = async (args: string[], told: RegExp, expected = 1) => {
    const { status, stdout, stderr } = await seal(...args)
    assert.match(stderr, told)
    assert.deepEqual([status, stdout], [expected, ''])
    assert.deepEqual(await sealed(), [])
    assert.deepEqual(await readdir(join(scratch.path, 'foldgate-data', 'scratch')).catch(() => []), [])
  }

  it('seals a table or view per table of the catalogue, with the columns that it declares', async () => {
    const { status, stdout, stderr } = await seal('--from', url, '--schema', 'Kiosk')
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^000001-[0-9a-f-]{36}\n$/)
    assert.deepEqual(await sealed(), ['customers 2, orders 3'])
  })

  it('takes the database from its variable, which shows in no list of processes', async () => {
    const ended = await run(scratch.path, ['seal', project, ...flags, '--schema', 'Kiosk'], { FOLDGATE_FROM: url })
    assert.deepEqual([ended.status, ended.stderr], [0, ''])
    const customers = 'customer_id,country\n1,KEN\n2,PER\n3,FIN\n' // of the folder alone
    await writeKiosk(join(scratch.path, 'tables'), { 'customers.csv': customers })
    const folder = await run(scratch.path, ['seal', project, 'tables', ...flags], { FOLDGATE_FROM: url })
    assert.deepEqual([folder.status, folder.stderr], [0, ''])
    assert.deepEqual((await sealed()).sort(), ['customers 2, orders 3', 'customers 3, orders 3'])
  })

  it('seals the rows of statements', async () => {
    const queries = ['customers=SELECT 7 AS customer_id, $$FIN$$ AS country', 'notes=SELECT 1 AS n, now() AS written']
    const orders = `orders=SELECT order_id, 7 AS customer_id, placed_on, total, state FROM "Kiosk".orders WHERE state = 'paid'`
    const all = [...queries, orders].flatMap(query => ['--query', query])
    const { status, stderr } = await seal('--from', url, ...all)
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(await sealed(), ['customers 1, orders 2, notes 1'])
  })

  it('lists everything that is wrong with the rows', async () => {
    await ask(`INSERT INTO "Kiosk".all_orders VALUES (1, 9, '2026-01-02', 'NaN', 'lost')`)
    const { status, stderr } = await seal('--from', url, '--schema', 'Kiosk')
    assert.equal(status, 1)
    const lines = stderr.trimEnd().split('\n')
    assert.equal(lines[0], 'error: The tables of the database cannot be sealed, and nothing was sealed:')
    assert.deepEqual(
      lines
        .slice(1, -1)
        .map(line => line.split(': ')[0]?.trim())
        .sort(),
      ['orders, column customer_id', 'orders, column order_id', 'orders, column state', 'orders, column total'],
    )
    assert.equal(lines.at(-1), 'Nothing was sealed: correct the rows and run the same command again')
    assert.deepEqual(await sealed(), [])
  })

  it('says what is missing in the database', async () => {
    await refused(
      ['--from', url],
      /^error: The schema "public" has neither a table nor a view "customers", "orders": name another/,
    )
    await ask('ALTER TABLE "Kiosk".customers DROP COLUMN country')
    await refused(
      ['--from', url, '--schema', 'Kiosk'],
      /^error: Nothing was sealed: the source of "customers" failed: .*column "country" does not exist/,
    )
  })

  it('says what is wrong with the command', async () => {
    const query = ['--query', 'customers=SELECT 1 AS customer_id']
    await refused([], /^error: there is nothing to seal: /, 2)
    await refused(['tables', '--from', url], /^error: tables are sealed from a folder, or /, 2)
    await refused(['tables', ...query], /^error: tables are sealed from a folder, or /, 2)
    await refused(['--from', 'mysql://x'], /^error: --from cannot be used as it is: give a PostgreSQL database/)
    await refused(['--from', url, '--query', 'customers'], /^error: --query cannot be "customers": /)
    await refused(['--from', url, ...query, ...query], /^error: --query is given twice for the table "customers"/)
    await refused(
      ['--from', url, '--query', 'clients=SELECT 1 AS a'],
      /^error: The catalogue has no table "clients": its tables are customers, orders, notes\n/,
    )
  })

  it('says why the database cannot be read', async () => {
    const elsewhere = new URL(url)
    elsewhere.pathname = '/foldgate_missing'
    await refused(
      ['--from', elsewhere.href],
      /^error: The PostgreSQL of --from cannot be read: database "foldgate_missing" does not exist \(3D000\)\n/,
    )
    await refused(
      ['--from', `postgres://ada:${PASSWORD}@127.0.0.1:1/shop`],
      /^error: The PostgreSQL of --from cannot be read: ECONNREFUSED\n/,
    )
  })
})
