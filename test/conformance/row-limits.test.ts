import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { defineCatalogue, defineFold, defineQuery, defineTable } from 'foldgate'
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

const DEPARTMENTS = {
  'staff.csv': 'staff_id,department,region,name\n1,17,north,Ada\n2,17,south,Bob\n3,18,north,Cy\n4,,north,Di\n',
  'shifts.csv': 'shift_id,staff_id,hours\n10,1,4\n11,2,8\n12,3,2\n13,4,9\n14,,7\n',
  'swaps.csv': 'swap_id,shift_id\n100,10\n101,11\n102,12\n103,14\n',
  'rota_days.csv': 'rota_id,day\n1,2026-01-01\n',
  'days.csv': 'day\n2026-01-01\n2026-01-02\n',
  'secrets.csv': 'secret\nnobody\n',
}
const hospital = defineCatalogue({
  rowLimits: { department: { type: 'BIGINT', about: 'Number of a department' }, region: { type: 'VARCHAR' } },
  relations: [
    defineTable({
      name: 'staff',
      columns: { staff_id: 'BIGINT', department: 'INTEGER', region: 'VARCHAR', name: 'VARCHAR' },
      unique: ['staff_id'],
      rowLimits: { department: 'department', region: 'region' },
    }),
    defineTable({
      name: 'shifts',
      references: { staff_id: 'staff.staff_id' },
      rowLimits: { department: { through: 'staff_id' }, region: { through: 'staff_id' } },
    }),
    defineTable({
      name: 'swaps',
      references: { shift_id: 'shifts.shift_id' },
      rowLimits: { department: { through: 'shift_id' } },
    }),
    defineTable({ name: 'rota', optional: true, rowLimits: { department: 'department' } }),
    defineTable({
      name: 'rota_days',
      references: { rota_id: 'rota.rota_id' },
      rowLimits: { department: { through: 'rota_id' } },
      warnings: ['rota_id'],
    }),
    defineTable({ name: 'days', rowLimits: 'none' }),
    defineTable({ name: 'secrets' }),
    defineFold({
      name: 'hours',
      about: 'One department: its hours.',
      reads: ['shifts', 'staff'],
      sql: 'SELECT department, sum(hours) AS hours FROM shifts JOIN staff USING (staff_id) GROUP BY ALL',
    }),
    defineFold({
      name: 'average',
      about: 'One row: hours of a shift, over all departments.',
      reads: ['shifts'],
      sql: 'SELECT avg(hours) AS hours FROM shifts',
      rowLimits: 'none',
    }),
    defineFold({ name: 'told', about: 'One secret.', reads: ['secrets', 'days'], sql: 'SELECT secret FROM secrets' }),
  ],
  queries: [
    defineQuery({
      name: 'colleagues',
      version: 1,
      about: 'Names in departments.',
      parameters: { department: { type: 'BIGINT[]', about: 'Departments' } },
      sql: 'SELECT name FROM staff WHERE list_contains($department, department) ORDER BY name',
    }),
  ],
  examples: [
    { question: 'Who works?', sql: 'SELECT name FROM staff' },
    { question: 'Who swaps?', sql: 'SELECT * FROM swaps' },
  ],
})

describe('several row limits', () => {
  let of: LimitedService
  before(async () => {
    of = await startLimited({ catalogue: hospital, files: DEPARTMENTS })
  })
  after(() => of.close())

  const rows = async (sql: string, key: string) => {
    const { result, outcome, message } = await of.everywhere('projects/query', { projectId: PROJECT, sql }, key)
    return outcome === 'OK' ? result.items.map((row: object) => Object.values(row)[0]) : message
  }
  const department = { department: [17] }

  it('hold together, and a NULL is nobody’s', async () => {
    const [one, both, all] = [
      of.limited({ rows: department }),
      of.limited({ rows: { ...department, region: ['north'] } }),
      of.limited({ rows: { department: [17, 18, 18] } }),
    ] as [string, string, string]
    const names = 'SELECT name FROM staff ORDER BY 1'
    assert.deepEqual(await rows(names, one), ['Ada', 'Bob'])
    assert.deepEqual(await rows(names, both), ['Ada'])
    assert.deepEqual(await rows(names, all), ['Ada', 'Bob', 'Cy'])
    const shifts = 'SELECT shift_id FROM shifts ORDER BY 1'
    assert.deepEqual(await rows(shifts, one), [10, 11])
    assert.deepEqual(await rows(shifts, both), [10])
    assert.deepEqual(await rows(shifts, all), [10, 11, 12])
    assert.deepEqual(await rows('SELECT swap_id FROM swaps ORDER BY 1', all), [100, 101, 102])
    assert.deepEqual(await rows('SELECT hours FROM hours ORDER BY 1', all), [2, 12])
    assert.deepEqual(await rows('SELECT hours FROM hours', both), [4])
    for (const table of ['rota', 'rota_days'])
      assert.deepEqual(await rows(`SELECT count(*) AS n FROM ${table}`, one), [0], 'the snapshot lacks rota')
    for (const key of [one, both, all, KEYS.north])
      assert.deepEqual(await rows('SELECT hours FROM average', key), [6], 'of all rows')
  })

  it('make a relation unknown that has no way to each of them, or says nothing', async () => {
    const both = of.limited({ rows: { ...department, region: ['north'] } })
    const described = async (key: string) => {
      const { result } = await of.everywhere('projects/describe', { projectId: PROJECT }, key)
      return [result.relations.map(({ name }: { name: string }) => name), result.examples.length]
    }
    assert.deepEqual(await described(of.limited({ rows: department })), [
      ['hours', 'average', 'staff', 'shifts', 'swaps', 'rota', 'rota_days', 'days'],
      2,
    ])
    assert.deepEqual(await described(both), [['hours', 'average', 'staff', 'shifts', 'days'], 1])
    for (const hidden of ['swaps', 'secrets', 'told']) {
      const unknown = (text: unknown) => JSON.stringify(text).replaceAll(hidden, 'xyzzy')
      const sql = `SELECT * FROM ${hidden}`
      assert.equal(unknown(await rows(sql, both)), unknown(await rows('SELECT * FROM xyzzy', both)))
    }
    const narrower = of.limited({ rows: department, relations: ['staff', 'secrets'] })
    assert.deepEqual((await described(narrower))[0], ['staff'])
    const document = await of.get('/public/v1/catalogue.json', both)
    assert.doesNotMatch(JSON.stringify(document.body), /swap|secret/)
  })

  it('are values of parameters of named queries, which nobody sends', async () => {
    const ask = async (key: string, parameters: object) => {
      const headers = { authorization: `Bearer ${key}` }
      const body = JSON.stringify({ projectId: PROJECT, parameters })
      const answer = await fetch(`${of.service.url}/public/v1/queries/colleagues`, { method: 'POST', headers, body })
      const { result, data } = (await answer.json()) as {
        result?: { items: { name: string }[] }
        data?: { path: string }
      }
      return result?.items.map(({ name }) => name) ?? data?.path
    }
    const key = of.limited({ rows: department })
    assert.deepEqual(await ask(key, {}), ['Ada', 'Bob'])
    assert.equal(await ask(key, { department: [18] }), 'parameters.department')
    assert.deepEqual(await ask(KEYS.north, { department: [18] }), ['Cy'])
    const { body } = await of.get('/public/v1/queries.json', key)
    assert.deepEqual(body.components.schemas.ColleaguesV1Params.properties.parameters, undefined)
  })
})
