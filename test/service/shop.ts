import shop from '../../examples/shop/catalogue.js'
import { questions } from '../../examples/shop/questions.js'
import type { Vendor } from './vendors.js'

export { shop }

/**
 * Four customers, of whom 1 and 2 bought and 3 cancelled. Order 2 is in GBP and was refunded twice; order 3 was refunded
 * as a whole in the month after it.
 */
export const SHOP = {
  'customers.csv': `customer_id,joined_on,country,channel,newsletter
1,2025-01-05,DE,search,true
2,2025-02-01,GB,advertising,false
3,2025-03-10,DE,recommendation,true
4,2025-04-01,CH,newsletter,false
`,
  'products.csv': `product_id,name,category,price,cost
1,Kettle,kitchen,20.00,8.00
2,Tent,outdoors,100.00,60.00
3,Spade,garden,15.00,5.00
`,
  'orders.csv': `order_id,customer_id,placed_at,state,currency,eur_rate,shipping,total
1,1,2025-05-03 10:00:00,paid,EUR,1.0000,5.00,45.00
2,2,2025-05-20 18:30:00,paid,GBP,1.2000,0.00,100.00
3,1,2025-06-01 09:15:00,paid,EUR,1.0000,0.00,100.00
4,3,2025-06-02 12:00:00,cancelled,EUR,1.0000,5.00,25.00
5,2,2025-06-30 23:59:59,open,GBP,1.2500,0.00,80.00
`,
  'order_items.csv': `order_id,line,product_id,quantity,unit_price
1,1,1,2,20.00
2,1,2,1,80.00
2,2,1,1,20.00
3,1,2,1,100.00
4,1,1,1,20.00
5,1,2,1,80.00
`,
  'refunds.csv': `refund_id,order_id,refunded_on,amount,reason
1,2,2025-06-05,20.00,damaged
2,2,2025-06-09,10.00,late
3,3,2025-07-01,100.00,changed mind
`,
  'events.csv': `event_id,session_id,customer_id,happened_at,device,kind,product_id,order_id
1,1,,2025-05-03 09:50:00,desktop,view,1,
2,1,,2025-05-03 09:52:00,desktop,basket,1,
3,1,1,2025-05-03 09:58:00,desktop,checkout,,
4,1,1,2025-05-03 10:00:00,desktop,purchase,,1
5,2,,2025-05-04 20:00:00,mobile,view,2,
6,3,3,2025-05-05 08:00:00,mobile,view,2,
7,3,3,2025-05-05 08:01:00,mobile,view,1,
8,3,3,2025-05-05 08:02:00,mobile,basket,1,
`,
}

/** The vendor of the shop. What it answers is written down here, not taken from the example. */
export const SHOP_VENDOR: Vendor = {
  name: 'a shop',
  catalogue: shop,
  files: SHOP,
  folds: [
    ['paid_orders', 'One order that was paid, in EUR, with everything that was refunded of it since.'],
    ['monthly_revenue', 'One month: orders paid by the day they were placed, refunds by the day they were given.'],
    ['customer_lifetimes', 'One customer, also those who never paid an order, with what they brought so far.'],
    ['product_sales', 'One product, with what paid orders brought, before refunds: they are given for whole orders.'],
    ['bought_together', 'Two products that paid orders contain together. Each pair comes once.'],
    ['funnel', 'One device and step on the way to an order, with the sessions that came so far.'],
  ],
  tables: ['customers', 'products', 'orders', 'order_items', 'refunds', 'events'],
  examples: questions,
  columns: {
    monthly_revenue: [
      ['month', 'DATE'],
      ['orders', 'BIGINT'],
      ['paid', 'DECIMAL(18,2)'],
      ['refunded', 'DECIMAL(18,2)'],
      ['revenue', 'DECIMAL(18,2)'],
    ],
    refunds: [
      ['refund_id', 'BIGINT'],
      ['order_id', 'BIGINT'],
      ['refunded_on', 'DATE'],
      ['amount', 'DECIMAL(12,2)'],
      ['reason', 'VARCHAR'],
    ],
    bought_together: [
      ['product_id', 'INTEGER'],
      ['other_product_id', 'INTEGER'],
      ['orders', 'BIGINT'],
    ],
  },
  fold: { name: 'monthly_revenue', misspelt: 'monthly_revenu', rows: 3, other: 'funnel' },
  table: {
    name: 'refunds',
    misspelt: 'refund',
    rows: 3,
    text: 'reason',
    values: "(4, 1, DATE '2025-07-01', 1.00, 'late')",
  },
  empty: 'SELECT reason FROM refunds WHERE amount > 1000',
  statements: [
    ['SELECT', 'SELECT reason FROM refunds WHERE amount < 15', [{ reason: 'late' }]],
    ['WITH', 'WITH big AS (SELECT amount AS a FROM refunds WHERE amount > 50) SELECT a FROM big', [{ a: 100 }]],
    ['FROM first', 'FROM refunds SELECT count(*) AS n', [{ n: 3 }]],
    ['a subquery', 'SELECT (SELECT max(amount) FROM refunds) AS most', [{ most: 100 }]],
  ],
  single: {
    files: value => ({
      'refunds.csv': `refund_id,order_id,refunded_on,amount,reason\n1,1,2025-06-01,${value}.00,late\n`,
    }),
    sql: 'SELECT amount FROM refunds',
    column: 'amount',
  },
  notReady: {
    running: /^A snapshot of the project is being prepared\. Retry later\.$/,
    never: /^No snapshot of the project has been sealed yet\.$/,
    unreadable: /this version can read\. A new snapshot has to be sealed\.$/,
  },
}
