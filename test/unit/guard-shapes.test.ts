import assert from 'node:assert/strict'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import { shapeOf } from '#lib/guard/shape.js'
import { readStatements } from '../sql/statements.js'
import { GuardProbe } from './guard-probe.js'

/** Numbers that rules and the parser tell apart. */
const NUMBERS = ['0', '1', '2', '7', '100', '101', '513', '1001', '999999999']
const NUMBER = /(?<![\w.])\d{1,9}(?![\w.])/
const NUMBERS_OF = new RegExp(NUMBER, 'g')

/** Statements in which a number matters, in addition to those of the corpus. */
const OF_NUMBERS = [
  'SELECT lead(value, 1) OVER (ORDER BY value) FROM fold_risks',
  'SELECT ntile(2) OVER (ORDER BY value) FROM fold_risks',
  'SELECT nth_value(value, 1) OVER (ORDER BY value) FROM fold_risks',
  'SELECT sum(value) OVER (ORDER BY value ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM fold_risks',
  'SELECT sum(value) OVER (ORDER BY value RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM fold_risks',
  'SELECT lag(value, 0) OVER () FROM fold_risks',
  'SELECT quantile_cont(value, 1) FROM fold_risks',
  'SELECT approx_top_k(value, 1) FROM fold_risks',
  'SELECT repeat(entity, 2) FROM fold_risks',
  'SELECT lpad(entity, 10, entity) FROM fold_risks',
  'SELECT range(1) FROM fold_risks',
  'SELECT * FROM range(5)',
  'SELECT * FROM generate_series(1, 5)',
  'SELECT sum(value) OVER (PARTITION BY score + 1, score + 2) FROM fold_risks',
  'SELECT row_number() OVER (PARTITION BY 1, 2), row_number() OVER (PARTITION BY 1) FROM fold_risks',
  'SELECT DISTINCT ON (1) value, score FROM fold_risks ORDER BY 1, 2',
  'SELECT value FROM fold_risks ORDER BY 1 LIMIT 10 OFFSET 3',
  'SELECT value FROM fold_risks GROUP BY 1 HAVING count(*) > 2',
  'SELECT tags[1], tags[1:2] FROM fold_risks',
  'SELECT value FROM fold_risks LIMIT 10%',
  'SELECT value FROM fold_risks USING SAMPLE 10%',
  'SELECT value::DECIMAL(10, 2), CAST(value AS FLOAT(24)) FROM fold_risks',
  'SELECT array_slice(tags, 1, 2) FROM fold_risks',
  'SELECT bit_count(5), 1 << 3, 5 & 3, 7 | 1, -5, +5 FROM fold_risks',
  'SELECT round(value, 2), log(value, 10) FROM fold_risks WHERE score IN (1, 2, 3) AND value BETWEEN 1 AND 5',
]

describe('the shape of a statement', () => {
  it('has zeros for the digits of whole numbers, where these are values alone', () => {
    for (const [sql, shape] of [
      ['SELECT 17 + x1 FROM t', 'SELECT 00 + x1 FROM t'],
      ['SELECT 1.5, 1e5, 1_000, 0x10, .5, 5., t.c1 FROM t', 'SELECT 1.5, 1e5, 1_000, 0x10, .5, 5., t.c1 FROM t'],
      ['SELECT 999999999, 1000000000', 'SELECT 000000000, 1000000000'],
      ['FROM t LIMIT 10', 'FROM t LIMIT 00'],
      [
        'SELECT 17 FROM t GROUP BY 1, 22 ORDER BY 2, 3.5 LIMIT 4',
        'SELECT 00 FROM t GROUP BY 1, 22 ORDER BY 2, 3.5 LIMIT 0',
      ],
      ['SELECT 1 FROM t GROUP BY (1), a, 2', 'SELECT 0 FROM t GROUP BY (0), a, 0'],
      ["SELECT 1, 'a'", null],
      ['SELECT 1 AS "a"', null],
      ['SELECT $1', null],
      ['SELECT 1 -- 2', null],
      ['SELECT 1 /* 2 */', null],
      ['SELECT 1::FLOAT(3)', null],
      ['SELECT cast(1 AS float(3))', null],
      ['FROM t USING SAMPLE 3', null],
      ['FROM t LIMIT 3%', null],
      ['SELECT #1', null],
      ['SELECT 1\u00a0+ 2', null],
      ['SELECT é1', null],
    ] as const)
      assert.equal(shapeOf(sql), shape, sql)
  })
})

