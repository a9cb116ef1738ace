import assert from 'node:assert/strict'
import fc from 'fast-check'
import { columnsOfRow } from '#lib/client/http.js'

describe('the order of columns', () => {
  it('is that of the query, even for names that are numbers', () => {
    const answer = '{"result":{"items":[{"name":"a","2021":[1,{"x":2}],"2020":{"y":"}"},"a\\"b":null},{"other":1}]}}'
    assert.deepEqual(columnsOfRow(answer), ['name', '2021', '2020', 'a"b'])
  })

  it('is not known for a result without rows, or of another method', () => {
    for (const answer of ['{"result":{"items":[]}}', '{"result":{"relations":[{"name":"x"}]}}', '{}'])
      assert.equal(columnsOfRow(answer), null)
  })

  it('has every name of the first row, once', () => {
    const row = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 })
    fc.assert(
      fc.property(row, row, (first, second) => {
        const answer = JSON.stringify({ result: { items: [first, second], nextCursor: 'x' } })
        assert.deepEqual(columnsOfRow(answer), Object.keys(first))
      }),
      { numRuns: 30 },
    )
  })
})
