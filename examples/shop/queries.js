// @ts-check
import { defineQuery, measureOf } from 'foldgate'
import { lifetimes } from './folds.js'

/** An amount in EUR, added up. */
const eur = (/** @type {string} */ about) => ({ type: 'DECIMAL(38,2)', about, unit: 'EUR' })

const since = { type: 'DATE', about: 'First day that counts', default: '2024-01-01' }
const before = { type: 'DATE', about: 'Day after the last one that counts; NULL for no end', default: null }

/** What customers and partners ask again and again. They call these by name, and send no SQL. */
export const queries = [
  // Version 1 took no "before".
  defineQuery({
    name: 'revenue_by_month',
    version: 2,
    about: 'What did we earn in each month, after the refunds given in that month?',
    parameters: { since, before },
    columns: {
      month: { type: 'DATE', about: 'First day of the month, in UTC' },
      orders: { type: 'BIGINT', about: 'Paid orders placed in the month' },
      paid: { type: 'DECIMAL(18,2)', about: 'What was paid for these orders', unit: 'EUR' },
      refunded: { type: 'DECIMAL(18,2)', about: 'What was given back in the month', unit: 'EUR' },
      revenue: { type: 'DECIMAL(18,2)', about: 'paid minus refunded', unit: 'EUR' },
    },
    sql: `SELECT month, orders, paid, refunded, revenue FROM monthly_revenue
          WHERE month >= $since AND ($before IS NULL OR month < $before) ORDER BY month`,
  }),
  defineQuery({
    name: 'orders_of_customer',
    version: 1,
    about: 'What has a customer ordered, and what became of it?',
    parameters: { customer: { type: 'BIGINT', about: 'Number of the customer' } },
    columns: {
      order_id: { type: 'BIGINT', about: 'Number of the order' },
      placed_at: { type: 'TIMESTAMP', about: 'When the customer ordered, in UTC' },
      state: { type: 'VARCHAR', about: 'open: not paid yet; paid; cancelled: never paid' },
      currency: { type: 'VARCHAR', about: 'Currency of total and refunded, ISO 4217' },
      total: { type: 'DECIMAL(12,2)', about: 'Items and shipping, taxes included', unit: 'currency' },
      refunded: { type: 'DECIMAL(38,2)', about: 'What was given back since', unit: 'currency' },
    },
    sql: `SELECT o.order_id, o.placed_at, o.state, o.currency, o.total, coalesce(r.refunded, 0) AS refunded
          FROM orders o
          LEFT JOIN (SELECT order_id, sum(amount) AS refunded FROM refunds GROUP BY order_id) r
            ON r.order_id = o.order_id
          WHERE o.customer_id = $customer ORDER BY o.order_id`,
  }),
  defineQuery({
    name: 'best_products',
    version: 1,
    about: 'Which products have earned the most, before refunds?',
    parameters: {
      category: {
        type: 'VARCHAR',
        about: 'Department of the shop; NULL for all',
        values: ['kitchen', 'garden', 'office', 'outdoors'],
        default: null,
      },
      least_units: { type: 'INTEGER', about: 'Fewest that were sold', default: 1 },
    },
    columns: {
      product_id: { type: 'INTEGER', about: 'Number of the product' },
      name: { type: 'VARCHAR', about: 'Name as the shop shows it' },
      units: { type: 'BIGINT', about: 'How many were sold' },
      sales: { type: 'DECIMAL(18,2)', about: 'What they were charged at, without shipping', unit: 'EUR' },
      margin: { type: 'DECIMAL(18,2)', about: 'sales minus their cost of today', unit: 'EUR' },
    },
    sql: `SELECT product_id, name, units, sales, margin FROM product_sales
          WHERE ($category IS NULL OR category = $category) AND units >= $least_units
          ORDER BY margin DESC, product_id`,
  }),
  defineQuery({
    name: 'refunds_by_reason',
    version: 1,
    about: 'What are refunds given for?',
    parameters: { since, before },
    columns: {
      reason: { type: 'VARCHAR', about: 'Why the customer sent something back' },
      refunds: { type: 'BIGINT', about: 'How many were given; an order may have several' },
      orders: { type: 'BIGINT', about: 'Orders that they were given for' },
      refunded: eur('What was given back'),
    },
    sql: `SELECT reason, count(*) AS refunds, count(DISTINCT order_id) AS orders,
            sum(round(amount * eur_rate, 2)::DECIMAL(18,2)) AS refunded
          FROM refunds JOIN orders USING (order_id)
          WHERE refunded_on >= $since AND ($before IS NULL OR refunded_on < $before)
          GROUP BY reason ORDER BY refunded DESC, reason`,
  }),
  defineQuery({
    name: 'value_by_country',
    version: 1,
    about: 'What do the customers of each country bring, also those who never bought?',
    parameters: {
      channels: {
        type: 'VARCHAR[]',
        about: 'How the customers first came: any of these',
        default: ['search', 'advertising', 'recommendation', 'newsletter'],
      },
    },
    columns: {
      country: { type: 'VARCHAR', about: 'Country of delivery, ISO 3166-1 alpha-2' },
      customers: { type: 'BIGINT', about: 'All customers' },
      buyers: { type: 'BIGINT', about: 'Those with a paid order' },
      revenue: eur('What they brought, after refunds'),
    },
    sql: `SELECT country, count(*) AS customers, ${measureOf(lifetimes, 'buyers')} AS buyers,
            sum(revenue) AS revenue
          FROM customer_lifetimes WHERE list_contains($channels, channel)
          GROUP BY country ORDER BY revenue DESC, country`,
  }),
  defineQuery({
    name: 'funnel_by_step',
    version: 1,
    about: 'At which step do visitors leave?',
    parameters: {
      device: { type: 'VARCHAR', about: 'What visitors used', values: ['mobile', 'desktop', 'tablet'] },
    },
    columns: {
      step: { type: 'VARCHAR', about: 'What happened: view, basket, checkout or purchase' },
      sessions: { type: 'BIGINT', about: 'Sessions that came so far' },
    },
    sql: 'SELECT step, sessions FROM funnel WHERE device = $device ORDER BY position',
  }),
]
