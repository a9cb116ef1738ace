import assert from 'node:assert/strict'
import { type Finding, findingIn, searchDirty } from './dirty-search.js'
import { DirtyWorker } from './dirty-worker.js'

const SEARCHES_FOR_MS = 120_000
/** So that a quick machine searches no further than a slow one: `npm run bench -- dirty` does. */
const STATEMENTS = 6_000

/** Statements that the guard refuses since they read memory that was not written, or strings that are not UTF-8. */
const KNOWN = [
  'SELECT DISTINCT len(struct_keys(s)) AS n FROM (SELECT NULL::STRUCT(a INTEGER) AS s, k FROM range(2048) r(k)) WHERE k > 2',
  "SELECT upper(decode('AAAAAAAAAAAAAAAA\\xF0'::BLOB, 'ignore')) AS x",
  "SELECT hex(encode(upper(decode('AAAAAAAAAAAAAAAA\\xF0'::BLOB, 'ignore')))) AS x",
  "SELECT string_split_regex('a😀', '\\B') AS x",
  "SELECT approx_quantile(CAST(1.7e308 AS DOUBLE), 'nan'::FLOAT) AS x FROM range(600) t(i) GROUP BY i % 200",
  'SELECT count(*) OVER (ORDER BY b ROWS BETWEEN CURRENT ROW AND b FOLLOWING) AS n FROM (VALUES (1), (NULL), (2)) t(b)',
]

describe('memory that accepted statements return', () => {
  it('is found when it was not written, or is not UTF-8', async () => {
    const [clean, dirty] = [new DirtyWorker('zero'), new DirtyWorker('junk')]
    try {
      const isFound = async (sql: string) => findingIn([await clean.run(sql), await dirty.run(sql)], false) !== null
      for (const sql of KNOWN) {
        let tries = 10 // what a statement reads depends on what was there before
        while (tries > 0 && !(await isFound(sql))) tries -= 1
        assert.ok(tries > 0, sql)
      }
      const sound = 'SELECT upper(x) AS x FROM (VALUES (NULL), (1), (2)) t(x)'
      assert.equal(findingIn([await clean.run(sound), await dirty.run(sound)], false), null)
    } finally {
      await Promise.all([clean.close(), dirty.close()])
    }
  })

  it('was written by the same statement', async () => {
    const seed = Number(process.env.FOLDGATE_SEED ?? 1)
    const { findings, answered, covered, uncovered } = await searchDirty(seed, {
      endsAt: performance.now() + SEARCHES_FOR_MS,
      statements: STATEMENTS,
    })
    assert.deepEqual(findings.map(told), [])
    assert.ok(covered > uncovered.length / 2, `${answered} answers, none of ${uncovered}`)
  }).timeout(2 * SEARCHES_FOR_MS)

  it('was written by the same statement, with values in place of literals, too', async () => {
    const seed = Number(process.env.FOLDGATE_SEED ?? 1)
    const { findings, answered, covered, uncovered } = await searchDirty(seed, {
      endsAt: performance.now() + SEARCHES_FOR_MS,
      statements: STATEMENTS,
      isBound: true,
    })
    assert.deepEqual(findings.map(told), [])
    assert.ok(covered > uncovered.length / 3, `${answered} answers, none of ${uncovered}`)
  }).timeout(2 * SEARCHES_FOR_MS)
})

function told({ about, sql, what }: Finding): string {
  return `${about}: ${what}\n${sql}`
}
