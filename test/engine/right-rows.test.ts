import assert from 'node:assert/strict'
import { defineCatalogue, defineFold, defineTable } from 'foldgate'
import { PROJECT, type Service, startService } from '../service/service.js'

const ROWS = 300_000
/** A permutation of the numbers below {@link ROWS}, more than two row groups of the engine. */
const KEYS = Array.from({ length: ROWS }, (_, at) => (at * 7_919) % ROWS)
const GROUPS = 13

const catalogue = defineCatalogue({
  relations: [
    defineTable({ name: 'orders', columns: { id: 'BIGINT', k: 'BIGINT', g: 'BIGINT' } }),
    defineTable({ name: 'customers', columns: { id: 'BIGINT', name: 'VARCHAR' } }),
    defineTable({ name: 'numbers', columns: { x: 'INTEGER', z: 'TIMESTAMP WITH TIME ZONE' } }),
    defineTable({ name: 'posts', columns: { id: 'INTEGER', views: 'INTEGER', likes: 'INTEGER' } }),
    defineTable({ name: 'transfers', columns: { id: 'BIGINT', src: 'BIGINT', dst: 'BIGINT' } }),
    defineFold({
      name: 'events',
      about: 'One row per order, as a struct.',
      reads: ['orders'],
      sql: "SELECT id, CASE id % 3 WHEN 0 THEN 'failed' ELSE 'done' END AS state, {'a': id, 'b': 'b' || id, 'at': TIMESTAMP '2020-01-01' + to_seconds(k)} AS s FROM orders",
    }),
  ],
})
const files = {
  'orders.csv': `id,k,g\n${KEYS.map((k, id) => `${id},${k},${id % GROUPS}`).join('\n')}\n`,
  'customers.csv': `id,name\n${Array.from({ length: GROUPS }, (_, id) => `${id},customer ${id}`).join('\n')}\n`,
  'transfers.csv': 'id,src,dst\n1,0,1\n2,1,2\n',
  'numbers.csv': `x,z\n${[1, 5, 100, 128, 300, ''].map(x => `${x},2024-01-01 00:00:00+00`).join('\n')}\n`,
  'posts.csv': 'id,views,likes\n1,100,10\n2,150,20\n3,,5\n4,20,\n5,5,30\n',
}

/** Statements that the engine has answered wrongly, and what is right: rows as texts. */
const SORTED: readonly [sql: string, rows: string[]][] = [
  ['SELECT CAST(k AS INTEGER) AS x FROM orders ORDER BY x DESC LIMIT 4', ['299999', '299998', '299997', '299996']],
  ['SELECT TRY_CAST(k AS UINTEGER) AS x FROM orders ORDER BY x DESC LIMIT 2', ['299999', '299998']],
  [
    'SELECT TRY_CAST(k - 200000 AS SMALLINT) AS x FROM orders WHERE x IS NOT NULL ORDER BY x LIMIT 2',
    ['-32768', '-32767'],
  ],
  [
    `SELECT x FROM (SELECT CAST(k AS INTEGER) AS x FROM orders WHERE k < 100000
       UNION ALL SELECT CAST(k AS INTEGER) FROM orders WHERE k >= 100000) ORDER BY x DESC LIMIT 3`,
    ['299999', '299998', '299997'],
  ],
  [
    `SELECT o.k FROM orders o JOIN customers c ON c.id = o.g ORDER BY CAST(o.k AS INTEGER) DESC LIMIT 3`,
    ['299999', '299998', '299997'],
  ],
  ["SELECT s.b AS b FROM events WHERE state = 'failed' ORDER BY s.at DESC LIMIT 1", [`b${failedLast()}`]],
  [
    `SELECT t.id, a.name AS who FROM transfers t JOIN customers a ON a.id = t.src JOIN customers b ON b.id = t.dst
     UNION ALL SELECT t.id, a.name || ' to ' || b.name FROM transfers t
       JOIN customers a ON a.id = t.src JOIN customers b ON b.id = t.dst ORDER BY ALL`,
    ['1 customer 0', '1 customer 0 to customer 1', '2 customer 1', '2 customer 1 to customer 2'],
  ],
  [
    `SELECT id, p FROM (SELECT l.id, l.p, r.s FROM (VALUES (1, 1, 'x')) l(id, k, p) JOIN (VALUES (1, 20), (1, 10)) r(k, s)
       ON l.k = r.k) AS src QUALIFY row_number() OVER (ORDER BY s DESC NULLS LAST) <= 2`,
    ['1 x', '1 x'],
  ],
  ['SELECT x FROM numbers WHERE TRY_CAST(x AS TINYINT) > 5', ['100']],
  ['SELECT x FROM numbers WHERE NOT (TRY_CAST(x AS TINYINT) < 100) ORDER BY x', ['100']],
  ['SELECT x, TRY_CAST(x AS TINYINT) > 5 AS y FROM numbers WHERE x > 99 ORDER BY x', ['100 true', '128 ', '300 ']],
  ['SELECT TRY_CAST(x AS TINYINT) AS y FROM numbers WHERE y + 1 > 6', ['100']],
  ['SELECT nullif(TRY_CAST(x AS TINYINT), 100) AS y FROM numbers ORDER BY y NULLS LAST LIMIT 3', ['1', '5', '']],
  ['SELECT id FROM posts WHERE NOT (id = views OR (id IS NULL AND views IS NULL)) ORDER BY id', ['1', '2', '4']],
  [
    "SELECT count(*) AS n FROM numbers WHERE date_trunc('month', CASE WHEN x > 0 THEN z END) <> TIMESTAMPTZ '2024-01-15'",
    ['5'],
  ],
  ["SELECT count(*) AS n FROM numbers WHERE CAST(z AS VARCHAR) > '2023'", ['6']],
  [
    'SELECT id FROM posts o WHERE EXISTS (SELECT 1 FROM posts q WHERE q.likes < o.views AND q.views > o.likes AND q.id <> o.id) ORDER BY id',
    ['1', '2'],
  ],
  [
    `SELECT count(*) AS n FROM posts o WHERE EXISTS (
       SELECT 1 FROM (SELECT o.id AS a, p.views AS b FROM posts p WHERE o.likes > p.likes) q WHERE q.b <> o.likes)`,
    ['2'],
  ],
]

