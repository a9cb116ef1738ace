import assert from 'node:assert/strict'
import { chartColumns, choosePair, seriesOf, shortNumber } from '#server/explore/series.js'

const ROWS = [
  {
    name: 'b',
    day: '2024-03-01',
    at: '2024-03-01T12:00:00',
    net: 2,
    gross: 4,
    code: '007',
    huge: '12345678901234567890',
  },
  { name: null, day: '2024-01-01', at: '2024-01-01T12:00:00', net: null, gross: 1, code: '008', huge: 1 },
  { name: 'a', day: '2024-02-01', at: '2024-02-01T12:00:00', net: -1, gross: 'NaN', code: '009', huge: 2 },
]
const COLUMNS = chartColumns(Object.keys(ROWS[0] ?? {}), ROWS)
const column = (wanted: string) => COLUMNS.find(({ name }) => name === wanted) ?? assert.fail(wanted)

describe('the chart of two columns', () => {
  it('finds the possible scale of each column', () => {
    assert.deepEqual(Object.fromEntries(COLUMNS.map(({ name, scale }) => [name, scale])), {
      name: 'name',
      day: 'time',
      at: 'time',
      net: 'number',
      gross: 'number',
      code: 'name',
      huge: 'number',
    })
  })

  it('starts with the first name and the first number, or with two numbers', () => {
    assert.deepEqual(choosePair(COLUMNS), { x: 'name', y: 'net' })
    assert.deepEqual(choosePair([column('net'), column('gross')]), { x: 'net', y: 'gross' })
    assert.equal(choosePair([column('net')]), null)
    assert.equal(choosePair([column('name'), column('day')]), null)
  })

  it('keeps names in the order of the rows, and omits rows without a number', () => {
    const { names, xs, ys, without } = seriesOf(ROWS, column('name'), 'net')
    assert.deepEqual([names, xs, ys, without], [['b', 'a'], [0, 1], [2, -1], 1])
  })

  it('sorts times, read as UTC', () => {
    const { names, xs } = seriesOf(ROWS, column('day'), 'huge')
    assert.deepEqual(names, ['2024-01-01', '2024-02-01', '2024-03-01'])
    assert.equal(xs[0], Date.UTC(2024, 0, 1) / 1000)
    assert.equal(seriesOf(ROWS, column('at'), 'huge').xs[0], Date.UTC(2024, 0, 1, 12) / 1000)
  })

  it('sorts numbers', () => {
    const { xs, ys, without } = seriesOf(ROWS, column('huge'), 'gross')
    assert.deepEqual([xs, ys, without], [[1, Number(ROWS[0]?.huge)], [1, 4], 1])
  })

  it('draws 60 bars at most, and counts the others', () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ name: `n${at}`, value: at }))
    const { names, beyond } = seriesOf(many, { name: 'name', scale: 'name' }, 'value')
    assert.deepEqual([names.length, names[0], beyond], [60, 'n0', 40])
  })

  it('has short numbers on its axes', () => {
    const texts = [0, 0.25, 1234, 50_000, -2_500_000, 0.00012, 3e21].map(shortNumber)
    assert.deepEqual(texts, ['0', '0.25', '1,234', '50K', '-2.5M', '1.2e-4', '3e+21'])
  })
})
