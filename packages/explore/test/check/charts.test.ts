import assert from 'node:assert/strict'
import type { Row } from 'foldgate/client'
import { choose, type Mark, optionsOf, type Plot, whyNot } from '#explore/script/charts/choose.js'
import { factsOf } from '#explore/script/charts/columns.js'
import { pictureOf } from '#explore/script/charts/series.js'
import type { RowColumn } from '#explore/script/values.js'
import { guessedColumns } from './guessed-columns.js'

function factsFrom(rows: Row[], types: Record<string, Partial<RowColumn>> = {}) {
  return factsOf(guessedColumns(rows, types), rows)
}

function plotFrom(rows: Row[], wish?: Partial<Plot>): Plot {
  const plot = choose(factsFrom(rows), wish)
  assert.ok(plot)
  return plot
}

/** A row per pair of these values. */
function crossed<One, Other>(ones: One[], others: Other[], row: (one: One, other: Other) => Row): Row[] {
  return ones.flatMap(one => others.map(other => row(one, other)))
}

const PRESSURES = crossed(['co2', 'nox', 'water'], [1, 2, 3], (pressure_indicator, scope) => {
  const unit = pressure_indicator === 'water' ? 'm3' : 't'
  return { pressure_indicator, unit, scope, net: 10 * scope, gross: 20 * scope }
})

describe('the columns of a chart', () => {
  it('are amounts only if they are not codes, years or coordinates', () => {
    const row = {
      site_id: 1,
      biome_num: 2,
      latitude: 50,
      lon: 8,
      scope: 1,
      start_year: 2001,
      rank: 1,
      zip_code: 4,
      net: 2.5,
    }
    const { measures, times } = factsFrom([row, { ...row, net: 3 }])
    assert.deepEqual(
      measures.map(({ name }) => name),
      ['net'],
    )
    assert.deepEqual(
      times.map(({ name }) => name),
      ['start_year'],
    )
  })

  it('take amounts from strings of digits, but not from nested values or text', () => {
    const rows = [{ total: '12345678901234567890', tags: [1], note: '12' }]
    const { measures } = factsFrom(rows, { total: { kind: 'number', type: 'HUGEINT' } })
    assert.deepEqual(
      measures.map(({ name }) => name),
      ['total'],
    )
  })

  it('have the unit beside them, of their name, or none', () => {
    const row = {
      name: 'a',
      net: 1,
      sites: 2,
      output_mwh: 3,
      capacity: 4,
      capacity_unit: 'MW',
      unit: 't',
      mean_score: 5,
    }
    const { measures } = factsFrom([row])
    assert.deepEqual(Object.fromEntries(measures.map(({ name, unit }) => [name, unit])), {
      net: 't',
      sites: null,
      output_mwh: 'MWh',
      capacity: 'MW',
      mean_score: null,
    })
  })
})

