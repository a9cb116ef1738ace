import assert from 'node:assert/strict'
import type { CallerLimits } from 'foldgate'
import type { Page, Row } from 'foldgate/client'
import { type LimitedService, startLimited } from '../service/limited.js'
import { KEYS, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'
import { SHOP, shop } from '../service/shop.js'

describe('a key with limits to what it reads', () => {
  let of: LimitedService
  let service: Service
  before(async () => {
    of = await startLimited()
    service = of.service
  })
  after(() => of.close())

  const limited = (only: CallerLimits) => of.limited(only)
  const get = (path: string, key: string) => of.get(path, key)
  const everywhere = (method: string, params: unknown, key: string) => of.everywhere(method, params, key)

  describe('that sets values', () => {
    const key = () => limited({ parameters: { Customer: 17, since: { type: 'DATE', value: '2026-01-01' } } })
    const query = (sql: string, parameters?: object, by = key(), page = {}) =>
      everywhere('projects/query', { projectId: PROJECT, sql, page, ...(parameters ? { parameters } : {}) }, by)

    it('has them bound in each statement that names them, and in no other', async () => {
      const { result } = await query('SELECT $customer AS c, $CUSTOMER + 1 AS d, $since AS s')
      assert.deepEqual(result.items, [{ c: 17, d: 18, s: '2026-01-01' }])
      assert.deepEqual((await query('SELECT 1 AS a')).result.items, [{ a: 1 }])
      const both = await query('SELECT $customer AS c, $country AS d', { country: 'KEN' })
      assert.deepEqual(both.result.items, [{ c: 17, d: 'KEN' }])
    })

    it('cannot send them', async () => {
      for (const name of ['customer', 'Customer', 'CUSTOMER', 'since']) {
        for (const sql of ['SELECT $customer AS c', 'SELECT $customer AS c, $since AS s', 'SELECT 1 AS a']) {
          const sent = await query(sql, { [name]: 18 })
          assert.deepEqual(
            [sent.outcome, sent.message, sent.data],
            [
              'INVALID_PARAMS',
              `The parameter "${name}" is set by the key: leave it out.`,
              { path: `parameters.${name}` },
            ],
          )
        }
      }
      const file = { projectId: PROJECT, sql: 'SELECT $customer AS c', parameters: { customer: 18 } }
      assert.equal((await everywhere('projects/export', file, key())).outcome, 'INVALID_PARAMS')
    })

    it('neither gets pages of other values, nor continues them', async () => {
      const sql = 'SELECT i + $customer AS n FROM range(3) t(i) ORDER BY n'
      const page = { limit: 1 }
      const own = await query(sql, undefined, key(), page)
      assert.deepEqual(own.result.items, [{ n: 17 }])
      const other = await query(sql, { customer: 100 }, KEYS.north, page)
      assert.deepEqual(other.result.items, [{ n: 100 }])
      const cursor = other.result.nextCursor
      assert.equal((await query(sql, undefined, key(), { ...page, cursor })).outcome, 'INVALID_PARAMS')
      const next = await query(sql, undefined, key(), { ...page, cursor: own.result.nextCursor })
      assert.deepEqual(next.result.items, [{ n: 18 }])
      const wider = await query(sql, { customer: 17 }, KEYS.north, { ...page, cursor: own.result.nextCursor })
      assert.deepEqual(wider.result.items, [{ n: 18 }])
    })

    it('gets no 304 for what it was not sent', async () => {
      const ask = async (by: string, parameters: object, tag = '') => {
        const body = JSON.stringify({ projectId: PROJECT, sql: 'SELECT $customer AS c', ...parameters })
        const headers = { authorization: `Bearer ${by}`, ...(tag ? { 'if-none-match': tag } : {}) }
        return fetch(`${service.url}/public/v1/api/projects/query`, { method: 'POST', headers, body })
      }
      const wide = await ask(KEYS.north, { parameters: { customer: 18 } })
      const narrow = await ask(key(), {}, wide.headers.get('etag') as string)
      assert.deepEqual([wide.status, narrow.status], [200, 200])
      assert.equal((await ask(key(), {}, narrow.headers.get('etag') as string)).status, 304)
    })
  })

  describe('with a link', () => {
    const exported = async (key: string) => {
      const { result } = await of.entries.enter.REST(
        'projects/export',
        { projectId: PROJECT, sql: 'SELECT 1 AS a' },
        key,
      )
      return result.url.slice(service.url.length)
    }

    it('downloads what keys with its limits have exported, and nothing else of its owner', async () => {
      const kinds: CallerLimits[] = [
        { projects: [PROJECT, OTHER_PROJECT] },
        { relations: ['amounts', 'entities'] },
        { parameters: { a: 1, b: { type: 'VARCHAR', value: 'x' } } },
        { parameters: { a: 1, b: 'y' } },
        { projects: [PROJECT], methods: ['projects/export'], queries: ['q'] },
      ]
      const reversed: CallerLimits[] = [
        { projects: [OTHER_PROJECT, PROJECT, PROJECT] },
        { relations: ['entities', 'amounts'] },
        { parameters: { B: 'x', a: { type: 'BIGINT', value: 1 } } },
        { parameters: { b: 'y', a: 1 } },
        { projects: [PROJECT], queries: ['q'] },
      ]
      const paths = await Promise.all(kinds.map(only => exported(limited(only))))
      const wide = await exported(KEYS.north)
      for (const [at, only] of reversed.entries()) {
        assert.equal((await get(wide, limited(only))).status, 404)
        for (const [other, path] of paths.entries())
          assert.equal((await get(path, limited(only))).status, at === other ? 200 : 404, `${at} ${other}`)
      }
      for (const path of paths) assert.equal((await get(path, KEYS.mate)).status, 200)
      const methods = limited({ methods: ['projects/export'] })
      assert.equal((await get(wide, methods)).status, 200)
      assert.equal((await get(wide, limited({ methods: ['projects/query'] }))).status, 404)
      const missing = await get(wide, limited({ relations: [] }))
      const foreign = await get(wide, KEYS.south)
      assert.deepEqual(missing, foreign)
    })
  })
})

/** The body of an answer: a page or a file, or a failure. */
interface Answer {
  class?: string
  message?: string
  data?: object
  result?: Page<Row> & { url?: string }
}

describe('named queries with a key that sets values', () => {
  let service: Service
  before(async () => {
    service = await startService({ catalogue: shop, files: SHOP })
  })
  after(() => service.close())

  const limit = (only: CallerLimits) =>
    service.host.callers.set('key-set', { keyId: 'k-set', ownerId: 'ada', organizations: ['north'], only })
  const post = (name: string, params: object, key = 'key-set') =>
    fetch(`${service.url}/public/v1/queries/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ projectId: PROJECT, ...params }),
    })
  const call = async (name: string, params: object, key?: string) =>
    (await (await post(name, params, key)).json()) as Answer

  it('have them as the type that they declare, and cannot be sent them', async () => {
    limit({ parameters: { Since: '2025-06-01', BEFORE: null, device: 'desktop', customer: '1', other: 5 } })
    const cases = {
      revenue_by_month: { since: '2025-06-01' },
      funnel_by_step: { device: 'desktop' },
      orders_of_customer: { customer: 1 },
      best_products: {},
    }
    for (const [name, parameters] of Object.entries(cases)) {
      const own = await call(name, {})
      assert.ok(own.result, own.message)
      assert.deepEqual(own.result, (await call(name, { parameters }, KEYS.north)).result)
    }
    const { result } = await call('revenue_by_month', { format: 'arrow' })
    const headers = { authorization: 'Bearer key-set' }
    const file = Buffer.from(await (await fetch(result?.url ?? '', { headers })).arrayBuffer()).toString('latin1')
    assert.match(file, /"since":\{"type":"DATE","value":"2025-06-01"\}/)
    assert.match(file, /"before":\{"type":"DATE","value":null\}/)
    for (const name of ['since', 'SINCE', 'before', 'other'])
      for (const value of ['2025-01-01', { type: 'DATE', value: '2025-06-01' }, [1]]) {
        const sent = await call('revenue_by_month', { parameters: { [name]: value } })
        assert.deepEqual(
          [sent.class, sent.message, sent.data],
          [
            'INVALID_PARAMS',
            `The parameter "${name}" is set by the key: leave it out.`,
            { path: `parameters.${name}` },
          ],
        )
      }
  })

  it('are UNAVAILABLE if they do not take them, and the host is told the field alone', async () => {
    for (const [name, parameter, value] of [
      ['funnel_by_step', 'device', 'qwertz'],
      ['funnel_by_step', 'device', null],
      ['orders_of_customer', 'Customer', 'qwertz'],
      ['orders_of_customer', 'customer', { type: 'VARCHAR', value: 'qwertz' }],
      ['value_by_country', 'channels', 'qwertz'],
    ] as const) {
      limit({ parameters: { [parameter]: value } })
      for (const more of [{}, { format: 'csv' }]) {
        const before = service.events.length
        const answer = await post(name, more)
        const told = await answer.text()
        assert.deepEqual([answer.status, (JSON.parse(told) as Answer).class], [503, 'UNAVAILABLE'])
        const events = service.events.slice(before)
        const causes = events.flatMap(event => (event.type === 'dependency' ? [`${event.port} ${event.cause}`] : []))
        assert.equal(causes.length, 1)
        assert.ok(causes[0]?.includes(`a caller whose only.parameters.${parameter} is wrong`), causes[0])
        assert.doesNotMatch(told + causes[0], /qwertz/)
      }
      assert.equal((await post('best_products', {})).status, 200)
    }
  })

  it('open nothing if no query that the key may run takes them, as if they are misspelt', async () => {
    limit({ queries: ['funnel_by_step', 'best_products@1'], parameters: { devise: 'desktop' } })
    for (const name of ['funnel_by_step', 'best_products']) assert.equal((await post(name, {})).status, 503)
    limit({ queries: ['funnel_by_step', 'best_products@1'], parameters: { device: 'desktop' } })
    for (const name of ['funnel_by_step', 'best_products']) assert.equal((await post(name, {})).status, 200)
  })

  it('write no files if the methods of the key have no exports', async () => {
    const queries = ['best_products']
    for (const [methods, status] of [
      [undefined, 200],
      [['projects/export'], 200],
      [['projects/query'], 403],
      [[], 403],
    ] as const) {
      limit(methods ? { queries, methods } : { queries })
      assert.equal((await post('best_products', { format: 'csv' })).status, status)
      assert.equal((await post('best_products', {})).status, 200)
    }
  })

  it('ignore the case of names that are sent', async () => {
    limit({})
    const sent = await call('funnel_by_step', { parameters: { DEVICE: 'desktop' } })
    assert.deepEqual(sent.result, (await call('funnel_by_step', { parameters: { device: 'desktop' } })).result)
    const twice = await call('funnel_by_step', { parameters: { DEVICE: 'desktop', device: 'desktop' } })
    assert.deepEqual([twice.class, twice.data], ['INVALID_PARAMS', { path: 'parameters.device' }])
  })
})
