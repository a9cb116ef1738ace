// @ts-check
import { defineCatalogue, defineRule, defineTable } from 'foldgate'
import { folds } from './folds.js'
import { queries } from './queries.js'
import { questions } from './questions.js'

const customers = defineTable({
  name: 'customers',
  about: 'A customer with an account, who may never have ordered.',
  columns: {
    customer_id: 'BIGINT',
    joined_on: { type: 'DATE', about: 'Day on which the account was opened' },
    country: { type: 'VARCHAR', about: 'Country of delivery, ISO 3166-1 alpha-2' },
    channel: { type: 'VARCHAR', about: 'How the customer first came to the shop' },
    newsletter: { type: 'BOOLEAN', about: 'Whether the customer wants the newsletter' },
  },
  required: ['customer_id', 'joined_on', 'country', 'channel', 'newsletter'],
  unique: ['customer_id'],
  values: { channel: ['search', 'advertising', 'recommendation', 'newsletter'] },
  rowLimits: { channel: 'channel' },
})

const products = defineTable({
  name: 'products',
  about: 'A product, at its price and cost of today. What was charged is in order_items.',
  columns: {
    product_id: 'INTEGER',
    name: { type: 'VARCHAR', about: 'Name as the shop shows it' },
    category: { type: 'VARCHAR', about: 'Department of the shop' },
    price: { type: 'DECIMAL(10,2)', about: 'List price of today, taxes included', unit: 'EUR' },
    cost: { type: 'DECIMAL(10,2)', about: 'What the shop pays for one today', unit: 'EUR' },
  },
  required: ['product_id', 'name', 'category', 'price', 'cost'],
  unique: ['product_id'],
  values: { category: ['kitchen', 'garden', 'office', 'outdoors'] },
  rowLimits: 'none',
})

const orders = defineTable({
  name: 'orders',
  about: 'An order, paid or not, in the currency of the customer. Refunds are not subtracted.',
  columns: {
    order_id: 'BIGINT',
    customer_id: 'BIGINT',
    placed_at: { type: 'TIMESTAMP', about: 'When the customer ordered, in UTC' },
    state: {
      type: 'VARCHAR',
      about: 'open: not paid yet; paid: also if it was refunded later; cancelled: never paid',
    },
    currency: { type: 'VARCHAR', about: 'Currency of all amounts of the order, ISO 4217' },
    eur_rate: { type: 'DECIMAL(8,4)', about: 'EUR for one unit of the currency in the month of the order' },
    shipping: {
      type: 'DECIMAL(10,2)',
      about: 'Cost of delivery, part of the total',
      unit: { column: 'currency' },
    },
    total: {
      type: 'DECIMAL(12,2)',
      about: 'Items and shipping, taxes included. Multiply by eur_rate before adding up orders.',
      unit: { column: 'currency' },
    },
  },
  required: ['order_id', 'customer_id', 'placed_at', 'state', 'currency', 'eur_rate', 'shipping', 'total'],
  unique: ['order_id'],
  references: { customer_id: 'customers.customer_id' },
  ranges: { eur_rate: { least: 0.0001 }, shipping: { least: 0 }, total: { least: 0 } },
  values: { state: ['open', 'paid', 'cancelled'], currency: ['EUR', 'GBP', 'USD', 'CHF'] },
  rowLimits: { channel: { through: 'customer_id' } },
})

const orderItems = defineTable({
  name: 'order_items',
  about: 'One product of an order: an order has one row per product, so joining repeats its total.',
  columns: {
    order_id: 'BIGINT',
    line: { type: 'INTEGER', about: 'Position in the order, from 1' },
    product_id: 'INTEGER',
    quantity: { type: 'INTEGER', about: 'How many of the product' },
    unit_price: {
      type: 'DECIMAL(10,2)',
      about: 'What one was charged at, taxes included',
      unit: 'currency of the order',
    },
  },
  required: ['order_id', 'line', 'product_id', 'quantity', 'unit_price'],
  unique: ['order_id', 'line'],
  references: { order_id: 'orders.order_id', product_id: 'products.product_id' },
  ranges: { line: { least: 1 }, quantity: { least: 1 }, unit_price: { least: 0 } },
  rowLimits: { channel: { through: 'order_id' } },
})

const refunds = defineTable({
  name: 'refunds',
  about: 'Money given back for a paid order, in whole or in part. An order may have several.',
  columns: {
    refund_id: 'BIGINT',
    order_id: 'BIGINT',
    refunded_on: { type: 'DATE', about: 'Day of the refund, up to a month after the order' },
    amount: { type: 'DECIMAL(12,2)', about: 'What was given back', unit: 'currency of the order' },
    reason: { type: 'VARCHAR', about: 'Why the customer sent something back' },
  },
  required: ['refund_id', 'order_id', 'refunded_on', 'amount', 'reason'],
  unique: ['refund_id'],
  references: { order_id: 'orders.order_id' },
  ranges: { amount: { least: 0.01 } },
  values: { reason: ['damaged', 'wrong item', 'late', 'changed mind'] },
  rowLimits: { channel: { through: 'order_id' } },
})

const events = defineTable({
  name: 'events',
  about: 'Something that a visitor did on the site. Most visitors never buy.',
  columns: {
    event_id: 'BIGINT',
    session_id: { type: 'BIGINT', about: 'The visit; one visitor may have many' },
    customer_id: {
      type: 'BIGINT',
      about: 'The customer who was signed in. NULL for guests, and for customers until they sign in.',
    },
    happened_at: { type: 'TIMESTAMP', about: 'When it happened, in UTC' },
    device: { type: 'VARCHAR', about: 'What the visitor used; the same throughout a session' },
    kind: {
      type: 'VARCHAR',
      about: 'view: looked at a product; basket: put it in the basket; checkout; purchase: placed an order',
    },
    product_id: { type: 'INTEGER', about: 'The product of a view or basket, else NULL' },
    order_id: { type: 'BIGINT', about: 'The order of a purchase, which may be cancelled since; else NULL' },
  },
  required: ['event_id', 'session_id', 'happened_at', 'device', 'kind'],
  unique: ['event_id'],
  references: {
    customer_id: 'customers.customer_id',
    product_id: 'products.product_id',
    order_id: 'orders.order_id',
  },
  values: {
    device: ['mobile', 'desktop', 'tablet'],
    kind: ['view', 'basket', 'checkout', 'purchase'],
  },
  rowLimits: { channel: { through: 'customer_id' } },
})

const rules = [
  defineRule({
    table: 'orders',
    column: 'order_id',
    reads: ['order_items'],
    wrong: `SELECT o.order_id FROM orders o LEFT JOIN order_items i USING (order_id) GROUP BY o.order_id
            HAVING any_value(o.total - o.shipping) IS DISTINCT FROM sum(i.quantity * i.unit_price)`,
    message: 'an order whose total is not its items and its shipping',
  }),
  defineRule({
    table: 'refunds',
    column: 'order_id',
    reads: ['orders'],
    wrong: `SELECT order_id FROM refunds JOIN orders USING (order_id) GROUP BY order_id
            HAVING sum(amount) > any_value(total) OR any_value(state) <> 'paid'`,
    message: 'an order of which more was refunded than paid',
  }),
]

/** What the customers and partners of a shop may query. A partner may be limited to customers that it has brought. */
export default defineCatalogue({
  rowLimits: { channel: { type: 'VARCHAR', about: 'How customers came to the shop' } },
  relations: [customers, products, orders, orderItems, refunds, events, ...folds],
  rules,
  examples: questions,
  queries,
})
