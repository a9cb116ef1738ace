// @ts-check
import { defineFold } from 'foldgate'

/** An amount in EUR. */
const eur = (/** @type {string} */ about) => ({ type: 'DECIMAL(18,2)', about, unit: 'EUR' })

/** What each customer brought: named queries compute numbers from it. */
export const lifetimes = defineFold({
  name: 'customer_lifetimes',
  about: 'One customer, also those who never paid an order, with what they brought so far.',
  columns: {
    customer_id: 'BIGINT',
    country: { type: 'VARCHAR', about: 'Country of delivery, ISO 3166-1 alpha-2' },
    channel: { type: 'VARCHAR', about: 'How the customer first came to the shop' },
    joined_on: { type: 'DATE', about: 'Day on which the account was opened' },
    orders: { type: 'BIGINT', about: 'Paid orders; 0 for customers who never bought' },
    revenue: eur('What these orders brought, after refunds'),
    first_order_on: { type: 'DATE', about: 'Day of the first paid order, NULL without one' },
    last_order_on: { type: 'DATE', about: 'Day of the last paid order, NULL without one' },
  },
  unique: ['customer_id'],
  references: { customer_id: 'customers.customer_id' },
  measures: {
    buyers: { sql: 'count(*) FILTER (WHERE orders > 0)', about: 'Customers with a paid order' },
    revenue_per_buyer: {
      sql: 'sum(revenue) / count(*) FILTER (WHERE orders > 0)',
      about: 'What a customer with a paid order brought on average, after refunds',
      unit: 'EUR',
    },
  },
  reads: ['customers', 'paid_orders'],
  sql: `SELECT c.customer_id, c.country, c.channel, c.joined_on, count(o.order_id) AS orders,
          coalesce(sum(o.revenue), 0)::DECIMAL(18,2) AS revenue,
          min(o.placed_at)::DATE AS first_order_on, max(o.placed_at)::DATE AS last_order_on
        FROM customers c LEFT JOIN paid_orders o USING (customer_id)
        GROUP BY c.customer_id, c.country, c.channel, c.joined_on ORDER BY c.customer_id`,
})

