import assert from 'node:assert/strict'
import { defineCatalogue, defineFold, defineQuery, defineTable, type QueryDefinition } from 'foldgate'
import { checkCatalogue } from 'foldgate/sealing'

const orders = defineTable({
  name: 'orders',
  columns: { order_id: 'BIGINT', total: 'DECIMAL(12,2)', placed_on: 'DATE', country: 'VARCHAR' },
})
const since = { type: 'DATE', about: 'First day' }
const query = (name: string, sql: string, more: Partial<Parameters<typeof defineQuery>[0]> = {}) =>
  defineQuery({ name, version: 1, about: 'What is it?', columns: { order_id: 'BIGINT' }, sql, ...more })
const SINCE = 'SELECT order_id FROM orders WHERE placed_on >= $since'

describe('the check of named queries', () => {
  /** The problems and the notes, one per line. */
  async function told(...queries: QueryDefinition[]) {
    const wrong = defineFold({ name: 'wrong', about: 'Wrong.', reads: ['orders'], sql: 'SELECT totl FROM orders' })
    const notes: string[] = []
    const catalogue = defineCatalogue({ relations: [orders, wrong], queries })
    const [first, ...found] = await checkCatalogue(catalogue, { onNote: note => notes.push(note) })
    assert.equal(first?.place, 'fold "wrong"')
    return { problems: found.map(({ place, message }) => `${place}: ${message}`), notes }
  }

  it('finds nothing in queries that are right, with values, defaults, NULL and lists', async () => {
    const list = { type: 'VARCHAR[]', about: 'Countries', default: null }
    assert.deepEqual(
      await told(
        query('of_a_day', SINCE, { parameters: { since } }),
        query('of_any_day', 'SELECT order_id FROM orders WHERE $since IS NULL OR placed_on >= $Since', {
          parameters: { since: { ...since, default: null } },
        }),
        query('of_countries', 'SELECT order_id FROM orders WHERE $list IS NULL OR list_contains($list, country)', {
          parameters: { list },
        }),
        query('of_wrong', 'SELECT totl FROM wrong', { columns: { totl: 'BIGINT' } }),
      ),
      { problems: [], notes: [] },
    )
  })

  it('finds parameters that are not declared, or not used', async () => {
    const { problems } = await told(
      query('undeclared', SINCE),
      query('unused', 'SELECT order_id FROM orders', { parameters: { since } }),
    )
    assert.deepEqual(problems, [
      'query "undeclared@1": its SQL names $since, which is not in parameters: write since: { type, about }',
      'query "unused@1": its SQL does not name $since: leave "since" out of parameters',
    ])
  })

  it('finds SQL that the check of statements or the engine refuses', async () => {
    const { problems } = await told(
      query('two', 'SELECT 1; SELECT 2'),
      query('no_relation', 'SELECT order_id FROM order_s'),
      query('no_column', 'SELECT ordr_id FROM orders'),
      query('no_such_type', 'SELECT order_id FROM orders WHERE total > $since', { parameters: { since } }),
      query('a_pattern', 'SELECT order_id FROM orders WHERE country LIKE $name', {
        parameters: { name: { type: 'VARCHAR', about: 'Name' } },
      }),
    )
    const expected = [
      /^query "two@1": the check of statements refuses it: /,
      /^query "no_relation@1": the check of statements refuses it: .*Did you mean "orders"\?$/,
      /^query "no_column@1": it fails: .*"ordr_id" not found/,
      /^query "no_such_type@1": it fails: .*DECIMAL.*DATE/,
      /^query "a_pattern@1": the check of statements refuses it: /,
    ]
    assert.equal(problems.length, expected.length, problems.join('\n'))
    for (const [at, pattern] of expected.entries()) assert.match(problems[at] ?? '', pattern)
  })

  it('finds columns that differ from their description, and notes those that have none', async () => {
    const sql = 'SELECT order_id, count(*) AS "the n" FROM orders GROUP BY order_id'
    const { problems, notes } = await told(
      query('differing', sql, { columns: { order_id: 'INTEGER', 'the n': 'BIGINT' } }),
      defineQuery({ name: 'untyped', version: 3, about: 'What?', sql }),
    )
    assert.deepEqual(problems, [
      'query "differing@1": column 1: the SQL yields order_id BIGINT, and columns has order_id INTEGER: write them alike',
    ])
    assert.deepEqual(notes, [
      `query "untyped@3": generated clients get rows without types. Write columns: { order_id: 'BIGINT', 'the n': 'BIGINT' }.`,
    ])
  })
})
