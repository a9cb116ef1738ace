import assert from 'node:assert/strict'
import { postgresUrl } from '../../server/stores.js'
import { projectOf, Started } from './started.js'
import { Vendor } from './vendor.js'

const TENANTS = Array.from({ length: 40 }, (_, index) => index + 1)

describe('a host that refreshes forty tenants of a database', function () {
  this.timeout(120_000)
  let vendor: Vendor
  let host: Started
  before(async function () {
    if (!postgresUrl) return this.skip()
    vendor = await Vendor.open()
    host = await Started.open(vendor.url())
  })
  after(async () => {
    await host?.close()
    await vendor?.close()
  })

  /** What the database itself computes. */
  const expected = (tenant: number) =>
    vendor.ask(`SELECT country, sum(quantity * price)::float AS revenue FROM shop.orders
                JOIN shop.customers USING (tenant_id, customer_id) JOIN shop.order_lines USING (tenant_id, order_id)
                WHERE state = 'paid' AND tenant_id = ${tenant} GROUP BY country ORDER BY country`)
  const idsOf = async (tenant: number) =>
    (await host.snapshots.manifests(projectOf(tenant))).map(({ snapshotId }) => snapshotId)

  it('has no numbers before the first one, and says so', async () => {
    const { items } = await host.call('list')
    assert.deepEqual(items, [])
    assert.deepEqual(await host.metric('refresh_last_success_timestamp_seconds'), {})
  })

  it('seals each tenant with its own rows, and nothing that was left out', async () => {
    const ended = await host.refresh()
    assert.deepEqual(ended, { type: 'refreshed', durationMs: 0, sealed: 40, unchanged: 0, failed: 0, empty: 0 })
    for (const tenant of [1, 2, 40]) {
      assert.deepEqual(await host.revenue(projectOf(tenant)), await expected(tenant), `tenant ${tenant}`)
      const answer = await host.call('query', { projectId: projectOf(tenant), sql: 'SELECT * FROM customers LIMIT 1' })
      assert.deepEqual(Object.keys(answer.items[0] ?? {}), ['customer_id', 'name', 'country', 'joined_on'])
    }
    const { items } = await host.call('list')
    assert.deepEqual(
      items.map(({ projectId, state }) => [projectId, state]),
      TENANTS.map(tenant => [projectOf(tenant), 'computed']),
    )
  })

  it('tells Prometheus when each was sealed, as its callers are told', async () => {
    const sealed = await host.metric('refresh_last_success_timestamp_seconds')
    assert.deepEqual(Object.keys(sealed), TENANTS.map(projectOf))
    for (const tenant of [1, 40]) {
      const answer = await host.call('query', { projectId: projectOf(tenant), sql: 'SELECT 1 AS one FROM revenue' })
      const at = Date.parse(answer.headers.get('foldgate-sealed-at') ?? '')
      assert.equal(sealed[projectOf(tenant)], at / 1000)
    }
    assert.deepEqual(await host.metric('refresh_leader'), { '': 1 })
  })

  it('has the new numbers after each refresh, and keeps the newest three', async () => {
    const seen: string[] = await idsOf(1)
    for (let times = 0; times < 3; times++) {
      await vendor.ask('UPDATE shop.order_lines SET quantity = quantity + 1')
      assert.deepEqual((await host.refresh()).type, 'refreshed')
      assert.deepEqual(await host.revenue(projectOf(7)), await expected(7))
      seen.unshift(...(await idsOf(1)).slice(0, 1))
    }
    assert.equal(new Set(seen).size, 4)
    assert.deepEqual(await idsOf(1), seen.slice(0, 3))
    for (const tenant of TENANTS) assert.equal((await idsOf(tenant)).length, 3)
    assert.deepEqual(Object.values(await host.metric('refresh_failures_total')), Array(40).fill(0))
  })

  it('counts tenants whose rows have not changed apart', async () => {
    await vendor.ask('UPDATE shop.order_lines SET quantity = quantity + 1 WHERE tenant_id = 7')
    const ended = await host.refresh()
    assert.deepEqual(ended, { type: 'refreshed', durationMs: 0, sealed: 1, unchanged: 39, failed: 0, empty: 0 })
  })

  it('seals a tenant that is new, and shows it once it has numbers', async () => {
    await vendor.ask(`INSERT INTO shop.tenants VALUES (41, '${projectOf(41)}', 'The newest')`)
    await host.refresh()
    assert.deepEqual(host.ofType('tenant-empty'), [{ type: 'tenant-empty', projectId: projectOf(41) }])
    const state = async () =>
      (await host.call('list')).items.find(({ projectId }) => projectId === projectOf(41))?.state
    const before = await state()
    await vendor.ask(`INSERT INTO shop.customers VALUES (41, 1, 'A', 'FR', '2026-02-01', 'a@example.com')`)
    await host.refresh()
    assert.deepEqual([before, await state()], ['notComputed', 'computed'])
    assert.deepEqual(await host.revenue(projectOf(41)), [])
  })
})
