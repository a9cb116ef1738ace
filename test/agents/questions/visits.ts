import { digitsOf, groups, type Tables } from '../../check/shop/tables.js'
import type { Question } from '../question.js'

const between = (at: string | undefined, first: string, last: string) => {
  const day = (at ?? '').slice(0, 10)
  return day >= first && day <= last
}
const sessions = (events: Tables['events']) => new Set(events.map(({ session_id: id }) => id)).size
/** The sum of the quantities of items. */
const units = (items: Tables['items']) => items.reduce((sum, { quantity }) => sum + Number(quantity), 0)

/** Questions about visits and products. */
export const visitQuestions: readonly Question<Tables>[] = [
  {
    id: 'never-signed-in',
    question: 'How many customers were never signed in on the site?',
    careful: `SELECT count(*) AS customers FROM customers
WHERE customer_id NOT IN (SELECT customer_id FROM events WHERE customer_id IS NOT NULL)`,
    hurried: 'SELECT count(*) AS customers FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM events)',
    kind: 'null',
    golden: ({ customers, events }) => {
      const seen = new Set(events.map(({ customer_id: id }) => id))
      return [[customers.filter(({ customer_id: id }) => !seen.has(id)).length]]
    },
  },
  {
    id: 'not-on-tablets',
    question: 'Which products did nobody touch on a tablet in December 2025?',
    careful: `SELECT product_id FROM products p WHERE NOT EXISTS (
  SELECT 1 FROM events e WHERE e.product_id = p.product_id AND e.device = 'tablet'
    AND e.happened_at >= TIMESTAMP '2025-12-01 00:00:00' AND e.happened_at < TIMESTAMP '2026-01-01 00:00:00')
ORDER BY product_id`,
    hurried: `SELECT product_id FROM products WHERE product_id NOT IN (
  SELECT product_id FROM events WHERE device = 'tablet'
    AND happened_at >= TIMESTAMP '2025-12-01 00:00:00' AND happened_at < TIMESTAMP '2026-01-01 00:00:00')
ORDER BY product_id`,
    kind: 'null',
    golden: ({ products, events }) => {
      const own = events.filter(
        ({ device, happened_at: at }) => device === 'tablet' && between(at, '2025-12-01', '2025-12-31'),
      )
      const touched = new Set(own.map(({ product_id: id }) => id))
      return products.filter(({ product_id: id }) => !touched.has(id)).map(({ product_id: id }) => [Number(id)])
    },
  },
  {
    id: 'events-in-march',
    question: 'How many events were there in March 2025?',
    careful: `SELECT count(*) AS events FROM events
WHERE happened_at >= TIMESTAMP '2025-03-01 00:00:00' AND happened_at < TIMESTAMP '2025-04-01 00:00:00'`,
    hurried: "SELECT count(*) AS events FROM events WHERE happened_at BETWEEN DATE '2025-03-01' AND DATE '2025-03-31'",
    kind: 'midnight',
    golden: ({ events }) => [[events.filter(({ happened_at: at }) => between(at, '2025-03-01', '2025-03-31')).length]],
  },
  {
    id: 'views-until-june',
    question: 'How many times was a product looked at until the end of June 2024?',
    careful:
      "SELECT count(*) AS views FROM events WHERE kind = 'view' AND happened_at < TIMESTAMP '2024-07-01 00:00:00'",
    hurried: "SELECT count(*) AS views FROM events WHERE kind = 'view' AND happened_at <= DATE '2024-06-30'",
    kind: 'midnight',
    golden: ({ events }) => [
      [events.filter(({ kind, happened_at: at }) => kind === 'view' && between(at, '', '2024-06-30')).length],
    ],
  },
  {
    id: 'sessions-of-phones',
    question: 'How many sessions were there on mobile devices?',
    careful: "SELECT count(DISTINCT session_id) AS sessions FROM events WHERE device = 'mobile'",
    hurried: "SELECT sum(sessions) AS sessions FROM funnel WHERE device = 'mobile'",
    kind: 'additive',
    golden: ({ events }) => [[sessions(events.filter(({ device }) => device === 'mobile'))]],
  },
  {
    id: 'orders-of-kitchen',
    question: 'How many paid orders have a product of the kitchen in them?',
    careful: `SELECT count(DISTINCT o.order_id) AS orders FROM orders o
JOIN order_items i USING (order_id) JOIN products p USING (product_id)
WHERE o.state = 'paid' AND p.category = 'kitchen'`,
    hurried: "SELECT sum(orders) AS orders FROM product_sales WHERE category = 'kitchen'",
    kind: 'additive',
    golden: ({ orders, items, products }) => {
      const kitchen = new Set(products.filter(({ category }) => category === 'kitchen').map(({ product_id: id }) => id))
      const inKitchen = new Set(items.filter(item => kitchen.has(item.product_id)).map(({ order_id: id }) => id))
      return [[orders.filter(({ order_id: id, state }) => state === 'paid' && inKitchen.has(id)).length]]
    },
  },
  {
    id: 'five-products',
    question: 'Which five products were ordered most, in units, whatever became of the orders?',
    isOrdered: true,
    careful: `SELECT product_id, sum(quantity) AS units FROM order_items
GROUP BY product_id ORDER BY units DESC, product_id LIMIT 5`,
    hurried: 'SELECT product_id, sum(quantity) AS units FROM order_items GROUP BY product_id LIMIT 5',
    kind: 'limit',
    golden: ({ items }) =>
      [...groups(items, item => item.product_id)]
        .map(([id, own]) => [Number(id), units(own)] as const)
        .sort(([a, first], [b, second]) => second - first || a - b)
        .slice(0, 5),
  },
  {
    id: 'median-cost',
    question: 'What is the median of the costs of products in each category, exactly?',
    careful: `SELECT category, median(cost::DOUBLE) AS cost FROM products GROUP BY category ORDER BY category`,
    hurried: 'SELECT category, median(cost) AS cost FROM products GROUP BY category ORDER BY category',
    kind: 'truncation',
    golden: ({ products }) =>
      [...groups(products, ({ category }) => category)].map(([category, own]) => {
        const costs = own.map(({ cost }) => Number(digitsOf(cost))).sort((a, b) => a - b)
        const [below = 0, above = 0] = costs.slice(costs.length / 2 - 1) // a category has twelve
        return [category, (below + above) / 200]
      }),
  },
  {
    id: 'units-by-category',
    question: 'How many units were ordered of each category, whatever became of the orders?',
    careful: `SELECT category, sum(quantity) AS units FROM order_items JOIN products USING (product_id)
GROUP BY category ORDER BY category`,
    golden: ({ products, items }) => {
      const categoryOf = new Map(products.map(({ product_id: id, category }) => [id, category]))
      return [...groups(items, item => categoryOf.get(item.product_id))].map(([category, own]) => [
        category,
        units(own),
      ])
    },
  },
]
