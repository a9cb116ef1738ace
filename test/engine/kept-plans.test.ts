import assert from 'node:assert/strict'
import { FOREIGN_PROJECT, KEYS, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

/** Statements whose columns depend on values, each with values in turn and what it returns. */
const COLUMNS: [sql: string, answers: [value: unknown, columns: string, row: unknown[]][]][] = [
  [
    "SELECT struct_extract({'a': 17::HUGEINT, 'b': 'a string that is longer than 12 bytes'}, $v) AS v",
    [
      ['a', 'v HUGEINT', [17]],
      ['b', 'v VARCHAR', ['a string that is longer than 12 bytes']],
      ['a', 'v HUGEINT', [17]],
    ],
  ],
  [
    'SELECT round(123.4567, $v) AS v',
    [
      [{ type: 'INTEGER', value: 1 }, 'v DECIMAL(7,1)', [123.5]],
      [{ type: 'INTEGER', value: 3 }, 'v DECIMAL(7,3)', [123.457]],
      [{ type: 'INTEGER', value: -1 }, 'v DECIMAL(7,0)', [120]],
    ],
  ],
  [
    "SELECT date_part($v, TIMESTAMP '2026-01-02 00:00:00') AS v",
    [
      [{ type: 'VARCHAR[]', value: ['year'] }, 'v STRUCT("year" BIGINT)', [{ year: 2026 }]],
      [
        { type: 'VARCHAR[]', value: ['month', 'day'] },
        'v STRUCT("month" BIGINT, "day" BIGINT)',
        [{ month: 1, day: 2 }],
      ],
    ],
  ],
  [
    "SELECT unnest(regexp_extract('ab', '(a)(b)', [$v, 'n'])) AS s, 1 AS one",
    [
      ['p', 'p VARCHAR, n VARCHAR, one INTEGER', ['a', 'b', 1]],
      ['quite', 'quite VARCHAR, n VARCHAR, one INTEGER', ['a', 'b', 1]],
    ],
  ],
  [
    'SELECT COLUMNS([$v]) FROM (SELECT 1 AS a, 2.5::DOUBLE AS b, 3 AS a_1)',
    [
      ['a', 'a INTEGER', [1]],
      ['b', 'b DOUBLE', [2.5]],
      ['a_1', 'a_1 INTEGER', [3]],
    ],
  ],
  [
    "SELECT unnest(struct_extract({'one': {'a': 1}, 'two': {'a': 1, 'b': 'x'}}, $v))",
    [
      ['one', 'a INTEGER', [1]],
      ['two', 'a INTEGER, b VARCHAR', [1, 'x']],
      ['one', 'a INTEGER', [1]],
    ],
  ],
  [
    'SELECT $v AS v',
    [
      [{ type: 'VARCHAR', value: null }, 'v INTEGER', [null]],
      [
        { type: 'VARCHAR', value: 'a string that is longer than 12 bytes' },
        'v VARCHAR',
        ['a string that is longer than 12 bytes'],
      ],
      [{ type: 'VARCHAR', value: null }, 'v INTEGER', [null]],
      [null, 'v INTEGER', [null]],
      [{ type: 'VARCHAR[]', value: [null, 'x'] }, 'v VARCHAR[]', [[null, 'x']]],
    ],
  ],
]

/** Statements that fail for some values, and the place that the failure names. */
const FAILING: [sql: string, good: unknown, bad: unknown, place: { line?: number; column?: number }][] = [
  ["SELECT 'é🌍' AS a,\n  CAST($v AS INTEGER) AS b", '1', 'x', { line: 2, column: 3 }],
  ["SELECT '🌍', struct_extract({'a': 1}, $v)", 'a', 'nope', {}],
  ["SELECT\n  json_extract('{}', $v)", '$.a', '$[', {}],
  ["SELECT '\u{1F30D}' || date_trunc($v, DATE '2026-01-01')", 'year', 'yeer', {}],
]

describe('a connection that is kept with the plan of a statement', () => {
  let service: Service
  before(async () => {
    service = await startService({
      engine: { connections: 1, residents: 1, memoryLimitBytes: 512 * 1024 ** 2 },
      limits: { queryTimeoutMs: 1_500, connectionWaitMs: 20_000 },
    })
    await service.seal(FOREIGN_PROJECT)
  })
  after(() => service.close())

  async function ask(sql: string, parameters: object, more: object = {}, key = KEYS.north) {
    const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql, parameters, ...more }, key)
    return { status, body, items: body.result?.items }
  }
  /** Asks with values that no call had before, so that no page is answered from memory. */
  let asked = 0
  const fresh = () => ++asked

  it('answers with the columns that the values of each call make', async () => {
    for (const [sql, answers] of COLUMNS)
      for (const [v, columns, row] of [...answers, ...answers]) {
        const { body } = await ask(
          `${sql} WHERE $asked > 0`,
          { v, asked: fresh() },
          {
            include: ['columns'],
          },
        )
        const told = body.result?.columns?.map(({ name, type }) => `${name} ${type}`).join(', ')
        assert.equal(told, columns, `${sql} ${JSON.stringify(v)}: ${body.message}`)
        assert.deepEqual(Object.values(body.result?.items?.[0] ?? {}), row, sql)
      }
  })

  it('fails at the same place as a new one, and answers afterwards', async () => {
    for (const [sql, good, bad, place] of FAILING) {
      const failed = await ask(sql, { v: bad })
      assert.equal(failed.body.class, 'INVALID_QUERY', sql)
      assert.deepEqual(
        { line: failed.body.data?.line, column: failed.body.data?.column },
        { line: undefined, column: undefined, ...place },
        sql,
      )
      assert.equal((await ask(sql, { v: good })).status, 200, sql)
      const again = await ask(`${sql} `, { v: good })
      assert.equal(again.status, 200, sql)
      const { body } = await ask(`${sql} `, { v: bad })
      assert.deepEqual(body, failed.body, sql)
      assert.equal((await ask(`${sql} `, { v: good }, { page: { limit: 7 } })).status, 200, sql)
    }
  })

  it('is of one snapshot, organization and point of view', async () => {
    const sql = 'SELECT count(*) + $v AS n FROM amounts'
    await service.seal(OTHER_PROJECT, { ...VENDOR.files, ...VENDOR.single.files(3) })
    const countOf = async (projectId: string, key = KEYS.north) => {
      const v = fresh()
      const { items, body } = await ask(sql, { v }, { projectId }, key)
      return items ? Number(items[0]?.n) - v : body.message
    }
    const whole = await countOf(PROJECT)
    for (let round = 0; round < 3; round++) {
      assert.equal(await countOf(PROJECT), whole)
      assert.equal(await countOf(FOREIGN_PROJECT, KEYS.south), whole)
      assert.equal(await countOf(OTHER_PROJECT), 1)
    }
    await service.seal(OTHER_PROJECT)
    assert.equal(await countOf(OTHER_PROJECT), whole, 'a snapshot that was replaced')
  })

  it('is gone after a timeout, an interrupt and a lack of memory, and the next call answers', async () => {
    const slow = 'SELECT count(*) AS n FROM range($n) a(i) WHERE hash(i) = 0'
    const large = "SELECT length(repeat(repeat('x', 1000), $n)) AS n"
    for (const [sql, bad, error] of [
      [slow, 100_000_000_000_000, 'QUERY_TIMEOUT'],
      [large, 4_000_000, 'QUERY_TOO_LARGE'],
    ] as const)
      for (let round = 0; round < 2; round++) {
        assert.equal((await ask(sql, { n: 10 + round })).status, 200)
        assert.equal((await ask(sql, { n: bad + round })).body.class, error)
        assert.equal((await ask(sql, { n: 100 + round })).status, 200)
      }
  })

  it('is one of a few, whose statements may have any text', async () => {
    for (let round = 0; round < 3; round++)
      for (let each = 0; each < 20; each++) {
        const sql = `SELECT $a AS x, ${each} AS each -- b BIGINT\nWHERE $b > 0\n\n`
        const b = fresh()
        const { items } = await ask(sql, { a: `${each}\nb BIGINT`, b })
        assert.deepEqual(items, [{ x: `${each}\nb BIGINT`, each }])
      }
  })
})
