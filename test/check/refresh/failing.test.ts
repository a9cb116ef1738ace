import assert from 'node:assert/strict'
import { postgresUrl } from '../../server/stores.js'
import { until } from '../../until.js'
import { Gate } from './gate.js'
import { projectOf, Started } from './started.js'
import { PASSWORD, Vendor } from './vendor.js'

const [FIRST, SECOND, THIRD] = [projectOf(1), projectOf(2), projectOf(3)]
const PROJECTS = [FIRST, SECOND, THIRD]

describe('a refresh that fails', function () {
  this.timeout(60_000)
  let gate: Gate
  let vendor: Vendor
  let host: Started
  before(async function () {
    if (!postgresUrl) return this.skip()
    gate = await Gate.open()
    vendor = await Vendor.open(3)
  })
  beforeEach(async () => {
    host = await Started.open(vendor.url(gate.port))
    assert.equal((await host.refresh()).type, 'refreshed')
  })
  afterEach(async () => {
    gate.reopen()
    await vendor.letGo()
    await host.close()
  })
  after(async () => {
    await vendor?.close()
    gate?.close()
  })

  const numbers = () => Promise.all(PROJECTS.map(project => host.revenue(project)))
  const failures = async () => Object.values(await host.metric('refresh_failures_total'))

  /** Refreshes, and expects that every tenant has the numbers of before, and that the failure is told. */
  async function refused(reason: RegExp): Promise<void> {
    const [before, sealed] = [await numbers(), await host.metric('refresh_last_success_timestamp_seconds')]
    const ended = await host.refresh()
    assert.equal(ended.type, 'failed')
    const line = host.lines.at(-1)
    assert.deepEqual([line?.event, line?.level], ['failed', 'error'])
    assert.match(String(line?.error), reason)
    assert.deepEqual(await numbers(), before)
    assert.deepEqual(await host.metric('refresh_last_success_timestamp_seconds'), sealed)
    assert.deepEqual(await failures(), [1, 1, 1])
  }

  /** Refreshes, and expects that nothing is left of the failure. */
  async function recovers(): Promise<void> {
    await vendor.ask('UPDATE shop.order_lines SET quantity = quantity + 1')
    const before = await numbers()
    assert.deepEqual((await host.refresh()).type, 'refreshed')
    for (const [index, rows] of (await numbers()).entries()) assert.notDeepEqual(rows, before[index])
  }

  it('keeps the numbers when a statement is refused', async () => {
    await vendor.ask(`REVOKE SELECT ON shop.orders FROM ${vendor.role}`)
    try {
      await refused(/permission denied for table orders/)
    } finally {
      await vendor.ask(`GRANT SELECT ON shop.orders TO ${vendor.role}`)
    }
    await recovers()
  })

  it('keeps the numbers while the database is down, and answers calls', async () => {
    gate.shut()
    await refused(/Connection terminated|ECONNRESET|ECONNREFUSED/)
    assert.equal((await host.call('list')).items.length, 3)
    gate.reopen()
    await recovers()
    assert.deepEqual(await host.metric('refresh_leader'), { '': 1 })
  })

  it('keeps the numbers when the connection is lost in the middle', async () => {
    await vendor.hold()
    const ended = host.refresh()
    const pid = await vendor.waiting()
    await vendor.ask(`SELECT pg_terminate_backend(${pid})`)
    assert.equal((await ended).type, 'failed')
    assert.match(String(host.lines.at(-1)?.error), /terminat/)
    assert.deepEqual(await failures(), [1, 1, 1])
    await vendor.letGo()
    await recovers()
  })

  it('stops when the connection with the lock is lost, since another process may refresh then', async () => {
    await vendor.hold()
    const ended = host.refresh()
    await vendor.waiting()
    const locks = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    assert.equal((await vendor.ask(locks)).length, 1)
    assert.equal((await ended).type, 'failed')
    assert.match(String(host.lines.at(-1)?.error), /connection with the lock has ended/)
    await until(async () => (await vendor.sessions()) <= 1, 'sessions that end')
    await vendor.letGo()
    await recovers()
  })

  it('leaves one tenant as it was when only its rows are wrong', async () => {
    const before = await numbers()
    await vendor.ask('UPDATE shop.order_lines SET quantity = quantity + 1')
    await vendor.ask('UPDATE shop.orders SET customer_id = 777 WHERE tenant_id = 2 AND order_id = 5')
    try {
      const ended = await host.refresh()
      assert.deepEqual(ended, { type: 'refreshed', durationMs: 0, sealed: 2, unchanged: 0, failed: 1, empty: 0 })
      const line = host.lines.find(({ event }) => event === 'tenant-failed')
      assert.deepEqual([line?.projectId, line?.level], [SECOND, 'error'])
      assert.match(String(line?.error), /^orders\.customer_id: .*777/)
      const [first, second, third] = await numbers()
      assert.deepEqual(second, before[1])
      assert.notDeepEqual(first, before[0])
      assert.notDeepEqual(third, before[2])
      assert.deepEqual(await failures(), [0, 1, 0])
      const sealed = await host.metric('refresh_last_success_timestamp_seconds')
      assert.ok((sealed[SECOND] ?? 0) < (sealed[FIRST] ?? 0))
    } finally {
      await vendor.ask('UPDATE shop.orders SET customer_id = 6 WHERE tenant_id = 2 AND order_id = 5')
    }
    await recovers()
  })

  it('tells a tenant without rows, and rows without a tenant', async () => {
    const before = await numbers()
    await vendor.ask('UPDATE shop.customers SET tenant_id = 900 WHERE tenant_id = 3')
    await vendor.ask('UPDATE shop.orders SET tenant_id = 900 WHERE tenant_id = 3')
    await vendor.ask('UPDATE shop.order_lines SET tenant_id = 900 WHERE tenant_id = 3')
    try {
      await host.refresh()
      assert.deepEqual(host.ofType('tenant-empty'), [{ type: 'tenant-empty', projectId: THIRD }])
      assert.deepEqual(
        host
          .ofType('strays')
          .map(({ table, key, rows }) => [table, key, rows])
          .sort(),
        [
          ['customers', '900', 20],
          ['order_lines', '900', 200],
          ['orders', '900', 100],
        ],
      )
      assert.deepEqual(await host.revenue(THIRD), before[2])
    } finally {
      for (const table of ['customers', 'orders', 'order_lines'])
        await vendor.ask(`UPDATE shop.${table} SET tenant_id = 3 WHERE tenant_id = 900`)
    }
  })

  it('is logged without the password of the database', async () => {
    gate.shut()
    await refused(/./)
    assert.ok(vendor.url().includes(PASSWORD))
    for (const line of host.lines) assert.ok(!JSON.stringify(line).includes(PASSWORD))
    for (const error of host.errors) assert.ok(!String(error).includes(PASSWORD))
  })
})

