import assert from 'node:assert/strict'
import { isNarrow } from '#lib/duckdb/child/bound-statement.js'

describe('a statement that is run without being prepared', () => {
  it('is one whose text names each of its columns', () => {
    for (const sql of [
      'SELECT 1',
      ' \n select a, b FROM t WHERE a = 1 ORDER BY 1 LIMIT 5',
      'SELECT count(*), COUNT(*) AS n FROM t',
      'SELECT a FROM (SELECT a FROM t) UNION ALL SELECT b FROM u',
    ])
      assert.equal(isNarrow(sql), true, sql)
  })

  it('is none with columns that it does not name, and none beside another statement', () => {
    for (const sql of [
      'SELECT * FROM t',
      'SELECT t.* FROM t',
      'SELECT a * 2 FROM t',
      'FROM t',
      'TABLE t',
      'VALUES (1)',
      'WITH t AS (SELECT 1) FROM t',
      "SELECT COLUMNS('a') FROM t",
      'SELECT unnest(s) FROM t',
      'SELECT Unnest(s, recursive := true) FROM t',
      'PIVOT t ON a USING sum(b)',
      'SELECT a FROM t UNION BY NAME FROM u',
      'SELECT a FROM t UNION ALL BY\nNAME FROM u',
      'SELECT 1; SELECT 2',
      'SELECT 1) AS q; DROP TABLE t --',
      `SELECT ${Array.from({ length: 2_000 }, (_, at) => at).join(', ')}`,
    ])
      assert.equal(isNarrow(sql), false, sql)
  })
})
