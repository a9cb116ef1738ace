import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Row } from 'foldgate/client'
import { choose, type Plot } from '#explore/script/charts/choose.js'
import { coordinatesOf, factsOf, placesOf } from '#explore/script/charts/columns.js'
import { pictureOf } from '#explore/script/charts/series.js'
import { tick, timeOf, unitInName } from '#explore/script/charts/units.js'
import { columnsOf, type RowColumn } from '#explore/script/values.js'
import { STYLE } from '../../../../server/dist/pages/style.js'
import { guessedColumns } from './guessed-columns.js'

function factsFrom(rows: Row[], types: Record<string, Partial<RowColumn>> = {}) {
  return factsOf(guessedColumns(rows, types), rows)
}

function plotFrom(rows: Row[]): Plot {
  const plot = choose(factsFrom(rows))
  assert.ok(plot)
  return plot
}

/** A row per pair of these values. */
function crossed<One, Other>(ones: One[], others: Other[], row: (one: One, other: Other) => Row): Row[] {
  return ones.flatMap(one => others.map(other => row(one, other)))
}

describe('the series of a chart', () => {
  it('leave out what has no number, and say so', () => {
    const rows = [
      { kind: 'a', value: 1 },
      { kind: 'b', value: null },
      { kind: 'c', value: 'NaN' },
      { kind: 'd', value: 2 },
    ]
    const facts = factsFrom(rows, { value: { kind: 'number' } })
    const plot = choose(facts)
    assert.ok(plot)
    const { labels, said } = pictureOf(facts, plot)
    assert.deepEqual(labels, ['a', 'd'])
    assert.equal(said, 'value by kind, 2 bars. 2 rows without a number left out.')
  })

  it('end at 60 categories and eight series, and say how many are missing', () => {
    const many = Array.from({ length: 75 }, (_, at) => ({ name: `n${at}`, value: at }))
    const few = pictureOf(factsFrom(many), plotFrom(many))
    assert.equal(few.labels.length, 60)
    assert.match(few.said, /first 60 of 75 categories/)
    const lines = crossed([2020, 2021, 2022], [...'abcdefghij'], (year, entity) => ({
      year,
      entity,
      value: entity === 'a' ? 0 : 5,
    }))
    const { series, said } = pictureOf(factsFrom(lines), plotFrom(lines))
    assert.deepEqual(
      series.map(({ name, slot }) => `${name}${slot}`),
      ['b1', 'c2', 'd3', 'e4', 'f5', 'g6', 'h7', 'i8'],
    )
    assert.match(said, /2 more series/)
  })

  it('run forward in time, whatever the order of the rows', () => {
    const rows = ['2024-03-01', '2024-01-01', '2024-02-01'].map((day, at) => ({ day, value: at }))
    const [series] = pictureOf(factsFrom(rows), plotFrom(rows)).series
    assert.deepEqual(
      series?.spots.map(({ value }) => value),
      [1, 2, 0],
    )
  })

  it('keep numbers in their order and null last', () => {
    const rows = crossed(['a', 'b'], [10, null, 2], (kind, scope) => ({ kind, scope, net: 1 }))
    assert.deepEqual(
      pictureOf(factsFrom(rows), plotFrom(rows)).series.map(({ name }) => name),
      ['2', '10', 'null'],
    )
  })
})

describe('the words on an axis', () => {
  it('are short', () => {
    const texts = [0, 1200, 1_250_000, 0.25, 3e-8, -2e6, 4e15].map(tick)
    assert.deepEqual(texts, ['0', '1.2K', '1.25M', '0.25', '3e−8', '−2M', '4e15'])
  })

  it('name the unit in the name of a column', () => {
    const units = [
      'reported_co2_t',
      'gwh',
      'percent',
      'grid_tco2e_per_mwh',
      'species_yr',
      'per_capita',
      't',
      'constructor',
    ]
    assert.deepEqual(units.map(unitInName), ['t', 'GWh', '%', 'tCO₂e/MWh', 'species.yr', null, null, null])
  })

  it('read times as UTC', () => {
    const noon = Date.UTC(2024, 1, 29, 12)
    for (const text of [
      '2024-02-29T12:00:00',
      '2024-02-29 12:00:00.000',
      '2024-02-29T12:00:00Z',
      '2024-02-29 14:00:00+02',
    ])
      assert.equal(timeOf(text), noon, text)
    assert.equal(timeOf('2024-02-29'), Date.UTC(2024, 1, 29))
    for (const wrong of ['2024', '12:00', '2024-13-01', 'soon', 20240229, null])
      assert.ok(Number.isNaN(timeOf(wrong)), String(wrong))
  })
})

describe('the map', () => {
  const columns = (names: string[], type = 'DOUBLE') =>
    columnsOf(
      names,
      names.map(() => type),
    )

  it('finds the columns of coordinates by name', () => {
    assert.deepEqual(coordinatesOf(columns(['a', 'Latitude', 'LONGITUDE'])), {
      latitude: 'Latitude',
      longitude: 'LONGITUDE',
    })
    assert.deepEqual(coordinatesOf(columns(['lng', 'site_lon', 'site_lat'])), {
      latitude: 'site_lat',
      longitude: 'site_lon',
    })
    assert.equal(coordinatesOf(columns(['latitude', 'site_lon', 'flat', 'along'])), null)
    assert.equal(coordinatesOf(columns(['latitude', 'longitude'], 'VARCHAR')), null)
  })

  it('leaves out rows that are nowhere on earth', () => {
    const at = (lat: unknown, lon: unknown) => ({ lat, lon })
    const rows = [
      at(50, 8),
      at('-33.5', '151.2'),
      at(91, 0),
      at(0, -181),
      at(null, 0),
      at('north', 0),
      at(Number.NaN, 0),
    ]
    const { places, without } = placesOf(columns(['lat', 'lon']), rows)
    assert.deepEqual(
      places.map(({ latitude, longitude }) => [latitude, longitude]),
      [
        [50, 8],
        [-33.5, 151.2],
      ],
    )
    assert.equal(without, 5)
    assert.deepEqual(placesOf([], rows), { places: [], without: 7 })
  })
})

describe('the colours of series', () => {
  it('have a contrast of at least 3 to 1 against the card, in light and in dark mode', async () => {
    const style = await readFile(new URL('../../src/style/charts.css', import.meta.url), 'utf8')
    const colours = (style: string, name: string) =>
      [...style.matchAll(new RegExp(`--${name}: (#\\w{6})`, 'g'))].map(([, hex]) => hex ?? '')
    const cards = colours(STYLE, 'card')
    assert.equal(cards.length, 2)
    for (let slot = 1; slot <= 8; slot++) {
      const series = colours(style, `series-${slot}`)
      assert.equal(series.length, 2)
      for (const [mode, colour] of series.entries())
        assert.ok(contrast(colour, cards[mode] ?? '') >= 3, `${slot} ${colour}`)
    }
  })
})

/** The contrast of two colours by WCAG 2. */
function contrast(one: string, other: string): number {
  const luminance = (hex: string) => {
    const parts = [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    const [red = 0, green = 0, blue = 0] = parts.map(part =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}