describe('a change of the schema', function () {
  this.timeout(60_000)
  let vendor: Vendor
  let host: Started
  before(async function () {
    if (!postgresUrl) return this.skip()
    vendor = await Vendor.open(2)
    host = await Started.open(vendor.url())
    await host.refresh()
  })
  after(async () => {
    await host?.close()
    await vendor?.close()
  })

  const cases = {
    'a column that is gone': {
      change: 'ALTER TABLE shop.orders RENAME COLUMN state TO stage',
      back: 'ALTER TABLE shop.orders RENAME COLUMN stage TO state',
      told: [
        'orders.state is gone: restore it, or take it out of READ and the catalogue',
        'orders.stage is new: add it to READ and the catalogue, or to LEFT_OUT',
      ],
    },
    'another type': {
      change: 'ALTER TABLE shop.order_lines ALTER COLUMN price TYPE numeric(12,4)',
      back: 'ALTER TABLE shop.order_lines ALTER COLUMN price TYPE numeric(10,2)',
      told: [
        'order_lines.price is numeric(12,4), and was numeric(10,2): change it back, or change READ and the catalogue',
      ],
    },
    'a new column': {
      change: 'ALTER TABLE shop.customers ADD COLUMN phone text',
      back: 'ALTER TABLE shop.customers DROP COLUMN phone',
      told: ['customers.phone is new: add it to READ and the catalogue, or to LEFT_OUT'],
    },
    'a table that is gone': {
      change: 'ALTER TABLE shop.orders RENAME TO purchases',
      back: 'ALTER TABLE shop.purchases RENAME TO orders',
      told: ['orders is gone: restore it, or take it out of READ and the catalogue'],
    },
  }
  for (const [name, { change, back, told }] of Object.entries(cases))
    it(`is refused with what to do: ${name}`, async () => {
      const before = await host.revenue(FIRST)
      await vendor.ask(change)
      try {
        assert.equal((await host.refresh()).type, 'failed')
        assert.deepEqual(String(host.lines.at(-1)?.error).split('\n'), told)
        assert.deepEqual(await host.revenue(FIRST), before)
      } finally {
        await vendor.ask(back)
      }
      assert.equal((await host.refresh()).type, 'refreshed')
    })
})