describe('the chart that is chosen', () => {
  const cases: [what: string, rows: Row[], mark: Mark, x: string, values: string[], colour: string | null][] = [
    [
      'bars by category',
      [
        { driver: 'a', value: 1 },
        { driver: 'b', value: 2 },
      ],
      'bars',
      'driver',
      ['value'],
      null,
    ],
    ['bars of a unit by two categories', PRESSURES, 'bars', 'pressure_indicator', ['net'], 'scope'],
    [
      'lines over years',
      crossed([2020, 2021, 2022], ['x', 'y'], (year, entity) => ({ year, entity, value: year })),
      'lines',
      'year',
      ['value'],
      'entity',
    ],
    [
      'lines over dates',
      ['2024-01-01', '2024-02-01', '2024-03-01'].map(day => ({ day, value: 1 })),
      'lines',
      'day',
      ['value'],
      null,
    ],
    [
      'several measures of one unit, by what reads well',
      ['a', 'b', 'c'].map((risk, at) => ({ risk_code: `R${at}`, risk, high_sites: 2, sites: 9, net_mean_score: 4.2 })),
      'bars',
      'risk',
      ['high_sites', 'sites'],
      null,
    ],
    [
      'points where categories repeat',
      crossed(['wind', 'coal'], [1, 2, 3], (kind, at) => ({ kind, capacity_mw: at, output_gwh: at * at })),
      'points',
      'output_gwh',
      ['capacity_mw'],
      'kind',
    ],
  ]
  for (const [what, rows, mark, x, values, colour] of cases) {
    it(`is ${what}`, () => {
      const plot = plotFrom(rows)
      assert.deepEqual([plot.mark, plot.x, plot.values, plot.colour], [mark, x, values, colour])
    })
  }

  it('stacks parts of a whole, but neither several measures, nor means, nor negative values', () => {
    const levels = (row: (level: string) => Row) =>
      crossed(['p', 't'], ['low', 'high'], (type, level) => ({ type, level, ...row(level) }))
    assert.equal(plotFrom(levels(() => ({ findings: 3 }))).isStacked, true)
    assert.equal(plotFrom(levels(() => ({ mean_cost: 3 }))).isStacked, false)
    assert.equal(plotFrom(levels(level => ({ change: level === 'low' ? -1 : 1 }))).isStacked, false)
    assert.equal(plotFrom(['a', 'b'].map(kind => ({ kind, net: 1, gross: 2 }))).isStacked, false)
  })

  it('never puts rows of different units on one axis', () => {
    assert.equal(plotFrom(PRESSURES).unit, 't')
    const water = plotFrom(PRESSURES, { unit: 'm3' })
    assert.deepEqual([water.unit, water.x], ['m3', 'scope'])
    const { series, said, yTitle } = pictureOf(factsFrom(PRESSURES), plotFrom(PRESSURES))
    assert.ok(series.flatMap(({ spots }) => spots).every(({ row }) => row.unit === 't'))
    assert.match(said, /3 rows of other units left out/)
    assert.equal(yTitle, 'net (t)')
  })

  it('keeps to what is wished for, unless that makes no sense', () => {
    const rows = ['a', 'b', 'c'].map((risk, at) => ({ risk, kind: at > 0 ? 'x' : 'y', sites: at, score: at }))
    assert.deepEqual(plotFrom(rows, { values: ['score', 'sites'] }).values, ['score'])
    assert.equal(plotFrom(rows, { x: 'kind' }).x, 'kind')
    assert.equal(plotFrom(rows, { x: 'kind' }).colour, 'risk')
    assert.equal(plotFrom(rows, { x: 'no such column', mark: 'lines', colour: 'score' }).mark, 'bars')
  })

  it('offers only what can be drawn', () => {
    const facts = factsFrom(PRESSURES)
    for (const mark of optionsOf(facts, plotFrom(PRESSURES)).marks) {
      const plot = plotFrom(PRESSURES, { mark })
      const { xs, colours, values } = optionsOf(facts, plot)
      assert.equal(plot.mark, mark)
      assert.ok(xs.includes(plot.x) && colours.includes(plot.colour) && values.includes(plot.values[0] ?? ''), mark)
      for (const x of xs) assert.equal(plotFrom(PRESSURES, { ...plot, x }).x, x)
      for (const colour of colours) assert.equal(plotFrom(PRESSURES, { ...plot, colour }).colour, colour)
    }
  })
})

describe('no chart', () => {
  const cases: [what: string, rows: Row[], why: RegExp][] = [
    ['without rows', [], /no rows/],
    ['of a single row', [{ a: 'x', value: 1 }], /single row/],
    [
      'of codes and coordinates',
      [1, 2].map(at => ({ name: `${at}`, latitude: at, longitude: at, scope: at })),
      /quantities/,
    ],
    ['of nulls', [1, 2].map(at => ({ name: `${at}`, value: at === 1 ? 1 : null })), /Fewer than two rows/],
    ['of a lone measure', [{ value: 1 }, { value: 2 }], /tells the rows apart/],
    [
      'of repeated categories',
      [1, 2, 3, 4].map(at => ({ kind: at % 2 ? 'a' : 'b', value: at })),
      /Add GROUP BY kind\./,
    ],
    ['of a unit per row', ['t', 'm3'].map(unit => ({ name: unit, value: 1, unit })), /unit of its own/],
    ['of one value for all', [1, 1].map(value => ({ kind: 'a', value })), /apart/],
  ]
  for (const [what, rows, why] of cases) {
    it(`is drawn ${what}, and a sentence says why`, () => {
      assert.equal(choose(factsFrom(rows)), null)
      assert.match(whyNot(factsFrom(rows)), why)
    })
  }
})

describe('the chart of a wide result', () => {
  it('is chosen quickly, whatever its columns hold', () => {
    for (const [texts, numbers] of [
      [100, 100],
      [300, 0],
      [0, 300],
    ] as const) {
      const rows = Array.from({ length: 500 }, (_, row) => ({
        ...Object.fromEntries(Array.from({ length: texts }, (_, at) => [`text_${at}`, `v${(row * (at + 3)) % 97}`])),
        ...Object.fromEntries(Array.from({ length: numbers }, (_, at) => [`n_${at}`, row % (at + 2) ? row : null])),
      }))
      const start = process.cpuUsage()
      const facts = factsFrom(rows)
      const plot = choose(facts)
      if (plot) optionsOf(facts, plot)
      const { user } = process.cpuUsage(start)
      assert.ok(user < 1_000_000, `${texts} texts and ${numbers} numbers: ${user} µs`)
    }
  })
})
