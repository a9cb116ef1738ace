import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../../../../test/until.js'
import { rowsOf } from './ask.js'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'
import { FOREIGN, KEYS, ON_TRINO, type Site, startSite } from './site.js'

/** Runs for minutes, over numbers that no table has. */
const endless = (mark: string) =>
  `SELECT count(*) AS "${mark}" FROM UNNEST(sequence(1, 10000)) AS a(n), UNNEST(sequence(1, 10000)) AS b(m), ` +
  'UNNEST(sequence(1, 10000)) AS c(o) WHERE sin(n) + cos(m) > tan(o) + 7'

describe('failures of statements on Trino', () => {
  let trino: Cluster
  let site: Site
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
    site = await startSite(trino, { connections: 2 }, { limits: { queryTimeoutMs: 3_000, connectionWaitMs: 4_000 } })
    await site.seal(ON_TRINO)
    await site.seal(FOREIGN)
    await site.query('SELECT 1 FROM fold_totals')
  })
  after(() => site?.close())

  /** States of the queries whose text has this mark, as the cluster tells an administrator. */
  async function statesOf(mark: string): Promise<string[]> {
    const sql = `SELECT state FROM system.runtime.queries WHERE query LIKE 'SELECT count(*) AS "${mark}"%'`
    return (await rowsOf(trino.url, sql)).map(([state]) => String(state))
  }

  for (const [sql, line, column, says] of [
    ['SELECT\n  1 +* 2', 2, 6, /mismatched input '\*'/],
    ['SELECT item,\n totals FROM fold_totals', 2, 2, /Column 'totals' cannot be resolved/],
    ["SELECT '😀é', nothing FROM items", 1, 14, /Column 'nothing' cannot be resolved/],
    ['SELECT frobnicate(1)', 1, 8, /no function frobnicate here/],
    ['SELECT abs(true)', 1, 8, /Unexpected parameters/],
  ] as const)
    it(`point into ${JSON.stringify(sql)}`, async () => {
      const { class: of, message = '', data } = await site.query(sql)
      assert.equal(of, 'INVALID_QUERY', message)
      assert.match(message, says)
      assert.deepEqual([data?.line, data?.column], [line, column], message)
    })

  for (const [sql, says] of [
    ['SELECT 1 / 0 AS n FROM items', /Division by zero/],
    ['SELECT CAST(item AS integer) AS n FROM items', /Cannot cast/],
    ['SELECT sum(n) AS n FROM UNNEST(ARRAY[9223372036854775807, 1]) AS t(n)', /overflow/],
  ] as const)
    it(`name what the rows of ${sql} do`, async () => {
      const { class: of, message = '' } = await site.query(sql)
      assert.equal(of, 'INVALID_QUERY', message)
      assert.match(message, says)
    })

  it('tell nothing of the cluster', async () => {
    for (const sql of ['SELECT x FROM items', 'SELECT * FROM (SELECT i.x FROM items i)', 'SELECT items.x FROM items']) {
      const { message } = await site.query(sql)
      assert.doesNotMatch(JSON.stringify(message), /iceberg|[sbp]_[0-9a-f]{16}|trino/i)
    }
  })

  it('are of a caller who names a schema: nothing is built anew, and no event tells of an outage', async () => {
    await rowsOf(trino.url, 'CREATE SCHEMA IF NOT EXISTS elsewhere')
    const before = site.events.length
    for (const [sql, says] of [
      ['SELECT * FROM p_0123456789abcdef.items', /p_0123456789abcdef is no relation .*line 1, column 15/],
      ['SELECT * FROM iceberg.b_0123456789abcdef.items', /b_0123456789abcdef is no relation .*column 23/],
      ['SELECT * FROM iceberg.elsewhere.items', /may not read|elsewhere\.items' does not exist/],
      ['SELECT * FROM elsewhere.items', /may not read|elsewhere\.items' does not exist/],
      ['SELECT * FROM nowhere.items', /Schema 'nowhere' does not exist/],
      ['SELECT * FROM nowhere.elsewhere.items', /Catalog 'nowhere' not found/],
    ] as const) {
      const { class: of, message = '' } = await site.query(sql)
      assert.equal(of, 'INVALID_QUERY', `${sql}: ${message}`)
      assert.match(message, says)
    }
    assert.deepEqual(
      site.events.slice(before).filter(({ type }) => type !== 'call'),
      [],
    )
  })

  it('are QUERY_TIMEOUT at the deadline, and end the query in the cluster', async () => {
    const startedAt = performance.now()
    const { class: of, message } = await site.query(endless('slow'))
    assert.equal(of, 'QUERY_TIMEOUT', message)
    assert.ok(performance.now() - startedAt < 8_000, `${performance.now() - startedAt} ms`)
    await until(async () => (await statesOf('slow')).every(state => state === 'FAILED'), 'the query ends')
  }).timeout(30_000)

  it('are QUERY_TOO_LARGE where memory ends', async () => {
    const sql =
      "SELECT cardinality(array_agg(array_join(repeat(rpad('', 10000, 'x'), 10), '') || CAST(n AS varchar))) AS n " +
      'FROM UNNEST(sequence(1, 10000)) AS a(n)'
    const { class: of, message } = await site.query(sql)
    assert.equal(of, 'QUERY_TOO_LARGE', message)
  }).timeout(30_000)

  it('are none of a caller who has left: the query ends within two seconds', async () => {
    const leaving = new AbortController()
    const params = { projectId: ON_TRINO, sql: endless('left') }
    const left = site.api.call('projects/query', params, {
      authorization: `Bearer ${KEYS.north}`,
      signal: leaving.signal,
    })
    left.catch(() => {})
    await until(async () => (await statesOf('left')).includes('RUNNING'), 'the query runs')
    const leftAt = performance.now()
    leaving.abort()
    await until(async () => (await statesOf('left')).every(state => state === 'FAILED'), 'the query ends')
    assert.ok(performance.now() - leftAt < 2_000, `${performance.now() - leftAt} ms`)
    await assert.rejects(left)
    assert.deepEqual([site.api.stats().busy, site.api.stats().waiting], [0, 0])
  }).timeout(30_000)

  it('are UNAVAILABLE when no connection is free in time, while another organization has its turn', async () => {
    // Both connections are free again after 3 s: the first goes on with the flood, the second is for the other one.
    const flood = Array.from({ length: 6 }, (_, index) => site.query(endless(`flood${index}`)))
    await until(() => site.api.stats().waiting >= 4, 'the flood waits')
    const params = { projectId: FOREIGN, sql: 'SELECT count(*) AS n FROM items' }
    const other = await site.call('projects/query', params, { key: KEYS.south })
    assert.deepEqual(other.result?.items, [{ n: 2 }], other.message)
    const answers = (await Promise.all(flood)).map(answer => answer.class)
    assert.deepEqual([...new Set(answers)].sort(), ['QUERY_TIMEOUT', 'UNAVAILABLE'], String(answers))
  }).timeout(30_000)
})