/** Relations that are computed once per snapshot, in the order in which they read each other. */
export const folds = [
  defineFold({
    name: 'eur_refunds',
    about: 'One refund, in EUR.',
    columns: { order_id: 'BIGINT', refunded_on: 'DATE', refunded: eur('What was given back') },
    reads: ['refunds', 'orders'],
    sql: `SELECT r.order_id, r.refunded_on, round(r.amount * o.eur_rate, 2)::DECIMAL(18,2) AS refunded
          FROM refunds r JOIN orders o USING (order_id)`,
    internal: true,
  }),
  defineFold({
    name: 'paid_orders',
    about: 'One order that was paid, in EUR, with everything that was refunded of it since.',
    columns: {
      order_id: 'BIGINT',
      customer_id: 'BIGINT',
      country: { type: 'VARCHAR', about: 'Country of the customer, ISO 3166-1 alpha-2' },
      placed_at: { type: 'TIMESTAMP', about: 'When the customer ordered, in UTC' },
      units: { type: 'BIGINT', about: 'Number of items, counting each as often as it was ordered' },
      shipping: eur('Cost of delivery'),
      paid: eur('What the customer paid, shipping and taxes included'),
      refunded: eur('What was given back, whenever that was'),
      revenue: eur('paid minus refunded'),
    },
    unique: ['order_id'],
    references: { order_id: 'orders.order_id', customer_id: 'customers.customer_id' },
    reads: ['orders', 'order_items', 'customers', 'eur_refunds'],
    sql: `SELECT order_id, customer_id, country, placed_at, units,
            round(shipping * eur_rate, 2)::DECIMAL(18,2) AS shipping,
            round(total * eur_rate, 2)::DECIMAL(18,2) AS paid,
            coalesce(given_back, 0)::DECIMAL(18,2) AS refunded,
            (round(total * eur_rate, 2) - coalesce(given_back, 0))::DECIMAL(18,2) AS revenue
          FROM orders
          JOIN customers USING (customer_id)
          JOIN (SELECT order_id, sum(quantity)::BIGINT AS units FROM order_items GROUP BY order_id)
            USING (order_id)
          LEFT JOIN (SELECT order_id, sum(refunded) AS given_back FROM eur_refunds GROUP BY order_id)
            USING (order_id)
          WHERE state = 'paid' ORDER BY order_id`,
  }),
  defineFold({
    name: 'monthly_revenue',
    about: 'One month: orders paid by the day they were placed, refunds by the day they were given.',
    columns: {
      month: { type: 'DATE', about: 'First day of the month, in UTC' },
      orders: { type: 'BIGINT', about: 'Paid orders placed in the month' },
      paid: eur('What was paid for these orders'),
      refunded: eur('What was given back in the month, often for orders of earlier months'),
      revenue: eur('paid minus refunded'),
    },
    unique: ['month'],
    reads: ['paid_orders', 'eur_refunds'],
    sql: `SELECT month, coalesce(orders, 0)::BIGINT AS orders,
            coalesce(paid, 0)::DECIMAL(18,2) AS paid, coalesce(refunded, 0)::DECIMAL(18,2) AS refunded,
            (coalesce(paid, 0) - coalesce(refunded, 0))::DECIMAL(18,2) AS revenue
          FROM (SELECT date_trunc('month', placed_at)::DATE AS month, count(*) AS orders, sum(paid) AS paid
                FROM paid_orders GROUP BY month)
          FULL JOIN (SELECT date_trunc('month', refunded_on)::DATE AS month, sum(refunded) AS refunded
                     FROM eur_refunds GROUP BY month)
            USING (month)
          ORDER BY month`,
  }),
  lifetimes,
  defineFold({
    name: 'product_sales',
    about: 'One product, with what paid orders brought, before refunds: they are given for whole orders.',
    columns: {
      product_id: 'INTEGER',
      name: { type: 'VARCHAR', about: 'Name as the shop shows it' },
      category: { type: 'VARCHAR', about: 'Department of the shop' },
      // An order may have several products.
      orders: { type: 'BIGINT', about: 'Paid orders with the product', additive: false },
      units: { type: 'BIGINT', about: 'How many were sold in them' },
      sales: eur('What they were charged at, without shipping'),
      margin: eur('sales minus their cost of today'),
    },
    unique: ['product_id'],
    references: { product_id: 'products.product_id' },
    reads: ['products', 'order_items', 'orders'],
    sql: `SELECT product_id, name, category, coalesce(orders, 0)::BIGINT AS orders,
            coalesce(units, 0)::BIGINT AS units, coalesce(sales, 0)::DECIMAL(18,2) AS sales,
            (coalesce(sales, 0) - coalesce(units, 0) * cost)::DECIMAL(18,2) AS margin
          FROM products LEFT JOIN (
            SELECT i.product_id, count(DISTINCT i.order_id) AS orders, sum(i.quantity)::BIGINT AS units,
              sum(round(i.quantity * i.unit_price * o.eur_rate, 2)) AS sales
            FROM order_items i JOIN orders o USING (order_id) WHERE o.state = 'paid' GROUP BY i.product_id)
            USING (product_id)
          ORDER BY product_id`,
  }),
  defineFold({
    name: 'bought_together',
    about: 'Two products that paid orders contain together. Each pair comes once.',
    columns: {
      product_id: { type: 'INTEGER', about: 'The product with the smaller id' },
      other_product_id: { type: 'INTEGER', about: 'The product with the larger id' },
      orders: { type: 'BIGINT', about: 'Paid orders with both', additive: false },
    },
    unique: ['product_id', 'other_product_id'],
    references: { product_id: 'products.product_id', other_product_id: 'products.product_id' },
    reads: ['order_items', 'orders'],
    sql: `SELECT a.product_id, b.product_id AS other_product_id, count(DISTINCT order_id) AS orders
          FROM order_items a JOIN order_items b USING (order_id) JOIN orders o USING (order_id)
          WHERE a.product_id < b.product_id AND o.state = 'paid'
          GROUP BY a.product_id, b.product_id ORDER BY a.product_id, b.product_id`,
  }),
  defineFold({
    name: 'funnel',
    about: 'One device and step on the way to an order, with the sessions that came so far.',
    columns: {
      device: { type: 'VARCHAR', about: 'What visitors used' },
      position: { type: 'INTEGER', about: 'Order of the steps, from 1' },
      step: { type: 'VARCHAR', about: 'What happened in these sessions' },
      sessions: {
        type: 'BIGINT',
        about: 'Sessions with such an event; orders cancelled later count',
        additive: { over: ['device'] },
      },
    },
    unique: ['device', 'position'],
    values: { device: ['mobile', 'desktop', 'tablet'], step: ['view', 'basket', 'checkout', 'purchase'] },
    reads: ['events'],
    sql: `SELECT device, position, step, count(DISTINCT session_id) AS sessions
          FROM (VALUES (1, 'view'), (2, 'basket'), (3, 'checkout'), (4, 'purchase')) AS steps(position, step)
          JOIN events ON kind = step
          GROUP BY device, position, step ORDER BY device, position`,
  }),
]
