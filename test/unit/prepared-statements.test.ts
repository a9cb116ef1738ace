import assert from 'node:assert/strict'
import { DuckDBInstance } from '@duckdb/node-api'
import { run } from '#lib/duckdb/child/bound-statement.js'

describe('prepared statements with values', () => {
  it('stay on their connection until four others were used since, and are destroyed then', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const prepared: string[] = []
    const destroyed: string[] = []
    const prepare = connection.prepare.bind(connection)
    connection.prepare = async sql => {
      prepared.push(sql)
      const statement = await prepare(sql)
      const destroy = statement.destroySync.bind(statement)
      statement.destroySync = () => {
        destroyed.push(sql)
        destroy()
      }
      return statement
    }
    const ask = async (sql: string) => {
      const values = [{ name: 'n', type: { kind: 'integer' } as const, value: 1, sent: 'n' }]
      const result = await run(connection, { sql, values })(sql)
      return result.getChunk(0).getRowValues(0)[0]
    }
    const [a, b, c, d, e] = [1, 2, 3, 4, 5].map(n => `SELECT $n + ${n}`) as [string, string, string, string, string]
    for (const sql of [a, b, c, d, a]) await ask(sql)
    assert.deepEqual([prepared, destroyed], [[a, b, c, d], []])
    assert.equal(await ask(e), 6)
    assert.deepEqual(destroyed, [b])
    assert.equal(await ask(b), 3)
    assert.deepEqual(
      [prepared, destroyed],
      [
        [a, b, c, d, e, b],
        [b, c],
      ],
    )
    connection.disconnectSync()
    instance.closeSync()
  })
})
