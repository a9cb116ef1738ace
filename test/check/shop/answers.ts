import { amount, digitsOf, groups, inEur, type Row, rounded, sum, type Tables } from './tables.js'

type Answer = Record<string, string | number | null>[]

/** Ascending by what `of` returns: numbers by size, texts by their code units. */
const by =
  <Item>(...of: ((item: Item) => string | number | bigint)[]) =>
  (a: Item, b: Item) => {
    for (const each of of) {
      const [x, y] = [each(a), each(b)]
      if (x !== y) return x < y ? -1 : 1
    }
    return 0
  }

/** The answers to the worked questions, in their order, computed row by row. */
export function answersOf({ customers, products, orders, items, refunds, events }: Tables): Answer[] {
  const orderOf = new Map(orders.map(order => [order.order_id, order]))
  const itemsOf = groups(items, item => item.order_id)
  const refundsOf = groups(refunds, refund => refund.order_id)
  const customerOf = new Map(customers.map(customer => [customer.customer_id, customer]))
  const productOf = new Map(products.map(product => [product.product_id, product]))
  const refundInEur = (refund: Row) => inEur(digitsOf(refund.amount), orderOf.get(refund.order_id) as Row)
  const linesOf = (order: Row) => itemsOf.get(order.order_id ?? '') ?? []

  const paid = orders
    .filter(({ state }) => state === 'paid')
    .map(order => ({
      order,
      country: customerOf.get(order.customer_id)?.country ?? '',
      units: sum(linesOf(order), ({ quantity }) => BigInt(quantity ?? '')),
      paid: inEur(digitsOf(order.total), order),
      shipping: inEur(digitsOf(order.shipping), order),
      refunded: sum(refundsOf.get(order.order_id ?? '') ?? [], refundInEur),
    }))
  const paidBy = groups(paid, ({ order }) => order.customer_id)
  const lifetimes = customers.map(customer => {
    const own = paidBy.get(customer.customer_id ?? '') ?? []
    const days = own.map(({ order }) => (order.placed_at ?? '').slice(0, 10)).sort()
    return { customer, own, revenue: sum(own, each => each.paid - each.refunded), first: days[0] ?? null }
  })
  const isBuyer = (id: string | undefined) => paidBy.has(id ?? '')

  function monthsOf2025(): Answer {
    return Array.from({ length: 12 }, (_, index) => `2025-${String(index + 1).padStart(2, '0')}`).map(month => {
      const placed = paid.filter(({ order }) => order.placed_at?.startsWith(month))
      const earned = sum(placed, each => each.paid)
      const given = sum(
        refunds.filter(refund => refund.refunded_on?.startsWith(month)),
        refundInEur,
      )
      const amounts = { paid: amount(earned), refunded: amount(given), revenue: amount(earned - given) }
      return { month: `${month}-01`, orders: placed.length, ...amounts }
    })
  }

  function quarters(): Answer {
    const quarterOf = ({ order: { placed_at: at = '' } }: (typeof paid)[number]) =>
      `${at.slice(0, 4)}-${String(3 * Math.floor((Number(at.slice(5, 7)) - 1) / 3) + 1).padStart(2, '0')}-01`
    return [...groups(paid, quarterOf)].sort(by(([quarter]) => quarter)).map(([quarter, own]) => {
      const [earned, given] = [sum(own, each => each.paid), sum(own, each => each.refunded)]
      return { quarter, paid: amount(earned), refunded: amount(given), percent: rounded(100n * given, earned, 1) }
    })
  }

  function currencies(): Answer {
    return [...groups(paid, ({ order }) => order.currency)]
      .sort(by(([, own]) => -sum(own, each => each.paid)))
      .map(([currency, own]) => ({
        currency,
        orders: own.length,
        in_currency: amount(sum(own, ({ order }) => digitsOf(order.total))),
        in_eur: amount(sum(own, each => each.paid)),
      }))
  }

  function unpaid(): Answer {
    const left = orders.filter(({ state }) => state !== 'paid')
    return [...groups(left, ({ state }) => state)].sort(by(([state]) => state)).map(([state, own]) => ({
      state,
      orders: own.length,
      in_eur: amount(sum(own, order => inEur(digitsOf(order.total), order))),
    }))
  }

  function perCustomer(): Answer {
    const rows = [...groups(lifetimes, ({ customer }) => customer.country)].map(([country, own]) => ({
      country,
      customers: own.length,
      buyers: own.filter(each => each.own.length > 0).length,
      per_customer: rounded(
        sum(own, each => each.revenue),
        BigInt(own.length) * 100n,
        2,
      ),
    }))
    return rows.sort(
      by(
        row => -row.per_customer,
        row => row.country,
      ),
    )
  }

  function baskets(): Answer {
    return [...groups(paid, ({ country }) => country)].sort(by(([country]) => country)).map(([country, own]) => ({
      country,
      orders: own.length,
      units: rounded(
        sum(own, each => each.units),
        BigInt(own.length),
        2,
      ),
      goods: rounded(
        sum(own, each => each.paid - each.shipping),
        BigInt(own.length) * 100n,
        2,
      ),
    }))
  }

  function bestProducts(): Answer {
    const sold = products.map(product => {
      const lines = paid.flatMap(({ order }) =>
        linesOf(order)
          .filter(line => line.product_id === product.product_id)
          .map(line => ({ order, line })),
      )
      const units = sum(lines, ({ line }) => BigInt(line.quantity ?? ''))
      const sales = sum(lines, ({ order, line }) =>
        inEur(BigInt(line.quantity ?? '') * digitsOf(line.unit_price), order),
      )
      return { product, units, sales, margin: sales - units * digitsOf(product.cost) }
    })
    const best = sold.sort(
      by(
        each => -each.margin,
        each => Number(each.product.product_id),
      ),
    )
    return best.slice(0, 10).map(({ product, units, sales, margin }) => ({
      name: product.name ?? '',
      category: product.category ?? '',
      units: Number(units),
      sales: amount(sales),
      margin: amount(margin),
    }))
  }

  function pairs(): Answer {
    const seen = new Map<string, number>()
    for (const { order } of paid) {
      const own = linesOf(order)
        .map(({ product_id: id }) => Number(id))
        .sort(by(id => id))
      for (const [index, one] of own.entries())
        for (const other of own.slice(index + 1)) seen.set(`${one} ${other}`, (seen.get(`${one} ${other}`) ?? 0) + 1)
    }
    const nameOf = (id: string | undefined) => productOf.get(id)?.name ?? ''
    const most = [...seen]
      .map(([pair, count]) => ({ ids: pair.split(' '), count }))
      .sort(
        by(
          ({ count }) => -count,
          ({ ids }) => Number(ids[0]),
          ({ ids }) => Number(ids[1]),
        ),
      )
    return most
      .slice(0, 10)
      .map(({ ids, count }) => ({ product: nameOf(ids[0]), other_product: nameOf(ids[1]), orders: count }))
  }

  function steps(): Answer {
    return [...groups(events, ({ device }) => device)].sort(by(([device]) => device)).flatMap(([device, own]) => {
      const sessions = ['view', 'basket', 'checkout', 'purchase'].map(
        kind => new Set(own.filter(event => event.kind === kind).map(event => event.session_id)).size,
      )
      return ['view', 'basket', 'checkout', 'purchase'].map((step, index) => ({
        device,
        step,
        sessions: sessions[index] ?? 0,
        percent: rounded(100n * BigInt(sessions[index] ?? 0), BigInt(sessions[0] ?? 1), 1),
      }))
    })
  }

  function lookers(): Answer {
    const looked = events.filter(({ kind, customer_id: id }) => kind === 'view' && id !== '' && !isBuyer(id))
    return [...groups(looked, ({ product_id: id }) => productOf.get(id)?.category)]
      .sort(by(([category]) => category))
      .map(([category, own]) => ({ category, customers: new Set(own.map(event => event.customer_id)).size }))
  }

  function bestCustomers(): Answer {
    const best = [...lifetimes].sort(
      by(
        each => -each.revenue,
        each => Number(each.customer.customer_id),
      ),
    )
    return best.slice(0, 10).map(({ customer, own, revenue, first }) => ({
      customer_id: Number(customer.customer_id),
      country: customer.country ?? '',
      orders: own.length,
      revenue: amount(revenue),
      first_order_on: first,
    }))
  }

  function reasons(): Answer {
    return [...groups(refunds, ({ reason }) => reason)]
      .sort(by(([, own]) => -sum(own, refundInEur)))
      .map(([reason, own]) => ({
        reason,
        refunds: own.length,
        orders: new Set(own.map(refund => refund.order_id)).size,
        refunded: amount(sum(own, refundInEur)),
      }))
  }

  const first = [monthsOf2025(), quarters(), currencies(), unpaid(), perCustomer(), baskets()]
  return [...first, bestProducts(), pairs(), steps(), lookers(), bestCustomers(), reasons()]
}
