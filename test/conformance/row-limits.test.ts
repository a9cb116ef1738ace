import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connectAgent } from '../check/mcp/agent.js'
import { type LimitedService, startLimited } from '../service/limited.js'
import { KEYS, PROJECT, startService } from '../service/service.js'
import { SHOP, shop } from '../service/shop.js'

type Rows = Record<string, string>[]

/** The rows of a CSV file without quotes. */
function parse(text: string): Rows {
  const [names = [], ...lines] = text
    .trim()
    .split('\n')
    .map(line => line.split(','))
  return lines.map(cells => Object.fromEntries(cells.map((cell, at) => [names[at], cell])))
}

/** The files of the shop, with the rows of customers of these channels alone, found without the engine. */
function shopOf(channels: readonly string[]): Record<string, string> {
  const read = (name: keyof typeof SHOP) => parse(SHOP[name])
  const ids = (rows: Rows, column: string) => new Set(rows.map(row => row[column]))
  const customers = read('customers.csv').filter(({ channel = '' }) => channels.includes(channel))
  const known = ids(customers, 'customer_id')
  const orders = read('orders.csv').filter(row => known.has(row.customer_id))
  const placed = ids(orders, 'order_id')
  const kept: Record<string, Rows> = {
    'customers.csv': customers,
    'products.csv': read('products.csv'),
    'orders.csv': orders,
    'order_items.csv': read('order_items.csv').filter(row => placed.has(row.order_id)),
    'refunds.csv': read('refunds.csv').filter(row => placed.has(row.order_id)),
    'events.csv': read('events.csv').filter(row => known.has(row.customer_id)),
  }
  const write = ([file, text]: [string, string]) => {
    const header = text.split('\n')[0] ?? ''
    const lines = kept[file]?.map(row => header.split(',').map(name => row[name])) ?? []
    return [file, [header, ...lines.map(cells => cells.join(',')), ''].join('\n')]
  }
  return Object.fromEntries(Object.entries(SHOP).map(write))
}

