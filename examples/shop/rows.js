// @ts-check

/** The time that orders and events are from; accounts are opened from a year earlier on. */
const START = Date.UTC(2024, 0, 1)
const END = Date.UTC(2026, 0, 1)
const FIRST_ACCOUNT = Date.UTC(2023, 0, 1)
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Tells apart the draws for customers, sessions and so on. */
const [CUSTOMER, PRODUCT, SESSION, ORDER, RATE] = [1, 2, 3, 4, 5]

const COUNTRIES = ['DE', 'DE', 'DE', 'FR', 'FR', 'ES', 'IT', 'NL', 'GB', 'GB', 'US', 'US', 'CH']
const CHANNELS = ['search', 'search', 'advertising', 'recommendation', 'newsletter']
const DEVICES = ['mobile', 'mobile', 'mobile', 'desktop', 'desktop', 'tablet']
const REASONS = ['damaged', 'wrong item', 'late', 'changed mind', 'changed mind']
/** Currencies of countries outside the euro, with EUR for 10,000 units. */
const CURRENCIES = new Map([
  ['GB', { currency: 'GBP', rate: 11_700 }],
  ['US', { currency: 'USD', rate: 9_200 }],
  ['CH', { currency: 'CHF', rate: 10_500 }],
])
const GOODS = {
  kitchen: ['kettle', 'pan', 'teapot', 'bread knife', 'mixing bowl', 'scales'],
  garden: ['watering can', 'spade', 'hammock', 'lantern', 'planter', 'bird table'],
  office: ['desk lamp', 'chair', 'notebook', 'letter tray', 'shelf', 'whiteboard'],
  outdoors: ['tent', 'sleeping bag', 'flask', 'head torch', 'rucksack', 'camp stove'],
}

/**
 * Draws whole numbers that depend on nothing but the numbers given. It uses 32-bit integers alone, so that
 * every machine draws the same.
 * @param {...number} from
 */
function drawFrom(...from) {
  let state = 0x9e3779b9
  for (const number of from) state = mix(state ^ number)
  return (/** @type {number} */ below) => {
    state = (state + 0x6d2b79f5) | 0
    return (mix(state) >>> 0) % below
  }
}

