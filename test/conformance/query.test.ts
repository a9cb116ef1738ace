import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  ENTITIES,
  OTHER_PROJECT,
  PACKAGE,
  PROJECT,
  type Service,
  sharedService,
  startService,
} from '../service/service.js'

describe('projects/query', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  const query = (params: object) => service.call('projects/query', { projectId: PROJECT, ...params })

  it('returns rows keyed by column, in the order of the query', async () => {
    const { status, body } = await query({ sql: 'SELECT item, total FROM fold_totals ORDER BY item DESC' })
    assert.equal(status, 200)
    // water: 10 + 0.5 * 20 + (0.5 * 0.5 + 0.25) * 40 + (0.5 * 0.8) * 100; land: 0.4 * 7
    assert.deepEqual(body, {
      result: {
        items: [
          { item: 'water', total: 80 },
          { item: 'land', total: 0.4 * 7 },
        ],
      },
    })
  })

  it('counts each entity once, at 100 %, in the gross view', async () => {
    const { body } = await query({ sql: 'FROM fold_totals ORDER BY item', ownershipView: 'gross' })
    assert.deepEqual(body.result?.items, [
      { item: 'land', total: 7 },
      { item: 'water', total: 170 },
    ])
  })

  it('reads the subtree of an entity, which counts at 100 % in its own view', async () => {
    const joint = await query({ sql: 'FROM fold_totals ORDER BY item', entityId: ENTITIES.joint })
    assert.deepEqual(joint.body.result?.items, [
      { item: 'land', total: 0.8 * 7 },
      { item: 'water', total: 120 },
    ])
    const upper = await query({ sql: 'FROM fold_totals ORDER BY item', entityId: ENTITIES.joint.toUpperCase() })
    assert.deepEqual(upper.body, joint.body)
    const root = await query({ sql: 'FROM fold_totals ORDER BY item', entityId: ENTITIES.group })
    assert.deepEqual(root.body, (await query({ sql: 'FROM fold_totals ORDER BY item', entityId: null })).body)
  })

  it('reads tables as stored, whatever the point of view', async () => {
    const { body } = await query({ sql: 'SELECT count(*) AS n FROM amounts', entityId: ENTITIES.leaf })
    assert.deepEqual(body.result?.items, [{ n: 5 }])
  })

  it('returns no rows of an optional table that the snapshot lacks', async () => {
    assert.deepEqual((await query({ sql: 'SELECT note FROM notes' })).body, { result: { items: [] } })
  })

  it('answers an entity of another tree with NOT_FOUND', async () => {
    const { status, body } = await query({ sql: 'SELECT 1', entityId: randomUUID() })
    assert.deepEqual([status, body.code, body.class, body.data?.path], [404, 1404, 'NOT_FOUND', 'entityId'])
  })

  it('pages through every row once, with the requested limit', async () => {
    const seen: unknown[] = []
    let cursor: string | undefined
    for (let pages = 0; pages === 0 || cursor; pages++) {
      const page = { limit: 7, ...(cursor ? { cursor } : {}) }
      const { body } = await query({ sql: 'SELECT i FROM range(30) t(i) ORDER BY i', page })
      assert.ok((body.result?.items?.length ?? 0) <= 7)
      seen.push(...(body.result?.items ?? []).map(row => row.i))
      cursor = body.result?.nextCursor
      assert.ok(pages < 6)
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 30 }, (_, index) => index),
    )
  })

  it('returns no nextCursor on a last page that is full', async () => {
    const { body } = await query({ sql: 'FROM range(5)', page: { limit: 5 } })
    assert.equal(body.result?.items?.length, 5)
    assert.ok(!('nextCursor' in (body.result ?? {})))
  })

  it('returns 100 rows by default and 500 at most', async () => {
    assert.equal((await query({ sql: 'FROM range(1000)' })).body.result?.items?.length, 100)
    assert.equal((await query({ sql: 'FROM range(1000)', page: { limit: 500 } })).body.result?.items?.length, 500)
    assert.equal((await query({ sql: 'SELECT 1', page: { limit: 501 } })).body.class, 'INVALID_PARAMS')
  })

  it('refuses a cursor with another sql, entity, ownership view or project', async () => {
    const sql = 'SELECT i FROM range(30) t(i) ORDER BY i'
    const first = await query({ sql, page: { limit: 7 } })
    const page = { limit: 7, cursor: first.body.result?.nextCursor }
    const others = [
      { sql: `${sql} ` },
      { sql, entityId: ENTITIES.leaf },
      { sql, ownershipView: 'gross' },
      { sql, projectId: OTHER_PROJECT },
    ]
    for (const other of others) {
      const { status, body } = await query({ ...other, page })
      assert.deepEqual(
        [status, body.class, body.data?.path],
        [400, 'INVALID_PARAMS', 'page.cursor'],
        JSON.stringify(other),
      )
    }
    assert.equal((await query({ sql, page })).status, 200)
    assert.equal((await query({ sql, page: { ...page, limit: 3 } })).status, 200)
  })

  it('locates a mistake in lines and characters of the statement', async () => {
    const { status, body } = await query({ sql: "SELECT 'é',\n  nope FROM fold_totals" })
    assert.deepEqual([status, body.code, body.class], [422, 1422, 'INVALID_QUERY'])
    assert.deepEqual([body.data?.line, body.data?.column], [2, 3])
    assert.match(body.message ?? '', /nope/)
  })

  it('gives no wrong position for an error at run time', async () => {
    const { body } = await query({ sql: "SELECT item,\n       CAST('x' || item AS INTEGER) FROM fold_totals" })
    assert.equal(body.class, 'INVALID_QUERY')
    assert.match(body.message ?? '', /Could not convert string/)
    assert.ok(body.data?.line === undefined || body.data.line === 2)
  })

  it('suggests single quotes when a double-quoted name is not a column', async () => {
    const { body } = await query({ sql: 'SELECT item FROM fold_totals WHERE item = "water"' })
    assert.equal(body.class, 'INVALID_QUERY')
    assert.match(body.message ?? '', /single ones: 'text'/)
  })

  it('accepts a statement with comments, a semicolon and a string that says DROP TABLE', async () => {
    const { body } = await query({ sql: "-- first\nSELECT 'DROP TABLE x; --' AS s /* ; */; -- last ;" })
    assert.deepEqual(body.result?.items, [{ s: 'DROP TABLE x; --' }])
  })

  it('ends a page early when its rows pass 4 MiB and goes on in the next', async () => {
    const sql = "SELECT i, repeat('x', 1000) || repeat(repeat('y', 1000), 1000) AS s FROM range(9) t(i) ORDER BY i"
    const counts: number[] = []
    let cursor: string | undefined
    do {
      const { body } = await query({ sql, page: cursor ? { cursor } : {} })
      counts.push(body.result?.items?.length ?? 0)
      cursor = body.result?.nextCursor
    } while (cursor)
    // A row is {"i":0,"s":"…"} with 1 001 000 characters in s: four fit in 4 194 304 bytes.
    assert.deepEqual(counts, [4, 4, 1])
  })

  it('ends a page early even if all of its rows would not fit into memory at once', async () => {
    const sql =
      "SELECT i, repeat(repeat('y', 1000), 1000) || repeat(repeat('z', 1000), 1000) || repeat(repeat('w', 1000), 1000) AS s FROM range(500) t(i) ORDER BY i"
    const { body } = await query({ sql, page: { limit: 500 } })
    assert.deepEqual(
      body.result?.items?.map(row => row.i),
      [0],
      body.message,
    )
    assert.ok(body.result?.nextCursor)
  })

  it('refuses a row over 4 MiB on the page that it opens, and no earlier', async () => {
    const big =
      "repeat(repeat('y', 1000), 1000) || repeat(repeat('z', 1000), 1000) || repeat(repeat('w', 1000), 1000) || repeat(repeat('v', 1000), 1000) || repeat(repeat('u', 1000), 200)"
    const sql = `SELECT i, CASE WHEN i = 2 THEN ${big} ELSE 'small' END AS s FROM range(4) t(i) ORDER BY i`
    const first = await query({ sql })
    assert.deepEqual(
      first.body.result?.items?.map(row => row.i),
      [0, 1],
    )
    const second = await query({ sql, page: { cursor: first.body.result?.nextCursor } })
    assert.deepEqual([second.status, second.body.class, second.body.data?.rule], [422, 'INVALID_QUERY', 'row-size'])
  })
})

describe('projects/query when a new snapshot is sealed', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  it('refuses cursors of the old one with INVALID_PARAMS and reads the new one', async () => {
    const query = (page: object) =>
      service.call('projects/query', {
        projectId: PROJECT,
        sql: 'SELECT item, amount FROM amounts ORDER BY entity_key, item',
        page,
      })
    const before = await query({ limit: 2 })
    await service.seal(PROJECT, { ...PACKAGE, 'amounts.csv': 'entity_key,item,amount\ngroup,water,1\n' })
    const stale = await query({ limit: 2, cursor: before.body.result?.nextCursor })
    assert.deepEqual([stale.status, stale.body.class, stale.body.data?.path], [400, 'INVALID_PARAMS', 'page.cursor'])
    assert.match(stale.body.message ?? '', /snapshot/)
    assert.deepEqual((await query({})).body.result?.items, [{ item: 'water', amount: 1 }])
  })
})
