// @ts-check
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCustomer, makeProducts, makeSession } from './rows.js'

const MOST_EVENTS = 5_000_000
const EVENTS_PER_CUSTOMER = 40
const BUFFERED_CHARACTERS = 1_000_000

/** A file of comma-separated rows, which is written in pieces. No value contains a comma. */
class Table {
  rows = 0
  #text
  #file

  /** @param {string} folder @param {string} name @param {string} columns */
  constructor(folder, name, columns) {
    this.name = name
    this.#file = openSync(join(folder, `${name}.csv`), 'w')
    this.#text = `${columns.replaceAll(' ', ',')}\n`
  }

  /** @param {(string | number | boolean | null)[]} values */
  add(...values) {
    this.rows++
    this.#text += `${values.join(',')}\n` // null becomes nothing
    if (this.#text.length > BUFFERED_CHARACTERS) this.#flush()
  }

  close() {
    this.#flush()
    closeSync(this.#file)
  }

  #flush() {
    writeFileSync(this.#file, this.#text)
    this.#text = ''
  }
}

/** Hundredths, or with 4 digits ten-thousandths, as a decimal: 1290 is 12.90. @param {number} value */
function decimal(value, digits = 2) {
  const text = String(value).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/**
 * Writes the tables of a shop as CSV files, and returns how many rows each has. The same events and seed make
 * the same bytes on every machine. Memory stays the same for any number of events.
 * @param {object} options
 * @param {string} options.folder created when missing
 * @param {number} [options.events] 100 to 5,000,000
 * @param {number} [options.seed]
 */
export function writeTables({ folder, events: most = 20_000, seed = 1 }) {
  if (!Number.isInteger(most) || most < 100 || most > MOST_EVENTS)
    throw new RangeError(`events must be a whole number from 100 to ${MOST_EVENTS}`)
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff)
    throw new RangeError('seed must be a whole number from 0 to 4294967295')
  mkdirSync(folder, { recursive: true })
  const table = (/** @type {string} */ name, /** @type {string} */ columns) =>
    new Table(folder, name, columns)
  const customers = table('customers', 'customer_id joined_on country channel newsletter')
  const products = table('products', 'product_id name category price cost')
  const orders = table('orders', 'order_id customer_id placed_at state currency eur_rate shipping total')
  const items = table('order_items', 'order_id line product_id quantity unit_price')
  const refunds = table('refunds', 'refund_id order_id refunded_on amount reason')
  const events = table(
    'events',
    'event_id session_id customer_id happened_at device kind product_id order_id',
  )

  const count = Math.ceil(most / EVENTS_PER_CUSTOMER)
  for (let index = 0; index < count; index++) {
    const { customerId, joinedOn, country, channel, newsletter } = makeCustomer(seed, index, count)
    customers.add(customerId, joinedOn, country, channel, newsletter)
  }
  const goods = makeProducts(seed)
  for (const { productId, name, category, price, cost } of goods)
    products.add(productId, name, category, decimal(price), decimal(cost))

  for (let index = 0; events.rows < most; index++) {
    const progress = events.rows / most
    const session = makeSession({ seed, index, progress, customers: count, products: goods })
    const left = most - events.rows
    const order = session.events.length <= left ? session.order : null
    if (order) writeOrder(order)
    for (const { kind, at, customerId, productId } of session.events.slice(0, left)) {
      const orderId = kind === 'purchase' ? orders.rows : null
      events.add(events.rows + 1, index + 1, customerId, at, session.device, kind, productId, orderId)
    }
  }

  /** @param {NonNullable<ReturnType<typeof makeSession>['order']>} order */
  function writeOrder({ customerId, placedAt, state, currency, rate, shipping, total, ...parts }) {
    const orderId = orders.rows + 1
    orders.add(
      orderId,
      customerId,
      placedAt,
      state,
      currency,
      decimal(rate, 4),
      decimal(shipping),
      decimal(total),
    )
    for (const [index, { productId, quantity, unitPrice }] of parts.items.entries())
      items.add(orderId, index + 1, productId, quantity, decimal(unitPrice))
    for (const { refundedOn, amount, reason } of parts.refunds)
      refunds.add(refunds.rows + 1, orderId, refundedOn, decimal(amount), reason)
  }

  const tables = [customers, products, orders, items, refunds, events]
  for (const each of tables) each.close()
  return Object.fromEntries(tables.map(({ name, rows }) => [name, rows]))
}
