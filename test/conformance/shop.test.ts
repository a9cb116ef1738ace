import assert from 'node:assert/strict'
import { PROJECT, type Service, startService } from '../service/service.js'
import { SHOP, SHOP_VENDOR, shop } from '../service/shop.js'
import { describeEntries } from './entry/suite.js'

/** Subjects whose answers differ with the catalogue. The rest runs in `npm run check`. */
const SUBJECTS = ['projects/describe', 'projects/query', 'statements', 'points of view']

describe('every entry point over a shop', () =>
  describeEntries({ vendor: SHOP_VENDOR, subjects: SUBJECTS, entries: ['REST', 'in process'] }))

/** What folds have over the orders in `SHOP`, worked out by hand. */
const FOLDS: Record<string, unknown[]> = {
  // Order 2: 100 GBP at 1.2; refunds of 20 and 10 GBP. Orders 4 and 5 are not paid.
  'SELECT order_id, units, shipping, paid, refunded, revenue FROM paid_orders': [
    { order_id: 1, units: 2, shipping: 5, paid: 45, refunded: 0, revenue: 45 },
    { order_id: 2, units: 2, shipping: 0, paid: 120, refunded: 36, revenue: 84 },
    { order_id: 3, units: 1, shipping: 0, paid: 100, refunded: 100, revenue: 0 },
  ],
  // Refunds count in the month in which they were given, also when nothing was ordered in it.
  'FROM monthly_revenue': [
    { month: '2025-05-01', orders: 2, paid: 165, refunded: 0, revenue: 165 },
    { month: '2025-06-01', orders: 1, paid: 100, refunded: 36, revenue: 64 },
    { month: '2025-07-01', orders: 0, paid: 0, refunded: 100, revenue: -100 },
  ],
  // Customer 3 has a cancelled order alone, and customer 4 nothing.
  'SELECT customer_id, orders, revenue, first_order_on, last_order_on FROM customer_lifetimes': [
    { customer_id: 1, orders: 2, revenue: 45, first_order_on: '2025-05-03', last_order_on: '2025-06-01' },
    { customer_id: 2, orders: 1, revenue: 84, first_order_on: '2025-05-20', last_order_on: '2025-05-20' },
    { customer_id: 3, orders: 0, revenue: 0, first_order_on: null, last_order_on: null },
    { customer_id: 4, orders: 0, revenue: 0, first_order_on: null, last_order_on: null },
  ],
  // Kettles: 2 at 20 EUR and 1 at 24 EUR, which cost 8 each. Tents: 96 and 100 EUR, which cost 60 each.
  'SELECT name, orders, units, sales, margin FROM product_sales': [
    { name: 'Kettle', orders: 2, units: 3, sales: 64, margin: 40 },
    { name: 'Tent', orders: 2, units: 2, sales: 196, margin: 76 },
    { name: 'Spade', orders: 0, units: 0, sales: 0, margin: 0 },
  ],
  'FROM bought_together': [{ product_id: 1, other_product_id: 2, orders: 1 }],
  'SELECT device, step, sessions FROM funnel': [
    ...['view', 'basket', 'checkout', 'purchase'].map(step => ({ device: 'desktop', step, sessions: 1 })),
    { device: 'mobile', step: 'view', sessions: 2 },
    { device: 'mobile', step: 'basket', sessions: 1 },
  ],
}

describe('a shop', () => {
  let service: Service
  before(async () => {
    service = await startService({ catalogue: shop, files: SHOP })
  })
  after(() => service.close())

  for (const [sql, rows] of Object.entries(FOLDS))
    it(`answers ${sql}`, async () => {
      const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
      assert.deepEqual(body.result?.items, rows, body.message)
    })

  it('describes the columns of folds as their SQL yields them', async () => {
    for (const relation of shop.relations.values()) {
      const { name, columns } = relation
      if (relation.kind === 'fold' && relation.internal) continue
      const { body } = await service.call('projects/describe', { projectId: PROJECT, relation: name })
      const told = body.result?.columns?.map(column => [column.name, column.type])
      assert.deepEqual(told, Object.entries(columns ?? {}), name)
    }
  })

  it('refuses orders whose total is not their items, and refunds of more than was paid', async () => {
    const wrong: [string, string, RegExp][] = [
      [
        'orders.csv',
        SHOP['orders.csv'].replace('5.00,45.00', '5.00,46.00'),
        /^SealError: orders\.order_id: .*its items/,
      ],
      [
        'refunds.csv',
        `${SHOP['refunds.csv']}4,1,2025-06-02,45.01,late\n`,
        /^SealError: refunds\.order_id: .*refunded than paid/,
      ],
      [
        'refunds.csv',
        `${SHOP['refunds.csv']}4,4,2025-06-02,1.00,late\n`,
        /^SealError: refunds\.order_id: .*refunded than paid/,
      ],
    ]
    for (const [file, text, message] of wrong)
      await assert.rejects(service.seal(PROJECT, { ...SHOP, [file]: text }), message)
  })
})
