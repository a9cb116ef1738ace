import type { Case } from '../entry/case.js'
import { named } from './named.js'

/** Queries of the shop, with values and rows worked out by hand from its package. */
const ANSWERS: [called: string, parameters: Record<string, unknown>, rows: Record<string, unknown>[]][] = [
  [
    'revenue_by_month',
    {},
    [
      { month: '2025-05-01', orders: 2, paid: 165, refunded: 0, revenue: 165 },
      { month: '2025-06-01', orders: 1, paid: 100, refunded: 36, revenue: 64 },
      { month: '2025-07-01', orders: 0, paid: 0, refunded: 100, revenue: -100 },
    ],
  ],
  [
    'revenue_by_month@2',
    { since: '2025-06-01', before: '2025-07-01' },
    [{ month: '2025-06-01', orders: 1, paid: 100, refunded: 36, revenue: 64 }],
  ],
  [
    'orders_of_customer',
    { customer: 2 },
    [
      { order_id: 2, placed_at: '2025-05-20T18:30:00', state: 'paid', currency: 'GBP', total: 100, refunded: 30 },
      { order_id: 5, placed_at: '2025-06-30T23:59:59', state: 'open', currency: 'GBP', total: 80, refunded: 0 },
    ],
  ],
  ['orders_of_customer@1', { customer: '4' }, []],
  [
    'best_products',
    {},
    [
      { product_id: 2, name: 'Tent', units: 2, sales: 196, margin: 76 },
      { product_id: 1, name: 'Kettle', units: 3, sales: 64, margin: 40 },
    ],
  ],
  [
    'best_products',
    { category: 'garden', least_units: 0 },
    [{ product_id: 3, name: 'Spade', units: 0, sales: 0, margin: 0 }],
  ],
  [
    'refunds_by_reason',
    { before: '2025-07-01' },
    [
      { reason: 'damaged', refunds: 1, orders: 1, refunded: 24 },
      { reason: 'late', refunds: 1, orders: 1, refunded: 12 },
    ],
  ],
  [
    'value_by_country',
    {},
    [
      { country: 'GB', customers: 1, buyers: 1, revenue: 84 },
      { country: 'DE', customers: 2, buyers: 1, revenue: 45 },
      { country: 'CH', customers: 1, buyers: 0, revenue: 0 },
    ],
  ],
  ['value_by_country', { channels: ['recommendation'] }, [{ country: 'DE', customers: 1, buyers: 0, revenue: 0 }]],
  [
    'funnel_by_step',
    { device: 'mobile' },
    [
      { step: 'view', sessions: 2 },
      { step: 'basket', sessions: 1 },
    ],
  ],
]

/** Named queries of the shop. */
export const shopQueryCases: Case[] = [
  ...ANSWERS.map(([called, parameters, items]) =>
    named(`answers ${called} with ${JSON.stringify(parameters)}`, called, {
      rules: ['named-1', 'named-2', 'named-4'],
      params: { parameters },
      expect: { items, more: false },
    }),
  ),
  named('names the version to call instead of one that was removed', 'revenue_by_month@1', {
    rules: ['named-3', 'class: NOT_FOUND'],
    expect: { class: 'NOT_FOUND', message: /Call revenue_by_month@2\.$/ },
  }),
  named('reads no point of view', 'funnel_by_step', {
    rules: ['named-4', 'envelope-3'],
    params: { parameters: { device: 'tablet' }, entityId: 'no UUID', ownershipView: 5 },
    expect: { items: [], warnings: ['entityId', 'ownershipView'] },
  }),
]
