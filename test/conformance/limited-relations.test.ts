import assert from 'node:assert/strict'
import type { CallerLimits } from 'foldgate'
import { connectAgent } from '../check/mcp/agent.js'
import { type LimitedService, type Named, nameOf, startLimited } from '../service/limited.js'
import { KEYS, PROJECT, type Service } from '../service/service.js'
import { SHOP, shop } from '../service/shop.js'

describe('a key that is limited to relations', () => {
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

  const only = { relations: ['fold_totals', 'entities', 'gone_from_the_catalogue'] }

  it('is described them alone', async () => {
    const key = limited(only)
    const { result } = await everywhere('projects/describe', { projectId: PROJECT }, key)
    assert.deepEqual(result.relations.map(nameOf), ['fold_totals', 'entities'])
    assert.equal(result.examples.length, 1)
    const tables = await everywhere('projects/describe', { projectId: PROJECT }, limited({ relations: ['amounts'] }))
    assert.deepEqual([tables.result.relations.map(nameOf), tables.result.examples], [['amounts'], []])
    const hidden = await everywhere('projects/describe', { projectId: PROJECT, relation: 'amounts' }, key)
    const unknown = await everywhere('projects/describe', { projectId: PROJECT, relation: 'xyzzies' }, key)
    assert.equal(hidden.outcome, 'INVALID_PARAMS')
    assert.deepEqual(hidden, unknown)
    for (const relation of ['amount', 'amuonts', 'fold_risk', 'risk_row'])
      assert.equal(
        (await everywhere('projects/describe', { projectId: PROJECT, relation }, key)).message,
        unknown.message,
      )
    const columns = await everywhere('projects/describe', { projectId: PROJECT, relation: 'fold_totals' }, key)
    assert.deepEqual(columns.result.columns.map(nameOf), ['item', 'total'])
  })

  it('finds no others in statements, as it finds none that do not exist', async () => {
    const key = limited(only)
    const query = (sql: string, by = key) => everywhere('projects/query', { projectId: PROJECT, sql }, by)
    assert.equal((await query('SELECT * FROM fold_totals')).outcome, 'OK')
    const wide = await query('SELECT count(*) AS n FROM amounts', KEYS.north)
    assert.equal(wide.outcome, 'OK')
    for (const written of ['amounts', 'AMOUNTS', '"amounts"', 'main.amounts', 'memory.main.amounts']) {
      for (const sql of [
        `SELECT count(*) AS n FROM ${written}`,
        `WITH mine AS (SELECT * FROM ${written}) SELECT * FROM mine`,
        `SELECT item FROM fold_totals WHERE item IN (SELECT item FROM ${written})`,
        `SELECT 1 AS a UNION ALL SELECT 2 FROM ${written}`,
      ]) {
        const refused = await query(sql)
        const unknown = await query(sql.replace(/amounts/i, written.includes('AM') ? 'XYZZIES' : 'xyzzies'))
        const told = JSON.stringify([unknown.message, unknown.data]).replaceAll(/xyzzies/gi, word =>
          word === 'XYZZIES' ? 'AMOUNTS' : 'amounts',
        )
        assert.deepEqual([refused.outcome, JSON.stringify([refused.message, refused.data])], ['INVALID_QUERY', told])
      }
    }
    assert.doesNotMatch((await query('SELECT * FROM amount')).message, /amounts/)
    assert.equal((await query('SELECT count(*) AS n FROM amounts', KEYS.north)).outcome, 'OK')
    const file = await everywhere('projects/export', { projectId: PROJECT, sql: 'SELECT * FROM amounts' }, key)
    assert.equal(file.outcome, 'INVALID_QUERY')
  })

  it('does not read on with the cursor of a wider key', async () => {
    const params = { projectId: PROJECT, sql: 'SELECT item FROM amounts ORDER BY ALL' }
    const first = await of.entries.enter.REST('projects/query', { ...params, page: { limit: 1 } }, KEYS.north)
    const page = { limit: 1, cursor: first.result.nextCursor }
    assert.equal((await everywhere('projects/query', { ...params, page }, KEYS.mate)).outcome, 'OK')
    assert.equal((await everywhere('projects/query', { ...params, page }, limited(only))).outcome, 'INVALID_QUERY')
  })

  it('reads a catalogue without them, and without references to them', async () => {
    const { body } = await get('/public/v1/catalogue.json', limited({ relations: ['amounts', 'notes'] }))
    assert.deepEqual([body.relations.map(nameOf), body.examples], [['amounts', 'notes'], []])
    assert.doesNotMatch(JSON.stringify(body), /entities/)
    const whole = await get('/public/v1/catalogue.json', KEYS.north)
    assert.match(JSON.stringify(whole.body.relations.find(({ name }: Named) => name === 'amounts')), /entities/)
  })

  it('shows agents no others', async () => {
    const agent = await connectAgent(service, limited(only))
    try {
      const { resources } = await agent.client.listResources()
      const uris = resources.map(({ uri }) => uri).sort()
      assert.deepEqual(
        uris,
        ['', '/entities', '/fold_totals'].map(at => `foldgate://catalogue${at}`).concat('foldgate://examples'),
      )
      const texts = await Promise.all(uris.map(uri => agent.read(uri)))
      assert.doesNotMatch(texts.join('\n'), /amounts|fold_risks|dash_ipbes/)
      await assert.rejects(agent.read('foldgate://catalogue/amounts'))
      const told = await agent.call('projects_describe', { projectId: PROJECT, relations: ['amounts'] })
      assert.deepEqual([told.isError, told.texts[0].class], [true, 'INVALID_PARAMS'])
    } finally {
      await agent.close()
    }
  })

  it('reads nothing with an empty list', async () => {
    const key = limited({ relations: [] })
    const { result } = await everywhere('projects/describe', { projectId: PROJECT }, key)
    assert.deepEqual(result, { relations: [], examples: [] })
    const sql = 'SELECT * FROM fold_totals'
    assert.equal((await everywhere('projects/query', { projectId: PROJECT, sql }, key)).outcome, 'INVALID_QUERY')
  })
})

