import assert from 'node:assert/strict'
import { ERROR_CLASSES, memoryQuota } from 'foldgate'
import { checks, type OpenApi, type Operation, type Schema } from '../description/document.js'
import { GROUP_VENDOR } from '../service/group.js'
import { KEYS, type Service, startService } from '../service/service.js'
import { SHOP, SHOP_VENDOR, shop } from '../service/shop.js'

const PATH = '/public/v1/catalogue.json'
const APP = 'https://app.example'
const CALLS = 600

describe('catalogue.json', () => {
  let service: Service
  before(async () => {
    service = await startService({
      catalogue: shop,
      files: SHOP,
      cors: { origins: [APP] },
      quota: memoryQuota({ calls: CALLS, windowMs: 3_600_000 }),
    })
  })
  after(() => service.close())

  async function ask(
    init: { method?: string; key?: string | null; headers?: Record<string, string>; path?: string } = {},
  ) {
    const { method = 'GET', key = KEYS.north, headers = {}, path = PATH } = init
    const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const response = await fetch(service.url + path, { method, headers: { ...authorization, ...headers } })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const leftOf = (headers: Headers) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

  it('tells what relations and columns mean, and how they join', async () => {
    const { status, headers, text } = await ask()
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'private, no-cache')
    const { relations, examples, ...more } = JSON.parse(text)
    assert.deepEqual([examples, more], [shop.examples, {}])
    assert.deepEqual(
      relations.map(({ name }: { name: string }) => name),
      [...SHOP_VENDOR.folds.map(([name]) => name), ...SHOP_VENDOR.tables],
    )
    const of = (name: string) => relations.find((each: { name: string }) => each.name === name)
    assert.deepEqual(of('bought_together'), {
      name: 'bought_together',
      kind: 'fold',
      about: 'Two products that paid orders contain together. Each pair comes once.',
      columns: [
        {
          name: 'product_id',
          type: 'INTEGER',
          about: 'The product with the smaller id',
          references: 'products.product_id',
        },
        {
          name: 'other_product_id',
          type: 'INTEGER',
          about: 'The product with the larger id',
          references: 'products.product_id',
        },
        { name: 'orders', type: 'BIGINT', about: 'Paid orders with both', additiveOver: [] },
      ],
      unique: ['product_id', 'other_product_id'],
    })
    assert.deepEqual(of('refunds'), {
      name: 'refunds',
      kind: 'table',
      about: 'Money given back for a paid order, in whole or in part. An order may have several.',
      columns: [
        { name: 'refund_id', type: 'BIGINT' },
        { name: 'order_id', type: 'BIGINT', references: 'orders.order_id' },
        { name: 'refunded_on', type: 'DATE', about: 'Day of the refund, up to a month after the order' },
        { name: 'amount', type: 'DECIMAL(12,2)', about: 'What was given back', unit: 'currency of the order' },
        {
          name: 'reason',
          type: 'VARCHAR',
          about: 'Why the customer sent something back',
          values: ['damaged', 'wrong item', 'late', 'changed mind'],
        },
      ],
      unique: ['refund_id'],
    })
  })

  it('is the same for every key, also for one that reads no project', async () => {
    const answers = await Promise.all([KEYS.north, KEYS.south, KEYS.none].map(key => ask({ key })))
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  })

  it('has an ETag by its content, and answers 304 while the caller has it', async () => {
    const { headers } = await ask()
    const etag = headers.get('etag') ?? ''
    assert.match(etag, /^W\/"[\w-]+"$/)
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await ask({ headers: { 'if-none-match': known } })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], known)
      assert.equal(again.headers.get('cache-control'), 'private, no-cache')
      assert.equal(again.headers.get('content-type'), null)
      assert.ok(leftOf(again.headers) < CALLS)
    }
    assert.equal((await ask({ headers: { 'if-none-match': '"other"' } })).status, 200)
    const refused = await ask({ key: null, headers: { 'if-none-match': etag } })
    assert.equal(refused.status, 401)
    const { catalogue, files } = GROUP_VENDOR
    const other = await startService({ catalogue, files })
    try {
      const answer = await fetch(other.url + PATH, { headers: { authorization: `Bearer ${KEYS.north}` } })
      await answer.arrayBuffer()
      assert.notEqual(answer.headers.get('etag'), etag)
    } finally {
      await other.close()
    }
  })

  it('is a call: a unit of quota, an event and a usage record, of HEAD and of a 304 too', async () => {
    const [events, usage] = [service.events.length, service.usage.length]
    const etag = (await ask()).headers.get('etag') ?? ''
    const before = leftOf((await ask({ method: 'HEAD' })).headers)
    assert.equal(leftOf((await ask({ headers: { 'if-none-match': etag } })).headers), before - 1)
    const told = service.events.slice(events)
    assert.equal(told.length, 3)
    for (const event of told) {
      assert.ok(event.type === 'call')
      assert.deepEqual([event.method, event.outcome, event.keyId], ['catalogue', 'OK', 'k-north'])
      assert.deepEqual([event.projectId, event.organization, event.rows, event.bytes], [null, null, 0, 0])
    }
    const counted = service.usage.slice(usage).map(({ method, outcome, keyId }) => [method, outcome, keyId])
    assert.deepEqual(counted, Array(3).fill(['catalogue', 'OK', 'k-north']))
  })

  it('answers HEAD with the headers alone', async () => {
    const [get, head] = [await ask(), await ask({ method: 'HEAD' })]
    assert.deepEqual([head.status, head.text], [200, ''])
    for (const name of ['etag', 'content-type', 'cache-control'])
      assert.equal(head.headers.get(name), get.headers.get(name), name)
  })

  it('refuses other verbs once the key is known, and counts them nowhere', async () => {
    const [events, before] = [service.events.length, leftOf((await ask()).headers)]
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const refused = await ask({ method })
      assert.deepEqual([refused.status, refused.headers.get('allow')], [400, 'GET, HEAD'], method)
      assert.equal(JSON.parse(refused.text).class, 'INVALID_REQUEST')
      assert.equal((await ask({ method, key: null })).status, 401)
    }
    assert.equal(service.events.length, events + 1)
    assert.equal(leftOf((await ask()).headers), before - 1)
  })

  it('lets pages of allowed origins read it', async () => {
    const read = await ask({ headers: { origin: APP } })
    assert.deepEqual([read.status, read.headers.get('access-control-allow-origin')], [200, APP])
    assert.match(read.headers.get('vary') ?? '', /Origin/)
    const headers = { origin: APP, 'access-control-request-method': 'GET' }
    const preflight = await ask({ method: 'OPTIONS', key: null, headers })
    assert.equal(preflight.status, 204)
    const other = await ask({ headers: { origin: 'https://other.example' } })
    assert.deepEqual([other.status, other.headers.get('access-control-allow-origin')], [200, null])
  })

  it('is of the same path alone, and in no document without a key', async () => {
    for (const path of [`${PATH}/`, '/public/v1/catalogue', '/public/v1/Catalogue.json'])
      assert.equal((await ask({ path })).status, 404, path)
    for (const document of ['openapi.json', 'openrpc.json', 'description.json']) {
      const { text } = await ask({ key: null, path: `/public/v1/${document}` })
      for (const own of ['customer_id', 'What was given back', 'Which ten products'])
        assert.ok(!text.includes(own), `${document} has ${own}`)
    }
  })
})

