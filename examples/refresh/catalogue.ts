import { defineCatalogue, defineFold, defineTable } from 'foldgate'

const customers = defineTable({
  name: 'customers',
  about: 'A customer with an account, who may never have ordered.',
  columns: {
    customer_id: 'BIGINT',
    name: 'VARCHAR',
    country: { type: 'VARCHAR', about: 'Country of delivery, ISO 3166-1 alpha-2' },
    joined_on: { type: 'DATE', about: 'Day on which the account was opened' },
  },
  required: ['customer_id', 'name', 'country', 'joined_on'],
  unique: ['customer_id'],
})

const orders = defineTable({
  name: 'orders',
  about: 'An order of a customer.',
  columns: {
    order_id: 'BIGINT',
    customer_id: 'BIGINT',
    placed_at: { type: 'TIMESTAMP WITH TIME ZONE', about: 'When the customer ordered' },
    state: { type: 'VARCHAR', about: 'open: not paid yet; paid; cancelled: never paid' },
  },
  required: ['order_id', 'customer_id', 'placed_at', 'state'],
  unique: ['order_id'],
  references: { customer_id: 'customers.customer_id' },
  values: { state: ['open', 'paid', 'cancelled'] },
})

const orderLines = defineTable({
  name: 'order_lines',
  about: 'One product of an order.',
  columns: {
    order_id: 'BIGINT',
    line: { type: 'INTEGER', about: 'Position in the order, from 1' },
    product: 'VARCHAR',
    quantity: { type: 'INTEGER', about: 'How many of the product' },
    price: { type: 'DECIMAL(10,2)', about: 'What one was charged at, taxes included', unit: 'EUR' },
  },
  required: ['order_id', 'line', 'product', 'quantity', 'price'],
  unique: ['order_id', 'line'],
  references: { order_id: 'orders.order_id' },
  ranges: { line: { least: 1 }, quantity: { least: 1 }, price: { least: 0 } },
})

const revenue = defineFold({
  name: 'revenue',
  about: 'One country: its paid orders, and what they brought.',
  columns: {
    country: { type: 'VARCHAR', about: 'Country of delivery, ISO 3166-1 alpha-2' },
    orders: { type: 'BIGINT', about: 'Paid orders' },
    revenue: { type: 'DECIMAL(18,2)', about: 'What was paid for them, taxes included', unit: 'EUR' },
  },
  unique: ['country'],
  reads: ['customers', 'orders', 'order_lines'],
  sql: `SELECT country, count(DISTINCT order_id) AS orders, sum(quantity * price)::DECIMAL(18,2) AS revenue
        FROM orders JOIN customers USING (customer_id) JOIN order_lines USING (order_id)
        WHERE state = 'paid' GROUP BY country ORDER BY country`,
})

/** What each tenant may query, of its own rows. */
export const catalogue = defineCatalogue({
  relations: [customers, orders, orderLines, revenue],
  examples: [
    { question: 'Where do customers live who pay most?', sql: 'SELECT * FROM revenue ORDER BY revenue DESC' },
  ],
})