function failedLast(): number {
  return KEYS.reduce((best, k, id) => (id % 3 === 0 && k > (KEYS[best] as number) ? id : best), 0)
}

/** Statements of several pipelines, whose streams the engine has repeated, and how many rows they have. */
const STREAMED: readonly [sql: string, rows: number][] = [
  [
    'SELECT id FROM orders WHERE id < 7000 AND EXISTS (SELECT 1 FROM customers c WHERE c.id = orders.g) AND id > 3',
    6_996,
  ],
  ['SELECT a.id FROM orders a JOIN orders b ON a.id = b.id + 1 WHERE a.id < 2600', 2_599],
  ['SELECT id FROM orders WHERE id < 3 UNION ALL SELECT -1 UNION ALL SELECT -2', 5],
  ['SELECT id FROM orders WHERE id < 5000 AND g IN (SELECT id FROM customers WHERE id < 5)', 1_925],
  [
    'SELECT o.id, c.name FROM orders o FULL JOIN customers c ON c.id = o.k WHERE o.id IS NULL OR o.id < 4000',
    4_013 - matched(),
  ],
  [
    'SELECT o.id, n FROM orders o, LATERAL (SELECT count(*) AS n FROM customers c WHERE c.id <= o.g) WHERE o.id < 3000',
    3_000,
  ],
]

/** Customers whose id is the key of an order: below 4 000, they are counted once. */
function matched(): number {
  return KEYS.filter(k => k < GROUPS).length
}

describe('rows of the engine', () => {
  let service: Service
  before(async () => {
    service = await startService({ catalogue, files })
  })
  after(() => service.close())

  const rowsOf = async (sql: string, limit = 500): Promise<string[]> => {
    const rows: string[] = []
    let cursor: string | undefined
    do {
      const page = { limit, ...(cursor ? { cursor } : {}) }
      const { body } = await service.call('projects/query', { projectId: PROJECT, sql, page })
      assert.ok(body.result, body.message)
      rows.push(...(body.result.items ?? []).map(row => Object.values(row).join(' ')))
      cursor = body.result.nextCursor
    } while (cursor)
    return rows
  }

  const linesOf = async (sql: string, format: string): Promise<string[]> => {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql, format })
    assert.ok(body.result?.url, body.message)
    const file = await fetch(body.result.url, { headers: { authorization: 'Bearer key-north' } })
    const lines = (await file.text()).trimEnd().split('\n')
    return format === 'csv' ? lines.slice(1) : lines
  }

  for (const [sql, rows] of SORTED)
    it(`are right for ${sql.slice(0, 70).replaceAll(/\s+/g, ' ')} …`, async () => {
      assert.deepEqual(await rowsOf(sql), rows)
      assert.deepEqual(await rowsOf(sql, 1), rows)
      const written = await linesOf(sql, 'ndjson')
      assert.deepEqual(
        written.map(line => Object.values(JSON.parse(line)).join(' ')),
        rows,
      )
    })

  for (const [sql, count] of STREAMED)
    it(`are in pages and files alike for ${sql.slice(0, 70)} …`, async () => {
      const paged = await rowsOf(sql)
      assert.equal(paged.length, count)
      assert.deepEqual((await rowsOf(sql, 333)).sort(), [...paged].sort())
      const csv = await linesOf(sql, 'csv')
      assert.deepEqual(csv.map(line => line.replaceAll(',', ' ').replaceAll('\r', '')).sort(), [...paged].sort())
      assert.equal((await linesOf(sql, 'ndjson')).length, count)
    })

  it('have the values of an ENUM of each size around the widths of its numbers', async () => {
    for (const size of [1, 255, 256, 257]) {
      const names = Array.from({ length: size }, (_, at) => `'v${at}'`)
      const sql = `SELECT CAST('v' || i AS ENUM(${names.join(', ')})) AS e FROM range(${size}) t(i)`
      const expected = Array.from({ length: size }, (_, at) => `v${at}`)
      assert.deepEqual(await rowsOf(sql), expected, `${size} names`)
      assert.deepEqual(await linesOf(sql, 'csv').then(lines => lines.map(line => line.trim())), expected)
    }
  })

  it('keep U+FEFF in the names of columns and in values', async () => {
    const sql = `SELECT '\uFEFFx' AS "\uFEFFa", 'x' AS a, ['\uFEFF'] AS l`
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql, include: ['columns'] })
    assert.deepEqual(body.result?.items, [{ '\uFEFFa': '\uFEFFx', a: 'x', l: ['\uFEFF'] }])
    assert.deepEqual(
      body.result?.columns?.map(({ name }) => name),
      ['\uFEFFa', 'a', 'l'],
    )
  })
})
