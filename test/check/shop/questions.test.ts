import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeTables } from '../../../examples/shop/tables.js'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { shop } from '../../service/shop.js'
import { answersOf } from './answers.js'
import { readTables, type Tables } from './tables.js'

const FILES = shop.summaries.filter(({ kind }) => kind === 'table').map(({ name }) => `${name}.csv`)

/** What SHA-256 of each file is. */
async function digestsIn(folder: string): Promise<string[]> {
  const texts = await Promise.all(FILES.map(file => readFile(join(folder, file))))
  return texts.map(text => createHash('sha256').update(text).digest('hex'))
}

for (const seed of [1, 7])
  describe(`a shop made from seed ${seed}`, () => {
    let folder: string
    let tables: Tables
    let service: Service
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'foldgate-shop-'))
      writeTables({ folder, seed })
      tables = await readTables(folder)
      const texts = await Promise.all(FILES.map(async file => [file, await readFile(join(folder, file), 'utf8')]))
      service = await startService({ catalogue: shop, files: Object.fromEntries(texts) })
    })
    after(async () => {
      await service.close()
      await rm(folder, { recursive: true })
    })

    for (const [index, { question, sql }] of shop.examples.entries())
      it(`answers: ${question}`, async () => {
        const { body } = await service.call('projects/query', { projectId: PROJECT, sql, page: { limit: 500 } })
        const expected = answersOf(tables)[index]
        assert.ok(expected && expected.length > 1, 'the question has several rows')
        assert.deepEqual(body.result?.items, expected, body.message)
      })

    it('seals without a warning', async () => {
      const [manifest] = await service.snapshots.manifests(PROJECT)
      assert.deepEqual(manifest?.warnings ?? [], [])
      assert.deepEqual(
        manifest?.tables.map(({ name, rows }) => [name, rows]),
        [
          ['customers', tables.customers.length],
          ['products', tables.products.length],
          ['orders', tables.orders.length],
          ['order_items', tables.items.length],
          ['refunds', tables.refunds.length],
          ['events', tables.events.length],
        ],
      )
    })

    it('has what is easily got wrong', () => {
      const { orders, refunds, events, customers } = tables
      const states = new Set(orders.map(({ state }) => state))
      const currencies = new Set(orders.map(({ currency }) => currency))
      assert.deepEqual([states.size, currencies.size], [3, 4])
      assert.ok(new Set(refunds.map(({ order_id: id }) => id)).size < refunds.length, 'an order has two refunds')
      const monthOf = new Map(orders.map(({ order_id: id, placed_at: at }) => [id, at?.slice(0, 7)]))
      assert.ok(refunds.some(({ order_id: id, refunded_on: on }) => on?.slice(0, 7) !== monthOf.get(id)))
      const buyers = new Set(orders.filter(({ state }) => state === 'paid').map(({ customer_id: id }) => id))
      assert.ok(events.some(({ customer_id: id }) => id !== '' && !buyers.has(id)))
      const seen = new Set(events.map(({ customer_id: id }) => id))
      assert.ok(customers.some(({ customer_id: id }) => !seen.has(id)))
    })
  })

describe('the generator of the shop', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-shop-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('makes the same bytes for the same events and seed, and others for another seed', async () => {
    const made = (name: string, options: { events?: number; seed?: number }) => {
      writeTables({ folder: join(folder, name), events: 2000, ...options })
      return digestsIn(join(folder, name))
    }
    const first = await made('first', {})
    assert.deepEqual(await made('again', { seed: 1 }), first)
    const other = await made('other', { seed: 2 })
    assert.deepEqual(
      first.map((digest, index) => digest === other[index]),
      FILES.map(() => false),
    )
  })

  it('writes as many events as asked for, within two years and by customers who have joined', async () => {
    for (const events of [100, 999, 50_000]) {
      const rows = writeTables({ folder, events, seed: 3 })
      const tables = await readTables(folder)
      assert.deepEqual([rows.events, tables.events.length], [events, events])
      const times = tables.orders.map(({ placed_at: at }) => at ?? '')
      assert.deepEqual(
        times.filter(at => at < '2024-01-01' || at >= '2026-01-01'),
        [],
      )
      const purchases = tables.events.filter(({ kind }) => kind === 'purchase')
      assert.deepEqual(
        purchases.map(({ order_id: id, customer_id: customer }) => [id, customer]),
        tables.orders.map(({ order_id: id, customer_id: customer }) => [id, customer]),
      )
      const joined = new Map(tables.customers.map(({ customer_id: id, joined_on: on }) => [id, on ?? '']))
      for (const { customer_id: id, happened_at: at = '' } of tables.events)
        if (id) assert.ok((joined.get(id) ?? '9') <= at.slice(0, 10), `customer ${id} at ${at}`)
    }
    assert.deepEqual((await readdir(folder)).filter(name => name.endsWith('.csv')).sort(), [...FILES].sort())
  })

  it('refuses sizes and seeds that it cannot make', () => {
    for (const events of [99, 5_000_001, 1.5, Number.NaN])
      assert.throws(
        () => writeTables({ folder, events }),
        /^RangeError: events must be a whole number from 100 to 5000000/,
      )
    for (const seed of [-1, 0.5, 2 ** 32, Number.NaN])
      assert.throws(() => writeTables({ folder, seed }), /^RangeError: seed must be a whole number/)
  })
})
