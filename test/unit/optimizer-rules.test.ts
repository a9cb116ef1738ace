import assert from 'node:assert/strict'
import { DuckDBInstance } from '@duckdb/node-api'
import { keepsTopN } from '#lib/duckdb/child/optimizer.js'
import { TYPES } from '#lib/guard/inventory.js'

const INTEGERS = new Set(
  ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'].flatMap(name => [
    name,
    `U${name}`,
    name.replace('UINTEGER', 'INTEGER'),
  ]),
)
/** What some types need to be complete. */
const COMPLETE: Readonly<Record<string, string>> = {
  ...{ array: 'INT[2]', list: 'INT[]', enum: "ENUM('a')", struct: 'STRUCT(a VARCHAR)', row: 'ROW(a VARCHAR)' },
  ...{ map: 'MAP(VARCHAR, VARCHAR)', union: 'UNION(a VARCHAR)', null: '"NULL"' },
}

describe('the rule top_n', () => {
  it('is off for a cast to each type that is an integer, and on for the others', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const integers: string[] = []
    for (const name of TYPES) {
      const type = COMPLETE[name] ?? name
      const told = await connection.runAndReadAll(`SELECT typeof(NULL::${type})`)
      if (INTEGERS.has(String(told.getRows()[0]?.[0]))) integers.push(name)
    }
    instance.closeSync()
    assert.ok(integers.length > 20)
    for (const name of TYPES) {
      const isInteger = integers.includes(name)
      for (const sql of [
        `SELECT k::${name} FROM t`,
        `SELECT TRY_CAST(k AS "${name}") FROM t`,
        `SELECT cast(k as\n${name})`,
      ])
        assert.equal(keepsTopN(sql.toUpperCase()), !isInteger, sql)
    }
  })

  it('is on for names that only begin or end as a type does', () => {
    const sql = 'SELECT point_of_view, print, longitude, interval, "internal", signed_at FROM t ORDER BY print DESC'
    assert.equal(keepsTopN(sql), true)
  })
})
