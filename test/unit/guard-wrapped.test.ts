import assert from 'node:assert/strict'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { openCheck, type Parse } from '#lib/duckdb/child/guard/check.js'

/** Tests the guard with a parser that reads a statement differently inside its wrapper than on its own. */
describe('a statement that changes in its wrapper', () => {
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  before(async () => {
    instance = await DuckDBInstance.create(':memory:')
    connection = await instance.connect()
  })
  after(() => instance.closeSync())

  const tree = async (text: string) => {
    const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [text])
    return String(reader.getRows()[0]?.[0])
  }
  const parse: Parse = async ([statement, wrapped]) => [await tree(statement), await tree(wrapped)]
  const turned: Parse = ([statement, wrapped]) => parse([statement, wrapped.replace('1 AS one', '2 AS one')])
  const beside: Parse = ([statement, wrapped]) => parse([statement, wrapped.replace(/\) AS q$/, ') AS q, (SELECT 3)')])
  const SQL = 'SELECT 1 AS one'

  it('is refused', async () => {
    const says = async (by: Parse) => {
      const check = await openCheck({ relations: [], functions: [] }, async texts =>
        texts[0] === SQL ? by(texts) : parse(texts),
      )
      const verdict = await check(SQL)
      return verdict.ok ? 'passed' : `${verdict.rule}: ${verdict.message}`
    }
    assert.equal(await says(parse), 'passed')
    for (const by of [turned, beside])
      assert.equal(await says(by), 'one-select: The statement does not stand on its own.')
  })
})
