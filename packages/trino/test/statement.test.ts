import assert from 'node:assert/strict'
import { AnalyticsError } from 'foldgate'
import { checkStatement, isVolatile, relationsIn, wrapped } from '#trino/statement/check-statement.js'
import catalogue from '../../../server/dist/assessed/catalogue.js'
import { ACCEPTED, REFUSED } from './statements.js'

function failure(sql: string): AnalyticsError {
  try {
    checkStatement(sql)
  } catch (error) {
    assert.ok(error instanceof AnalyticsError, String(error))
    return error
  }
  return assert.fail(`accepted: ${sql}`)
}

describe('a statement for Trino, before Trino sees it', () => {
  for (const [rule, statements] of Object.entries(REFUSED))
    it(`is refused by the rule ${rule}, with its place and what to do`, () => {
      for (const [sql, line, column] of statements) {
        const { class: name, message, data } = failure(sql)
        assert.deepEqual([name, data?.rule], ['INVALID_QUERY', rule], sql.slice(0, 80))
        if (line !== undefined) assert.deepEqual([data?.line, data?.column], [line, column], sql.slice(0, 80))
        assert.match(String(data?.hint), / This project speaks Trino's SQL\.$/)
        assert.ok(message.endsWith(String(data?.hint)) && message.length < 400, message)
      }
    })

  it('passes as it is, whatever stands in quotes and comments', () => {
    for (const sql of ACCEPTED) assert.equal(checkStatement(sql), sql)
  })

  it('passes when it is a worked query of the reference catalogue', () => {
    for (const { sql } of catalogue.examples) assert.equal(checkStatement(sql), sql)
  })

  it('loses a semicolon at its end, and what follows it', () => {
    for (const end of [';', ' ;; ', ';-- done', '; /* ; */ ;\n'])
      assert.equal(checkStatement(`SELECT 1${end}`).trimEnd(), 'SELECT 1')
  })

  it('is wrapped so that its comments end before the wrapper does', () => {
    assert.equal(wrapped('SELECT 1 -- one'), 'SELECT * FROM (\nSELECT 1 -- one\n) AS q')
  })

  it('is checked in linear time', () => {
    const largest = 64 * 1024 - 10
    for (const piece of [
      'a ',
      '1,',
      "''",
      '""',
      '/**/',
      '- ',
      '[',
      "'a'",
      '--\n',
      '->,',
      '*/',
      'lpad(',
      "lpad('',1,''),",
      't AS a(b),',
      'PATTERN (a{1}',
      'PERMUTE(a,b),',
      'transform(a, x -> x[1]),',
    ])
      for (const sql of [`SELECT ${piece.repeat(Math.floor(largest / piece.length))}`]) {
        const before = process.cpuUsage() // other work on the machine does not count
        try {
          checkStatement(sql)
        } catch (error) {
          assert.ok(error instanceof AnalyticsError, String(error))
        }
        assert.ok(process.cpuUsage(before).user < 1_000_000, piece)
      }
  })
})

describe('what a statement for Trino reads', () => {
  it('are all relations that it has the name of, in any case and quotes, and none of comments and strings', () => {
    const names = ['amounts', 'sites', 'units', 'rows_of']
    assert.deepEqual(relationsIn('SELECT * FROM Amounts, "SITES" /* units */ -- rows_of', names), ['amounts', 'sites'])
    assert.deepEqual(relationsIn(`SELECT 'amounts', sites.x FROM (TABLE a."units")`, names), ['sites', 'units'])
    assert.deepEqual(relationsIn('SELECT amounts2, xsites, "a""units"', names), [])
  })

  it('may differ from run to run if it has a word that says so', () => {
    for (const sql of [
      'SELECT random()',
      'SELECT RAND( 5)',
      'SELECT "uuid"()',
      'SELECT now()',
      'SELECT CURRENT_DATE',
      'SELECT current_timestamp(3)',
      'SELECT localtime',
      'SELECT LocalTimestamp(0)',
      'SELECT shuffle(a) FROM t',
      'SELECT * FROM t TABLESAMPLE BERNOULLI (10)',
      'SELECT random_string(5)',
    ])
      assert.equal(isVolatile(sql), true, sql)
    for (const sql of [
      "SELECT 'random()'",
      'SELECT randomised FROM t -- now()'.replace('randomised', 'brand'),
      'SELECT nowhere',
    ])
      assert.equal(isVolatile(sql), false, sql)
  })
})
