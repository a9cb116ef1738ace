import assert from 'node:assert/strict'
import { differences, tableOf } from '../dist/script/differences.js'
import { columnsOf } from '../dist/script/values.js'

const columns = columnsOf(['name', 'amount'], ['VARCHAR', 'BIGINT'])
const row = (name: string | null, amount: number | null) => ({ name, amount })
const paired = (before: object[], after: object[], of = columns) =>
  differences(of, before as never, after as never).map(({ state, before, after }) => [state, before, after])

describe('differences of rows of two snapshots', () => {
  it('pair rows by all columns that are no numbers, and come first', () => {
    const before = [row('a', 1), row('b', 2), row('c', 3), row(null, 4)]
    const after = [row('a', 1), row('c', 30), row('d', 5), row(null, null)]
    assert.deepEqual(paired(before, after), [
      ['changed', row('c', 3), row('c', 30)],
      ['changed', row(null, 4), row(null, null)],
      ['new', undefined, row('d', 5)],
      ['gone', row('b', 2), undefined],
      ['the same', row('a', 1), row('a', 1)],
    ])
  })

  it('pair equal rows first where several have the same names, and count each once', () => {
    const before = [row('a', 1), row('a', 2), row('a', 2)]
    const after = [row('a', 2), row('a', 3)]
    assert.deepEqual(paired(before, after), [
      ['changed', row('a', 1), row('a', 3)],
      ['gone', row('a', 2), undefined],
      ['the same', row('a', 2), row('a', 2)],
    ])
  })

  it('pair rows by their place where all columns are numbers', () => {
    const numbers = columnsOf(['n'], ['BIGINT'])
    assert.deepEqual(paired([{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 3 }, { n: 4 }], numbers), [
      ['changed', { n: 2 }, { n: 3 }],
      ['new', undefined, { n: 4 }],
      ['the same', { n: 1 }, { n: 1 }],
    ])
  })

  it('tell a number from the text of it, and NULL from the text "null"', () => {
    const texts = columnsOf(['key'], ['VARCHAR'])
    assert.deepEqual(
      paired([{ key: '1' }, { key: null }], [{ key: 1 }, { key: 'null' }], texts).map(([state]) => state),
      ['new', 'new', 'gone', 'gone'],
    )
  })

  it('stand side by side, under names that no column of the statement has', () => {
    const of = columnsOf(['row', 'n', 'n, before'], ['VARCHAR', 'BIGINT', 'VARCHAR'])
    const pairs = differences(
      of,
      [{ row: 'x', n: 1, 'n, before': 'y' }],
      [
        { row: 'x', n: 2, 'n, before': 'y' },
        { row: 'z', n: null, 'n, before': 'y' },
      ],
    )
    const told = tableOf(of, pairs)
    assert.deepEqual(
      told.columns.map(({ name }) => name),
      ['row ', 'row', 'n, before', 'n, before ', 'n, after'],
    )
    assert.deepEqual(
      told.rows.map(each => told.columns.map(({ name }) => each[name])),
      [
        ['changed', 'x', 'y', 1, 2],
        ['new', 'z', 'y', '', null],
      ],
    )
  })
})
