import assert from 'node:assert/strict'
import fc from 'fast-check'
import { areNumbers, cellOf } from '#server/explore/cells.js'
import { arrived, START, type Trail, told } from '#server/explore/pages.js'
import { rowColumns } from '#server/explore/row-columns.js'
import { sized } from '#server/explore/transfer.js'

describe('the order of columns', () => {
  it('is that of the query, even for names that are numbers', () => {
    const answer = '{"result":{"items":[{"name":"a","2021":[1,{"x":2}],"2020":{"y":"}"},"a\\"b":null},{"other":1}]}}'
    assert.deepEqual(rowColumns(answer), ['name', '2021', '2020', 'a"b'])
  })

  it('is empty for a result without rows, or of another method', () => {
    for (const answer of ['{"result":{"items":[]}}', '{"result":{"relations":[{"name":"x"}]}}', '{}'])
      assert.deepEqual(rowColumns(answer), [])
  })

  it('has every name of the first row, once', () => {
    const row = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 })
    fc.assert(
      fc.property(row, row, (first, second) => {
        const answer = JSON.stringify({ result: { items: [first, second], nextCursor: 'x' } })
        assert.deepEqual(rowColumns(answer), Object.keys(first))
      }),
      { numRuns: 30 },
    )
  })
})

describe('the cells of a row', () => {
  it('show every value in full', () => {
    assert.deepEqual(cellOf(null), { text: 'null', kind: 'null' })
    assert.deepEqual(cellOf('null'), { text: 'null', kind: 'text' })
    assert.deepEqual(cellOf(0.1234567890123), { text: '0.1234567890123', kind: 'number' })
    assert.deepEqual(cellOf(false), { text: 'false', kind: 'text' })
    assert.deepEqual(cellOf({ a: [1, null, 'x'] }), { text: '{"a":[1,null,"x"]}', kind: 'json' })
  })

  it('count as numbers even if JSON cannot express them, but codes do not', () => {
    assert.ok(areNumbers([1, null, '123456789012345678901', 'NaN', '-Infinity']))
    assert.ok(areNumbers(['9007199254740993']))
    for (const values of [['0123', '4567'], [1, 'a'], [true], [null], [], ['NaN'], [[1]]])
      assert.equal(areNumbers(values), false, JSON.stringify(values))
  })
})

describe('the trail of pages', () => {
  it('leads forward by cursors and back again', () => {
    let trail: Trail = arrived(START, 0, 100, 'a')
    assert.deepEqual(trail.pages, [{ from: 0 }, { from: 100, cursor: 'a' }])
    assert.equal(told(trail, 100), 'Rows 1 to 100, and there are more')
    // A page ends early when its rows are large.
    trail = arrived(trail, 1, 40, 'b')
    trail = arrived(trail, 2, 1, undefined)
    assert.equal(told(trail, 1), 'Row 141 of 141')
    trail = arrived(trail, 1, 40, 'b')
    assert.deepEqual(trail, {
      pages: [{ from: 0 }, { from: 100, cursor: 'a' }, { from: 140, cursor: 'b' }],
      at: 1,
      total: 141,
    })
    assert.equal(told(trail, 40), 'Rows 101 to 140 of 141')
  })

  it('may end at the first page', () => {
    assert.equal(told(arrived(START, 0, 0, undefined), 0), 'No rows')
    assert.equal(told(arrived(START, 0, 1204, undefined), 1204), 'Rows 1 to 1,204 of 1,204')
  })
})

describe('the size of a file', () => {
  it('is displayed in a suitable unit', () => {
    const sizes = [0, 999, 1000, 1_450_000, 2e9, 5e12].map(sized)
    assert.deepEqual(sizes, ['0 bytes', '999 bytes', '1 kB', '1.5 MB', '2 GB', '5,000 GB'])
  })
})