describe('catalogue.json as openapi.json describes it', () => {
  let service: Service
  let openapi: OpenApi
  const quota = memoryQuota({ calls: 5, windowMs: 3_600_000 })
  before(async () => {
    service = await startService({ quota })
    openapi = (await (await fetch(`${service.url}/public/v1/openapi.json`)).json()) as OpenApi
  })
  after(() => service.close())

  /** The class of an answer, whose body must be as described. */
  async function classOf(key: string | null): Promise<string> {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const response = await fetch(service.url + PATH, { headers })
    const described = (openapi.paths[PATH]?.get as Operation).responses[response.status]
    const schema = described?.content?.['application/json']?.schema as Schema
    const body = (await response.json()) as { class?: string; data?: { retryAfterSeconds?: number } }
    assert.equal(checks(openapi)(schema)(body), null)
    const waits = response.headers.get('retry-after')
    if (body.class === 'RATE_LIMITED') assert.equal(waits, String(body.data?.retryAfterSeconds))
    assert.equal(response.headers.get('www-authenticate'), body.class === 'UNAUTHENTICATED' ? 'Bearer' : null)
    assert.equal(response.status, ERROR_CLASSES[body.class as keyof typeof ERROR_CLASSES]?.status ?? 200)
    return body.class ?? 'OK'
  }

  it('succeeds and fails as described, and tells each in an event', async () => {
    const { keyPort } = service.host
    const { authenticate } = keyPort
    const had = [await classOf(KEYS.north), await classOf(null), await classOf('nobody')]
    keyPort.authenticate = async () => Promise.reject(new Error('down'))
    had.push(await classOf(KEYS.north))
    keyPort.authenticate = authenticate
    for (let call = 1; call <= 5; call++) had.push(await classOf(KEYS.south))
    had.push(await classOf(KEYS.south))
    assert.deepEqual(had.slice(0, 4), ['OK', 'UNAUTHENTICATED', 'UNAUTHENTICATED', 'UNAVAILABLE'])
    assert.deepEqual(had.slice(4), [...Array(5).fill('OK'), 'RATE_LIMITED'])
    const told = service.events.filter(event => event.type === 'call').map(({ method, outcome }) => [method, outcome])
    assert.deepEqual(
      told,
      had.map(outcome => ['catalogue', outcome]),
    )
    const described = Object.keys((openapi.paths[PATH]?.get as Operation).responses)
    assert.deepEqual(described.sort(), ['200', '400', '401', '429', '500', '503'])
  })
})