describe('named queries with a key that is limited to relations', () => {
  let of: LimitedService
  before(async () => {
    of = await startLimited({ catalogue: shop, files: SHOP })
  })
  after(() => of.close())

  const pathsOf = async (only: CallerLimits) =>
    Object.keys((await of.get('/public/v1/queries.json', of.limited(only))).body.paths)

  it('are those that read its relations alone', async () => {
    const only = { relations: ['product_sales', 'orders', 'funnel'] }
    const key = of.limited(only)
    const paths = ['best_products@1', 'funnel_by_step@1'].map(name => `/public/v1/queries/${name}`)
    assert.deepEqual(await pathsOf(only), paths)
    assert.deepEqual(await pathsOf({ ...only, queries: ['funnel_by_step', 'orders_of_customer'] }), paths.slice(1))
    assert.deepEqual(await pathsOf({ relations: [] }), [])
    assert.equal((await pathsOf({ relations: ['orders', 'refunds'] })).length, 2, 'both that read refunds')

    const post = async (name: string, by: string) => {
      const body = JSON.stringify({ projectId: PROJECT, parameters: { customer: 1 } })
      const headers = { authorization: `Bearer ${by}` }
      const answer = await fetch(`${of.service.url}/public/v1/queries/${name}`, { method: 'POST', headers, body })
      return { status: answer.status, body: await answer.json() }
    }
    const unknown = await post('no_such_query_at_all', key)
    assert.equal(unknown.status, 404)
    for (const name of ['orders_of_customer', 'orders_of_customer@1', 'orders_of_customer@7', 'orders_of_customr'])
      assert.deepEqual(await post(name, key), unknown, name)
    assert.equal((await post('orders_of_customer', of.limited({ relations: ['orders', 'refunds'] }))).status, 200)
    assert.equal((await post('orders_of_customer', KEYS.north)).status, 200)
  })

  it('are no tools when they read others', async () => {
    const agent = await connectAgent(of.service, of.limited({ relations: ['funnel'] }))
    try {
      const { tools } = await agent.client.listTools()
      const named = tools.map(nameOf).filter(name => name.startsWith('queries_'))
      assert.deepEqual(named, ['queries_funnel_by_step'])
      const params = { projectId: PROJECT, parameters: { device: 'desktop' } }
      assert.equal((await agent.call('queries_funnel_by_step', params)).isError, false)
      await assert.rejects(agent.call('queries_best_products', { projectId: PROJECT }), /not found/i)
    } finally {
      await agent.close()
    }
  })
})