describe('the verdict on a shape', () => {
  const probe = new GuardProbe()
  before(() => probe.open({ functions: EXTRA_FUNCTIONS }))
  after(() => probe.close())
  const asker = (organization: string) => ({ ...probe.asker, organization })
  let asked = 0
  /** The verdict on a text alone: that of an organization which has sent nothing else. */
  const alone = (sql: string) =>
    probe.guard.check(sql, asker(`alone-${++asked}`)).catch((cause: Error) => cause.message)

  it('is kept for other numbers, and for the organization alone', async () => {
    const own = new GuardProbe()
    await own.open()
    const first = await own.guard.check('SELECT value + 7 FROM fold_risks LIMIT 10;', asker('north'))
    await own.close() // from here on, only what is kept can be answered
    const other = await own.guard.check('SELECT value + 8 FROM fold_risks LIMIT 99;', asker('north'))
    assert.deepEqual(other, { ...first, sql: 'SELECT value + 8 FROM fold_risks LIMIT 99' })
    for (const [sql, organization] of [
      ['SELECT value + 8 FROM fold_risks LIMIT 999;', 'north'],
      ['SELECT value + 8 FROM fold_risks LIMIT 99;', 'south'],
      ['SELECT score + 8 FROM fold_risks LIMIT 99;', 'north'],
    ] as const)
      await assert.rejects(own.guard.check(sql, asker(organization)), { class: 'UNAVAILABLE' }, sql)
  })

  it('is kept for the relations that a key may read', async () => {
    const own = new GuardProbe()
    await own.open()
    await own.guard.check('SELECT 7 FROM fold_risks', asker('north'))
    await own.close()
    const limited = { ...asker('north'), readable: ['fold_totals'] }
    await assert.rejects(own.guard.check('SELECT 8 FROM fold_risks', limited), { class: 'UNAVAILABLE' })
  })

  it('is none where a rule reads a number', async () => {
    const own = new GuardProbe()
    await own.open()
    await own.guard.check('SELECT lead(value, 1) OVER (ORDER BY value) FROM fold_risks', asker('north'))
    await own.close()
    const other = own.guard.check('SELECT lead(value, 2) OVER (ORDER BY value) FROM fold_risks', asker('north'))
    await assert.rejects(other, { class: 'UNAVAILABLE' })
  })

  it('is that of each statement with other numbers, over the corpus', async () => {
    const corpus = [...readStatements('accepted'), ...readStatements('refused')].map(({ sql }) => sql)
    const withNumbers = [...OF_NUMBERS, ...corpus].filter(sql => shapeOf(sql) !== null && NUMBER.test(sql))
    const compare = async (sql: string, index: number) => {
      // The first verdict that an organization gets is that of the shape for its other numbers.
      const together = asker(`together-${index}`)
      const numbers = index < OF_NUMBERS.length ? NUMBERS : NUMBERS.slice(-3)
      const texts = numbers.map(number =>
        sql.replace(NUMBERS_OF, digits => number.padStart(digits.length, '0').slice(-digits.length)),
      )
      for (const text of texts) {
        const kept = await probe.guard.check(text, together).catch((cause: Error) => cause.message)
        assert.deepEqual(kept, await alone(text), text)
      }
      return texts.length
    }
    const compared = (await Promise.all(withNumbers.map(compare))).reduce((sum, count) => sum + count, 0)
    assert.ok(compared > 300, `${compared} statements`)
  })
})
