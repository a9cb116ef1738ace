import assert from 'node:assert/strict'
import { defineCatalogue, defineTable } from 'foldgate'
import { PROJECT, type Service, startService } from '../service/service.js'

const TRACKS = 3_503
const SALES = 130_000
/** Prices of tracks repeat, as in most shops; so do those of sales, which fill more than one row group. */
const PRICES = [0.99, 1.99, 0.49, 1.29]

const catalogue = defineCatalogue({
  relations: [
    defineTable({ name: 'track', columns: { id: 'INTEGER', name: 'VARCHAR', price: 'DECIMAL(4,2)' } }),
    defineTable({ name: 'sale', columns: { id: 'INTEGER', track: 'INTEGER', price: 'DECIMAL(4,2)' } }),
  ],
})
const table = (header: string, rows: number, row: (id: number) => unknown[]) =>
  `${header}\n${Array.from({ length: rows }, (_, id) => row(id).join(',')).join('\n')}\n`
const files = {
  'track.csv': table('id,name,price', TRACKS, id => [id, `track ${(id * 7_919) % TRACKS}`, PRICES[(id * 31) % 4]]),
  'sale.csv': table('id,track,price', SALES, id => [id, (id * 7_919) % TRACKS, PRICES[(id * 13 + (id >> 3)) % 4]]),
}

/** Statements whose order leaves rows equal, or that have none, and how many rows they have. */
const STATEMENTS: readonly [sql: string, rows: number][] = [
  ['SELECT id, name, price FROM track ORDER BY price DESC', TRACKS],
  ['SELECT price, price > 1 AS dear FROM track ORDER BY price', TRACKS],
  ['SELECT id, CAST(price AS INTEGER) AS euros FROM track ORDER BY euros DESC', TRACKS],
  ['SELECT s.id, t.name FROM sale s JOIN track t ON t.id = s.track WHERE s.id < 9000', 9_000],
  ['SELECT track, count(*) AS n, min(price) AS least FROM sale GROUP BY track ORDER BY n', TRACKS],
  ['SELECT id, price FROM sale WHERE id % 3 = 0 ORDER BY price DESC NULLS FIRST', 43_334],
  ['SELECT id, price FROM track UNION ALL SELECT id, price FROM sale WHERE id < 5000 ORDER BY price', TRACKS + 5_000],
]

for (const threads of [1, 2])
  describe(`pages of rows that are equal by their order, with ${threads} threads`, () => {
    let service: Service
    before(async () => {
      service = await startService({ catalogue, files, engine: { threads } })
    })
    after(() => service.close())

    /** All rows in pages whose limits are these, the last one again and again. */
    const read = async (sql: string, limits: readonly number[]) => {
      const rows: Record<string, unknown>[] = []
      let cursor: string | undefined
      for (let page = 0; page === 0 || cursor; page++) {
        const limit = limits[Math.min(page, limits.length - 1)]
        const params = { projectId: PROJECT, sql, page: { limit, ...(cursor ? { cursor } : {}) } }
        const { body } = await service.call('projects/query', params)
        assert.ok(body.result, body.message)
        rows.push(...(body.result.items ?? []))
        cursor = body.result.nextCursor
      }
      return rows
    }
    const counted = (rows: readonly unknown[]) => rows.map(row => JSON.stringify(row)).sort()
    /** Every row of the statement, as a file has them. */
    const exported = async (sql: string) => {
      const { body } = await service.call('projects/export', { projectId: PROJECT, sql, format: 'ndjson' })
      assert.ok(body.result?.url, body.message)
      const file = await fetch(body.result.url, { headers: { authorization: 'Bearer key-north' } })
      return (await file.text()).trimEnd().split('\n')
    }

    for (const [sql, count] of STATEMENTS)
      it(`are each on one page: ${sql}`, async () => {
        const all = (await exported(sql)).sort()
        assert.equal(all.length, count)
        for (const limits of [[500], [100, 500], [10, 7, 500], [331]]) {
          const rows = await read(sql, limits)
          assert.deepEqual(counted(rows), all, `pages of ${limits}`)
        }
      })

    it('stay in the order of the statement', async () => {
      const rows = await read('SELECT id, price FROM track ORDER BY price DESC', [77])
      const prices = rows.map(row => Number(row.price))
      assert.deepEqual(
        prices,
        [...prices].sort((a, b) => b - a),
      )
    })

    it('are each on one page to the end of a long result', async function () {
      this.timeout(120_000)
      const sql = 'SELECT id, price FROM sale ORDER BY price'
      for (const limits of [[500], [123, 500]]) {
        const rows = await read(sql, limits)
        assert.equal(rows.length, SALES)
        assert.equal(new Set(rows.map(({ id }) => id)).size, SALES)
        assert.ok(rows.every(({ price }, at) => at === 0 || Number(price) >= Number(rows[at - 1]?.price)))
      }
    })
  })