describe('worked queries in Trino’s words', () => {
  it('are described without those that the cluster refuses, which the host is told of', async function () {
    this.timeout(STARTS_WITHIN_MS)
    const trino = await sharedCluster(this)
    const sound = { question: 'How many?', sql: 'SELECT count(*) AS n FROM items' }
    const refused = ['FROM items', 'SELECT list(item) FROM items', 'SELECT 1 +* 2'].map(sql => ({ question: sql, sql }))
    const site = await startSite(trino, { examples: [...refused, sound] })
    try {
      await site.seal(ON_TRINO)
      const { result, message } = await site.call('projects/describe', { projectId: ON_TRINO })
      assert.deepEqual(result?.examples, [sound], message)
      const told = site.events.map(event => ('cause' in event ? String(event.cause) : ''))
      for (const { question } of refused)
        assert.ok(
          told.some(text => text.includes(`"${question}"`)),
          question,
        )
    } finally {
      await site.close()
    }
  })
})

describe('a coordinator that is away', () => {
  let trino: Cluster
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
  })

  it('is UNAVAILABLE for the projects on it alone, and shows in the health', async () => {
    const site = await startSite(trino, { url: 'http://127.0.0.1:9' })
    try {
      await site.seal(ON_TRINO)
      const { class: of, message } = await site.query('SELECT 1 AS n')
      assert.equal(of, 'UNAVAILABLE', message)
      assert.ok(site.events.some(event => event.type === 'build' || event.type === 'dependency'))
    } finally {
      await site.close()
    }
  }).timeout(30_000)

  it('is asked again while it, or a proxy before it, is busy; nothing is sent to another host', async () => {
    let [refused, foreign] = [0, 0]
    const stranger = createServer(() => {
      foreign += 1
    }).listen(0, '127.0.0.1')
    const proxy = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', async () => {
        refused += 1
        if (refused % 2 === 1) return response.writeHead(503, { 'retry-after': '1' }).end()
        const headers = Object.fromEntries(
          Object.entries(request.headers).filter(([name]) => name.startsWith('x-trino')),
        )
        const body = chunks.length > 0 ? Buffer.concat(chunks) : null
        const answer = await fetch(`${trino.url}${request.url}`, {
          method: request.method ?? 'GET',
          headers: headers as Record<string, string>,
          body,
        })
        const text = (await answer.text()).replaceAll(
          trino.url,
          `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`,
        )
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
      })
    }).listen(0, '127.0.0.1')
    await until(() => proxy.listening && stranger.listening, 'both listen')
    const site = await startSite(trino, { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` })
    try {
      await site.seal(ON_TRINO)
      const { result, message } = await site.query('SELECT 6 * 7 AS n')
      assert.deepEqual(result?.items, [{ n: 42 }], message)
      assert.ok(refused > 4)
      assert.equal(foreign, 0)
    } finally {
      await site.close()
      proxy.close()
      stranger.close()
    }
  }).timeout(60_000)
})
