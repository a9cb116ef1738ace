import assert from 'node:assert/strict'
import { defineCatalogue } from 'foldgate'
import { createClient, type Page, type Row } from 'foldgate/client'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { SHOP, shop } from '../service/shop.js'

const AUTHORIZATION = { authorization: `Bearer ${KEYS.north}` }
const body = (params: object) => JSON.stringify({ projectId: PROJECT, ...params })

describe('the named queries of a catalogue', () => {
  let service: Service
  before(async () => {
    service = await startService({ catalogue: shop, files: SHOP })
  })
  after(() => service.close())

  const request = (path: string, init: RequestInit = {}, key = KEYS.north) =>
    fetch(`${service.url}/public/v1/${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } })
  const post = (path: string, params: object, headers = {}) =>
    request(path, { method: 'POST', body: body(params), headers })

  it('are called with POST alone, below a path of their own, with @ in any spelling', async () => {
    for (const path of ['queries/revenue_by_month', 'queries/nothing']) {
      const got = await request(path)
      assert.deepEqual([got.status, got.headers.get('allow')], [400, 'POST'])
      assert.equal(((await got.json()) as { class: string }).class, 'INVALID_REQUEST')
    }
    assert.equal((await post('queries/revenue_by_month%402', {})).status, 200)
    for (const path of ['api/queries/revenue_by_month', 'queries', 'query/revenue_by_month']) {
      const unknown = (await (await post(path, {})).json()) as { class: string }
      assert.equal(unknown.class, 'METHOD_NOT_FOUND', path)
    }
    const deep = (await (await post('queries/revenue_by_month/x', {})).json()) as { class: string }
    assert.equal(deep.class, 'NOT_FOUND')
  })

  it('have pages with ETags, as CSV, and snapshots in headers', async () => {
    const first = await post('queries/revenue_by_month', {})
    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^W\//)
    assert.equal(typeof first.headers.get('foldgate-snapshot'), 'string')
    assert.equal((await post('queries/revenue_by_month@2', {}, { 'if-none-match': etag })).status, 304)
    const others = { parameters: { since: '2025-06-01' } }
    assert.equal((await post('queries/revenue_by_month', others, { 'if-none-match': etag })).status, 200)
    const csv = await post('queries/funnel_by_step', { parameters: { device: 'mobile' } }, { accept: 'text/csv' })
    assert.equal(await csv.text(), 'step,sessions\nview,2\nbasket,1\n')
  })

  it('are counted under their name and the version that ran, and unknown ones under one name', async () => {
    const before = [service.usage.length, service.events.length]
    await post('queries/revenue_by_month@2', {})
    await post('queries/revenue_by_month', { parameters: { since: 1 } })
    for (const name of ['revenue_by_month@1', 'nothing', 'something']) await post(`queries/${name}`, {})
    const expected = [
      'queries/revenue_by_month@2 OK',
      'queries/revenue_by_month@2 INVALID_PARAMS',
      ...Array.from({ length: 3 }, () => 'unknown NOT_FOUND'),
    ]
    const told = (list: readonly object[]) =>
      list.map(each => {
        const { method, outcome } = each as { method: string; outcome: string }
        return `${method} ${outcome}`
      })
    assert.deepEqual(told(service.usage.slice(before[0])), expected)
    assert.deepEqual(told(service.events.slice(before[1]).filter(({ type }) => type === 'call')), expected)
  })

  it('are exported to files that name the query and its values, and hold none of its SQL', async () => {
    const { result } = (await (
      await post('queries/orders_of_customer', { parameters: { customer: 1 }, format: 'arrow' })
    ).json()) as { result: { url: string } }
    const text = Buffer.from(await (await fetch(result.url, { headers: AUTHORIZATION })).arrayBuffer()).toString(
      'latin1',
    )
    for (const told of ['foldgate.query', 'orders_of_customer@1']) assert.ok(text.includes(told), told)
    assert.match(text, /"customer":\{"type":"BIGINT","value":1\}/)
    assert.doesNotMatch(text, /SELECT|foldgate\.sql/)
  })

  it('are described with a key, for one unit, by a document that is cached until the key may read another', async () => {
    assert.equal((await fetch(`${service.url}/public/v1/queries.json`)).status, 401)
    const before = service.usage.length
    const whole = await request('queries.json')
    assert.deepEqual(
      service.usage.slice(before).map(({ method }) => method),
      ['queries'],
    )
    const { paths } = (await whole.json()) as { paths: object }
    assert.equal(Object.keys(paths).length, 6)
    const etag = whole.headers.get('etag') ?? ''
    assert.equal((await request('queries.json', { headers: { 'if-none-match': etag } })).status, 304)
    const keyless = await (await fetch(`${service.url}/public/v1/description.json`)).text()
    for (const { name } of shop.queries) assert.ok(!keyless.includes(name), name)
  })

  it('are those that a key may run, with the values that it sets; others do not exist', async () => {
    const only = { queries: ['orders_of_customer@1'], parameters: { customer: 1 } }
    service.host.callers.set('key-part', { keyId: 'k-part', ownerId: 'ada', organizations: ['north'], only })
    try {
      const call = async (name: string, params: object) => {
        const answer = await request(`queries/${name}`, { method: 'POST', body: body(params) }, 'key-part')
        return (await answer.json()) as { class?: string; message?: string; result?: Page<Row> }
      }
      const own = await call('orders_of_customer', {})
      assert.deepEqual(
        own.result?.items.map(row => row.order_id),
        [1, 3],
      )
      const other = await call('orders_of_customer', { parameters: { customer: 2 } })
      assert.deepEqual(
        [other.class, other.message],
        ['INVALID_PARAMS', 'The parameter "customer" is set by the key: leave it out.'],
      )
      const [closed, unknown] = [await call('best_products', {}), await call('no_products', {})]
      assert.deepEqual(closed, unknown)
      assert.equal(closed.class, 'NOT_FOUND')
      const described = await request('queries.json', {}, 'key-part')
      const text = await described.text()
      assert.deepEqual(Object.keys((JSON.parse(text) as { paths: object }).paths), [
        '/public/v1/queries/orders_of_customer@1',
      ])
      assert.doesNotMatch(text, /"customer"/)
    } finally {
      service.host.callers.delete('key-part')
    }
  })

  for (const transport of ['rest', 'json-rpc'] as const)
    it(`are called by the client over ${transport}`, async () => {
      const client = createClient<'treeless'>({ url: service.url, key: KEYS.north, transport })
      const params = { projectId: PROJECT, parameters: { channels: ['search', 'advertising', 'recommendation'] } }
      const page = await client.run<{ country: string }>('value_by_country@1', { ...params, page: { limit: 1 } })
      assert.deepEqual([page.items[0]?.country, page.columnNames?.[0]], ['GB', 'country'])
      const countries: string[] = []
      for await (const { country } of client.runRows<{ country: string }>('value_by_country', {
        ...params,
        page: { limit: 1 },
      }))
        countries.push(country)
      assert.deepEqual(countries, ['GB', 'DE'])
      const file = await client.runExport('value_by_country', { ...params, format: 'csv' })
      assert.match(
        await new Response((await client.download(file)).body).text(),
        /^country,customers,buyers,revenue\nGB,1,1,84\.00\n/,
      )
      assert.equal((await client.runExport('value_by_country', params)).rows, 2)
      await assert.rejects(client.run('revenue_by_month@1', params), { class: 'NOT_FOUND' })
      for (const [name, more, told] of [
        ['../api/projects/query', { sql: 'SELECT 1' }, /by its name, or by name@version/],
        ['value_by_country?x', {}, /by its name, or by name@version/],
        ['value_by_country', { format: 'csv' }, /call runExport/],
        ['value_by_country', { parameters: { least: Number.NaN } }, /"least" has no form in JSON: .*value: 'NaN'/],
        ['value_by_country', { parameters: { least: { type: 'BIGINT', value: 5n } } }, /value: '5'/],
        ['value_by_country', { parameters: { since: new Date(0) } }, /toISOString/],
      ] as const) {
        const sent = { ...params, ...more } as Parameters<typeof client.run>[1]
        await assert.rejects(
          client.run(name, sent),
          (error: Error) => error instanceof TypeError && told.test(error.message),
        )
      }
    })

  it('are typed in process', async () => {
    const options = AUTHORIZATION
    const page = await service.api.call('queries/revenue_by_month', { projectId: PROJECT }, options)
    assert.equal(page.result.items.length, 3)
    const file = await service.api.call('queries/revenue_by_month', { projectId: PROJECT, format: 'csv' }, options)
    assert.equal(file.result.rows, 3)
  })
})

describe('a catalogue without named queries', () => {
  let service: Service
  before(async () => {
    const { relations, rules, examples, rowLimits } = shop
    service = await startService({
      catalogue: defineCatalogue({ relations: [...relations.values()], rules, examples, rowLimits }),
      files: SHOP,
    })
  })
  after(() => service.close())

  it('answers as before there were any', async () => {
    for (const path of ['queries/revenue_by_month', 'queries.json', 'api/queries/revenue_by_month']) {
      const init = { method: 'POST', headers: AUTHORIZATION, body: body({}) }
      const answer = (await (await fetch(`${service.url}/public/v1/${path}`, init)).json()) as object
      assert.deepEqual(answer, {
        code: -32601,
        class: 'METHOD_NOT_FOUND',
        message:
          'There is no such method. The methods are projects/list, projects/describe, projects/query, projects/export.',
      })
    }
    await assert.rejects(service.api.call('queries/revenue_by_month', { projectId: PROJECT }, AUTHORIZATION), {
      class: 'METHOD_NOT_FOUND',
    })
  })
})