/** @param {number} number */
function mix(number) {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/**
 * @template Item
 * @param {(below: number) => number} draw
 * @param {readonly Item[]} items
 */
const pick = (draw, items) => /** @type {Item} */ (items[draw(items.length)])

/**
 * The products, in the order of their ids. Prices and costs are in cents.
 * @param {number} seed
 */
export function makeProducts(seed) {
  const names = Object.entries(GOODS).flatMap(([category, goods]) =>
    goods.flatMap(good => [`Small ${good}`, `Large ${good}`].map(name => ({ category, name }))),
  )
  return names.map(({ category, name }, index) => {
    const draw = drawFrom(seed, PRODUCT, index >> 1) // the small and the large one draw the same
    const price = 100 * (5 + draw(20) * draw(8)) * (1 + (index % 2)) + 90
    return { productId: index + 1, name, category, price, cost: Math.round((price * (35 + draw(30))) / 100) }
  })
}

/**
 * One of `count` customers. Accounts are opened in the order of ids, evenly over three years.
 * @param {number} seed
 * @param {number} index from 0
 * @param {number} count
 */
export function makeCustomer(seed, index, count) {
  const draw = drawFrom(seed, CUSTOMER, index)
  return {
    customerId: index + 1,
    joinedOn: day(FIRST_ACCOUNT + Math.floor(((END - FIRST_ACCOUNT) * index) / count)),
    country: pick(draw, COUNTRIES),
    channel: pick(draw, CHANNELS),
    newsletter: draw(3) === 0,
    isBuyer: draw(10) < 6,
  }
}

/**
 * A visit: what happened in it, and the order that it ends with, if any.
 * @param {object} visit
 * @param {number} visit.seed
 * @param {number} visit.index from 0
 * @param {number} visit.progress how much of the time is over when it begins, 0 to 1
 * @param {number} visit.customers number of customers
 * @param {ReturnType<typeof makeProducts>} visit.products
 */
export function makeSession({ seed, index, progress, customers, products }) {
  const draw = drawFrom(seed, SESSION, index)
  let at = START + Math.floor((END - START - HOUR) * progress) // no session lasts longer than an hour
  const joined = Math.max(1, Math.floor((customers * (at - DAY - FIRST_ACCOUNT)) / (END - FIRST_ACCOUNT)))
  const device = pick(draw, DEVICES)
  const customer = draw(10) < 6 ? makeCustomer(seed, draw(joined), customers) : null
  let customerId = customer && draw(2) === 0 ? customer.customerId : null
  /** @type {{ kind: string, at: string, customerId: number | null, productId: number | null }[]} */
  const events = []
  const add = (/** @type {string} */ kind, productId = /** @type {number | null} */ (null)) => {
    events.push({ kind, at: time(at), customerId, productId })
    at += 1000 * (5 + draw(200))
  }
  const basket = new Map()
  for (let views = 1 + Math.min(draw(7), draw(7)); views > 0; views--) {
    const product = pick(draw, products.slice(0, 1 + draw(products.length))) // earlier products sell better
    add('view', product.productId)
    if (draw(10) >= 3) continue
    add('basket', product.productId)
    basket.set(product, (basket.get(product) ?? 0) + 1 + Math.floor(draw(10) / 8))
  }
  if (customer === null || basket.size === 0 || draw(10) >= (device === 'mobile' ? 5 : 7))
    return { device, events, order: null }
  customerId = customer.customerId
  add('checkout')
  if (!customer.isBuyer || draw(10) >= 7) return { device, events, order: null }
  const order = makeOrder({ seed, index, at, customer, basket })
  add('purchase')
  return { device, events, order }
}

/**
 * An order, with its items and refunds. Amounts are in hundredths of its currency.
 * @param {object} purchase
 * @param {number} purchase.seed
 * @param {number} purchase.index
 * @param {number} purchase.at
 * @param {ReturnType<typeof makeCustomer>} purchase.customer
 * @param {Map<ReturnType<typeof makeProducts>[number], number>} purchase.basket
 */
function makeOrder({ seed, index, at, customer, basket }) {
  const draw = drawFrom(seed, ORDER, index)
  const { currency, rate } = rateIn(seed, customer.country, at)
  const isSale = new Date(at).getUTCMonth() === 10 // a fifth less in November
  const charged = (/** @type {number} */ cents) => Math.round((cents * 10_000) / rate)
  const items = [...basket].map(([{ productId, price }, quantity]) => ({
    productId,
    quantity,
    unitPrice: charged(isSale ? Math.round((price * 4) / 5) : price),
  }))
  const goods = items.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0)
  const shipping = goods < charged(5000) ? charged(490) : 0
  const total = goods + shipping
  const isFresh = END - at < 10 * DAY
  const state = isFresh && draw(10) < 4 ? 'open' : draw(100) < 8 ? 'cancelled' : 'paid'
  const refunds = state === 'paid' && draw(100) < 9 ? makeRefunds(draw, at, total) : []
  const { customerId } = customer
  return { customerId, placedAt: time(at), state, currency, rate, shipping, total, items, refunds }
}

/**
 * EUR for 10,000 units of a country's currency, which changes a little each month.
 * @param {number} seed
 * @param {string} country
 * @param {number} at
 */
function rateIn(seed, country, at) {
  const known = CURRENCIES.get(country)
  if (known === undefined) return { currency: 'EUR', rate: 10_000 }
  const date = new Date(at)
  const draw = drawFrom(seed, RATE, known.rate, 12 * date.getUTCFullYear() + date.getUTCMonth())
  return { currency: known.currency, rate: known.rate + draw(601) - 300 }
}

/**
 * One refund, whole or in part, and sometimes a second one.
 * @param {(below: number) => number} draw
 * @param {number} at
 * @param {number} total
 */
function makeRefunds(draw, at, total) {
  const refund = (/** @type {number} */ amount) => ({
    refundedOn: day(at + DAY * (1 + draw(30))),
    amount,
    reason: pick(draw, REASONS),
  })
  const first = draw(2) === 0 ? total : Math.ceil((total * (20 + draw(60))) / 100)
  const second = Math.floor((total - first) / 2)
  return second > 0 && draw(3) === 0 ? [refund(first), refund(second)] : [refund(first)]
}

const day = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10)
const time = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
