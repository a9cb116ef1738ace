import { digitsOf, groups, inEur, type Row, sum, type Tables } from '../../check/shop/tables.js'
import type { Question } from '../question.js'

const paid = ({ orders }: Tables) => orders.filter(({ state }) => state === 'paid')
const eur = (order: Row) => inEur(digitsOf(order.total), order)
/** Cents as an amount. */
const amount = (cents: bigint) => Number(cents) / 100
const refunded = ({ refunds }: Tables) => new Set(refunds.map(refund => refund.order_id))
/** Groups with the most members first, those of equal size by their keys. */
const largest = <Item>(all: ReadonlyMap<string, readonly Item[]>) =>
  [...all].sort(([a, first], [b, second]) => second.length - first.length || (a < b ? -1 : 1))

/** Questions about customers, orders and refunds. */
export const sellingQuestions: readonly Question<Tables>[] = [
  {
    id: 'customers-in-germany',
    question: 'How many customers are in Germany?',
    careful: "SELECT count(*) AS customers FROM customers WHERE country = 'DE'",
    hurried: "SELECT count(*) AS customers FROM customers WHERE country = 'Germany'",
    kind: 'value',
    golden: ({ customers }) => [[customers.filter(({ country }) => country === 'DE').length]],
  },
  {
    id: 'last-month',
    question: 'How many orders were placed in the last month that the data has?',
    careful: `SELECT count(*) AS orders FROM orders
WHERE date_trunc('month', placed_at) = (SELECT max(date_trunc('month', placed_at)) FROM orders)`,
    hurried: `SELECT count(*) AS orders FROM orders
WHERE placed_at >= TIMESTAMP '2026-10-01 00:00:00' AND placed_at < TIMESTAMP '2026-11-01 00:00:00'`,
    kind: 'range',
    golden: ({ orders }) => {
      const months = orders.map(({ placed_at: at = '' }) => at.slice(0, 7))
      const last = [...months].sort().at(-1)
      return [[months.filter(month => month === last).length]]
    },
  },
  {
    id: 'paid-in-euros',
    question: 'What are the paid orders with several products worth together, in EUR, shipping included?',
    careful: `SELECT sum(round(total * eur_rate, 2)) AS eur FROM orders
WHERE state = 'paid' AND order_id IN (SELECT order_id FROM order_items GROUP BY order_id HAVING count(*) > 1)`,
    hurried: `SELECT sum(round(o.total * o.eur_rate, 2)) AS eur FROM orders o JOIN order_items i USING (order_id)
WHERE o.state = 'paid' AND o.order_id IN (SELECT order_id FROM order_items GROUP BY order_id HAVING count(*) > 1)`,
    kind: 'join',
    golden: tables => {
      const linesOf = groups(tables.items, item => item.order_id)
      const several = paid(tables).filter(order => (linesOf.get(order.order_id ?? '') ?? []).length > 1)
      return [[amount(sum(several, eur))]]
    },
  },
  {
    id: 'units-and-refunds',
    question: 'How many items had the orders with a refund, and how many refunds were given for them?',
    careful: `SELECT (SELECT sum(quantity) FROM order_items WHERE order_id IN (SELECT order_id FROM refunds)) AS units,
  (SELECT count(*) FROM refunds) AS refunds`,
    hurried: `SELECT sum(i.quantity) AS units, count(r.refund_id) AS refunds
FROM order_items i JOIN refunds r ON r.order_id = i.order_id`,
    kind: 'join',
    golden: tables => {
      const ids = refunded(tables)
      const own = tables.items.filter(({ order_id: id }) => ids.has(id))
      return [[Number(sum(own, ({ quantity = '' }) => BigInt(quantity))), tables.refunds.length]]
    },
  },
  {
    id: 'sales-in-euros',
    question: 'What is the total of all paid orders, in EUR?',
    careful: "SELECT sum(round(total * eur_rate, 2)) AS eur FROM orders WHERE state = 'paid'",
    hurried: "SELECT sum(total) AS eur FROM orders WHERE state = 'paid'",
    kind: 'unit',
    golden: tables => [[amount(sum(paid(tables), eur))]],
  },
  {
    id: 'shipping-by-channel',
    question: 'What does shipping cost on average, in EUR, by the channel that the customer came by?',
    careful: `SELECT channel, avg(round(shipping * eur_rate, 2)) AS eur
FROM orders JOIN customers USING (customer_id) GROUP BY channel ORDER BY channel`,
    hurried: `SELECT channel, avg(shipping) AS eur
FROM orders JOIN customers USING (customer_id) GROUP BY channel ORDER BY channel`,
    kind: 'unit',
    golden: ({ orders, customers }) => {
      const channelOf = new Map(customers.map(({ customer_id: id, channel = '' }) => [id, channel]))
      return [...groups(orders, ({ customer_id: id }) => channelOf.get(id))].map(([channel, own]) => {
        const cents = sum(own, order => inEur(digitsOf(order.shipping), order))
        return [channel, amount(cents) / own.length]
      })
    },
  },
  {
    id: 'three-countries',
    question: 'Which three countries have the most customers, and how many?',
    isOrdered: true,
    careful: `SELECT country, count(*) AS customers FROM customers
GROUP BY country ORDER BY customers DESC, country LIMIT 3`,
    hurried: 'SELECT country, count(*) AS customers FROM customers GROUP BY country LIMIT 3',
    kind: 'limit',
    golden: ({ customers }) =>
      largest(groups(customers, ({ country }) => country))
        .slice(0, 3)
        .map(([country, own]) => [country, own.length]),
  },
  {
    id: 'blocks-of-customers',
    question:
      'How many orders came from customers 0 to 99, 100 to 199, and so on? Name the first number of each hundred.',
    careful: 'SELECT customer_id // 100 * 100 AS first, count(*) AS orders FROM orders GROUP BY first ORDER BY first',
    hurried: 'SELECT customer_id / 100 * 100 AS first, count(*) AS orders FROM orders GROUP BY first ORDER BY first',
    kind: 'truncation',
    golden: ({ orders }) =>
      [...groups(orders, ({ customer_id: id }) => String(Math.floor(Number(id) / 100) * 100))].map(([first, own]) => [
        Number(first),
        own.length,
      ]),
  },
  {
    id: 'refunds-in-march',
    question: 'How many refunds were given from March to May 2025, both included?',
    careful:
      "SELECT count(*) AS refunds FROM refunds WHERE refunded_on BETWEEN DATE '2025-03-01' AND DATE '2025-05-31'",
    golden: ({ refunds }) => [
      [refunds.filter(({ refunded_on: on = '' }) => on >= '2025-03-01' && on <= '2025-05-31').length],
    ],
  },
  {
    id: 'totals-by-currency',
    question: 'What do paid orders add up to in each currency?',
    careful: `SELECT currency, sum(total) AS total FROM orders WHERE state = 'paid' GROUP BY currency ORDER BY currency`,
    golden: tables =>
      [...groups(paid(tables), ({ currency }) => currency)].map(([currency, own]) => [
        currency,
        amount(sum(own, ({ total }) => digitsOf(total))),
      ]),
  },
  {
    id: 'pounds',
    question: 'What do paid orders in pounds add up to, in pounds?',
    careful: "SELECT sum(total) AS gbp FROM orders WHERE state = 'paid' AND currency = 'GBP'",
    golden: tables => [
      [
        amount(
          sum(
            paid(tables).filter(({ currency }) => currency === 'GBP'),
            ({ total }) => digitsOf(total),
          ),
        ),
      ],
    ],
  },
  {
    id: 'customers-without-orders',
    question: 'How many customers have never placed an order, whatever became of it?',
    careful: 'SELECT count(*) AS customers FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)',
    golden: ({ customers, orders }) => {
      const buyers = new Set(orders.map(({ customer_id: id }) => id))
      return [[customers.filter(({ customer_id: id }) => !buyers.has(id)).length]]
    },
  },
]