describe('row limits of a shop', () => {
  let of: LimitedService
  before(async () => {
    of = await startLimited({ catalogue: shop, files: SHOP })
  })
  after(() => of.close())

  const ask = (method: string, params: object, key: string) =>
    of.service.call(`projects/${method}`, { projectId: PROJECT, ...params }, key)

  for (const channels of [['advertising'], ['search', 'recommendation'], ["no o'clock"]])
    it(`show of ${channels} what a snapshot of their rows alone has`, async () => {
      const alone = await startService({ catalogue: shop, files: shopOf(channels) })
      try {
        const key = of.limited({ rows: { channel: channels } })
        const statements = [
          ...shop.summaries.map(({ name }) => `SELECT * FROM ${name} ORDER BY ALL`),
          ...shop.examples.map(({ sql }) => sql),
        ]
        for (const sql of statements) {
          const params = { projectId: PROJECT, sql, include: ['columns', 'total'] }
          const [seen, expected] = [await ask('query', params, key), await alone.call('projects/query', params)]
          assert.equal(expected.status, 200, sql)
          assert.deepEqual(seen.body, expected.body, sql)
        }
        for (const { name, parameters } of shop.queries) {
          const values = Object.keys(parameters).includes('customer') ? { customer: 2 } : {}
          const [seen, expected] = await Promise.all(
            [of.service, alone].map(async (service, at) => {
              const headers = { authorization: `Bearer ${at === 0 ? key : KEYS.north}` }
              const body = JSON.stringify({ projectId: PROJECT, parameters: values })
              const answer = await fetch(`${service.url}/public/v1/queries/${name}`, { method: 'POST', headers, body })
              return answer.json()
            }),
          )
          assert.deepEqual(seen, expected, name)
        }
      } finally {
        await alone.close()
      }
    })

  it('hold on every entry point, in counts, casts, plans and statistics', async () => {
    const key = of.limited({ rows: { channel: ['advertising'] } })
    const ids = `SELECT customer_id FROM customers`
    for (const [sql, rows] of [
      [
        'SELECT count(*) AS n, min(customer_id) AS least, max(customer_id) AS most FROM customers',
        [{ n: 1, least: 2, most: 2 }],
      ],
      ['SELECT count(*) AS n FROM customers WHERE customer_id = 1', [{ n: 0 }]],
      ['SELECT approx_count_distinct(channel) AS n FROM customers', [{ n: 1 }]],
      [`SELECT count(*) AS n FROM orders WHERE customer_id NOT IN (${ids})`, [{ n: 0 }]],
      ["SELECT sum(CAST(total AS INTEGER)) AS n FROM orders WHERE state = 'paid'", [{ n: 100 }]],
      ['SELECT count(*) AS n FROM events', [{ n: 0 }]],
      ['SELECT count(*) AS n FROM products', [{ n: 3 }]],
      ['FROM customers SELECT DISTINCT channel', [{ channel: 'advertising' }]],
      ["SELECT channel FROM (SUMMARIZE customers) RIGHT JOIN customers ON true WHERE column_name = 'channel'", null],
    ] as const) {
      const { outcome, result } = await of.everywhere('projects/query', { projectId: PROJECT, sql }, key)
      if (rows) assert.deepEqual([outcome, result?.items], ['OK', rows], sql)
      else assert.equal(outcome, 'INVALID_QUERY')
    }
    // No error tells the values of rows that are not seen.
    const failed = await ask('query', { sql: 'SELECT CAST(channel AS INTEGER) AS n FROM customers' }, key)
    assert.match(failed.body.message ?? '', /'advertising'/)
  })

  it('hold for relations that are described, and for warnings of the seal', async () => {
    const key = of.limited({ rows: { channel: ['advertising'] } })
    const whole = await ask('describe', { relation: 'monthly_revenue', include: ['warnings'] }, KEYS.north)
    const seen = await ask('describe', { relation: 'monthly_revenue', include: ['warnings'] }, key)
    assert.deepEqual(seen.body.result, whole.body.result)
    const dry = await ask(
      'query',
      { sql: 'SELECT * FROM funnel', dryRun: true },
      of.limited({ rows: { channel: ['x'] } }),
    )
    assert.deepEqual([dry.status, dry.body.result?.relations], [200, [{ name: 'funnel', built: true }]])
  })

  it('bind cursors, pages that are kept, ETags and links', async () => {
    const [mine, other] = [['advertising'], ['search']].map(channel => of.limited({ rows: { channel } })) as [
      string,
      string,
    ]
    const sql = 'SELECT order_id FROM orders ORDER BY 1'
    const first = await ask('query', { sql, page: { limit: 1 } }, mine)
    assert.deepEqual(first.body.result?.items, [{ order_id: 2 }])
    const cursor = first.body.result?.nextCursor
    assert.deepEqual((await ask('query', { sql, page: { limit: 1, cursor } }, mine)).body.result?.items, [
      { order_id: 5 },
    ])
    for (const key of [other, KEYS.north, KEYS.mate, of.limited({ rows: { channel: ['advertising', 'x'] } })]) {
      const { body } = await ask('query', { sql, page: { limit: 1, cursor } }, key)
      assert.deepEqual([body.class, body.data?.path], ['INVALID_PARAMS', 'page.cursor'])
    }
    const caller = of.service.host.callers.get(mine)
    assert.ok(caller)
    of.service.host.callers.set('key-of-bob', { ...caller, keyId: 'k-bob', ownerId: 'bob' })
    const ofBob = await ask('query', { sql, page: { limit: 1, cursor } }, 'key-of-bob')
    assert.equal(ofBob.body.class, 'INVALID_PARAMS', 'another owner who sees the same rows')
    const etag = first.headers.get('etag')
    assert.ok(etag)
    const again = async (key: string) => {
      const headers = { authorization: `Bearer ${key}`, 'if-none-match': etag }
      const body = JSON.stringify({ projectId: PROJECT, sql, page: { limit: 1 } })
      return (await fetch(`${of.service.url}/public/v1/api/projects/query`, { method: 'POST', headers, body })).status
    }
    assert.deepEqual([await again(mine), await again(other), await again(KEYS.north)], [304, 200, 200])
    const { body } = await ask('export', { sql, format: 'csv' }, mine)
    const download = async (key: string) => {
      const answer = await fetch(body.result?.url ?? '', { headers: { authorization: `Bearer ${key}` } })
      return [answer.status, await answer.text()]
    }
    assert.deepEqual(await download(mine), [200, 'order_id\n2\n5\n'])
    assert.equal((await download(other))[0], 404)
    assert.equal((await download(KEYS.mate))[0], 200, 'a key of the owner that sees all rows')
  })

  it('hold for a snapshot that calls name, also where a newer one has other rows', async () => {
    const { service } = of
    const { projectId } = service.host.addProject({ projectId: randomUUID(), completed: true })
    const older = await service.seal(projectId)
    const moved = SHOP['customers.csv'].replace('1,2025-01-05,DE,search', '1,2025-01-05,DE,advertising')
    await service.seal(projectId, { ...SHOP, 'customers.csv': moved })
    const key = of.limited({ rows: { channel: ['advertising'] } })
    const sql = 'SELECT order_id FROM orders ORDER BY 1'
    const ordersOf = async (more: object) => {
      const { result } = await of.everywhere('projects/query', { projectId, sql, ...more }, key)
      return result.items.map(({ order_id }: { order_id: number }) => order_id)
    }
    assert.deepEqual(await ordersOf({}), [1, 2, 3, 5])
    assert.deepEqual(await ordersOf({ snapshot: older }), [2, 5])
  })

  it('are those that a caller has when it calls, however long the call takes', async () => {
    const key = of.limited({ rows: { channel: ['newsletter'] } })
    const { callers } = of.service.host
    const caller = callers.get(key)
    assert.ok(caller)
    const asked = ask('query', { sql: 'SELECT channel FROM customers' }, key)
    callers.set(key, { ...caller, only: { rows: { channel: ['search'] } } })
    const answers = [await asked, await ask('query', { sql: 'SELECT channel FROM customers' }, key)]
    for (const { body } of answers) assert.equal(body.result?.items?.length, 1)
    assert.deepEqual(answers.at(-1)?.body.result?.items, [{ channel: 'search' }])
  })

  it('end the cursors of a caller when they change between two pages', async () => {
    const key = of.limited({ rows: { channel: ['advertising'] } })
    const sql = 'SELECT order_id, random() AS r FROM orders ORDER BY 1'
    const first = await ask('query', { sql, page: { limit: 1 } }, key)
    const caller = of.service.host.callers.get(key)
    assert.ok(caller)
    of.service.host.callers.set(key, { ...caller, only: { rows: { channel: ['search'] } } })
    const { body } = await ask('query', { sql, page: { limit: 1, cursor: first.body.result?.nextCursor } }, key)
    assert.deepEqual([body.class, body.data?.path], ['INVALID_PARAMS', 'page.cursor'])
  })

  it('hold for agents', async () => {
    const agent = await connectAgent(of.service, of.limited({ rows: { channel: ['search'] } }))
    try {
      const params = { projectId: PROJECT, sql: 'SELECT customer_id FROM customers' }
      const { texts } = await agent.call('projects_query', params)
      assert.deepEqual(texts[0].result.rows, [[1]])
    } finally {
      await agent.close()
    }
  })

  it('hold where a host answers instances of classes, or what inherits', async () => {
    const rows = { channel: ['search'] }
    class Limits {
      get rows() {
        return rows
      }
    }
    class Key {
      keyId = 'k'
      get ownerId() {
        return 'ada'
      }
      get organizations() {
        return ['north']
      }
      get only() {
        return new Limits()
      }
    }
    const channels = async (key: string) => {
      const { body } = await ask('query', { sql: 'SELECT channel FROM customers' }, key)
      return body.result?.items?.map(({ channel }) => channel)
    }
    for (const only of [new Limits(), Object.create({ rows })])
      assert.deepEqual(await channels(of.limited(only)), ['search'])
    of.service.host.callers.set('key-class', new Key())
    assert.deepEqual(await channels('key-class'), ['search'])
    const listed = of.limited(Object.assign(new Limits(), { methods: ['projects/list' as const] }))
    assert.equal((await ask('query', { sql: 'SELECT 1 AS n' }, listed)).body.class, 'FORBIDDEN')
  })

  it('are a fault of the host where the catalogue does not have them, and never open', async () => {
    for (const [rows, field, told] of [
      [{ chanel: ['search'] }, 'only.rows.chanel', 'the row limits of the catalogue are channel'],
      [{ channel: [] }, 'only.rows.channel', 'at least one'],
      [{ channel: [7] }, 'only.rows.channel', 'of type VARCHAR'],
      [{ channel: ['search\0'] }, 'only.rows.channel', 'NUL'],
      [{ channel: [null] }, 'only.rows.channel', 'a list of'],
      [{ channel: 'search' }, 'only.rows.channel', 'a list of'],
      [{ channel: undefined }, 'only.rows.channel', 'a list of'],
      [{ channel: new Array(1) }, 'only.rows.channel', 'a list of'],
      [Object.create({ channel: ['search'] }), 'only.rows', 'an object'],
      [Object.assign(Object.create({ chanel: ['search'] }), { channel: ['x'] }), 'only.rows.chanel', 'absent'],
      [{ channel: ['search'], entities: ['x'] }, 'only.rows.entities', 'absent'],
      [{}, 'only.rows', 'an object'],
      [[], 'only.rows', 'an object'],
      [null, 'only.rows', 'an object'],
    ] as const) {
      const seen = of.service.events.length
      const key = of.limited({ rows } as never)
      const { status, body } = await ask('query', { sql: 'SELECT 1 AS n' }, key)
      assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'], JSON.stringify(rows))
      const told_ = of.service.events
        .slice(seen)
        .flatMap(event => (event.type === 'dependency' ? [String(event.cause)] : []))
      assert.equal(told_.length, 1)
      assert.ok(told_[0]?.includes(field) && told_[0].includes(told), told_[0])
      assert.doesNotMatch(told_.join(), /search|x\b/)
    }
  })
})
