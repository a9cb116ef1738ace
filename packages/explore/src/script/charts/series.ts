import type { Row } from 'foldgate/client'
import { counted } from '../dom.js'
import { numberOf, type RowColumn } from '../values.js'
import { MOST_CATEGORIES, MOST_SERIES, type Plot, rowsOf } from './choose.js'
import { type Facts, labelOf, momentOf } from './columns.js'
import type { Hover } from './svg.js'
import { titled } from './units.js'

/** A value of a series. */
export interface Spot {
  /** Index of the category, a year, milliseconds or a number across. */
  at: number
  value: number
  row: Row
}

export interface Series {
  name: string
  /** From 1 to 8; the stylesheet has a colour for each. */
  slot: number
  spots: Spot[]
}

/** The drawn marks, free of columns and rows. */
export interface Picture {
  plot: Plot
  xTitle: string
  yTitle: string
  /** How the places across are to be read. */
  across: 'categories' | 'years' | 'time' | 'numbers'
  /** Names of the categories, in order; empty unless there are categories. */
  labels: string[]
  /** The column that the series are of; empty where they are measures. */
  legend: string
  series: Series[]
  /** The chart in a sentence, then what was left out. */
  said: string
}

/** What the tooltip of a spot says. */
export type Describe = (spot: Spot, series: Series) => Pick<Hover, 'title' | 'lines'>

interface Dot extends Spot {
  label: string
  series: string
}

/** Reads what a plot draws from the rows. */
export function pictureOf(facts: Facts, plot: Plot): Picture {
  const rows = rowsOf(facts, plot)
  const x = facts.columns.find(({ name }) => name === plot.x) as RowColumn
  const across = plot.mark === 'bars' ? 'categories' : acrossOf(facts, x)
  const found = dotsOf(rows, x, across, plot)
  const labels = across === 'categories' ? labelsIn(found.dots, x, facts) : []
  const { kept, lost } = mostOf(found.dots, plot)
  const drawn = kept.filter(({ label }) => across !== 'categories' || labels.indexOf(label) < MOST_CATEGORIES)
  const places = new Map(labels.map((label, at) => [label, at]))
  const series = namesOf(drawn, plot).map((name, at) => ({
    name,
    slot: at + 1,
    spots: drawn
      .filter(dot => dot.series === name)
      .map(({ at, value, row, label }) => ({ at: places.get(label) ?? at, value, row }))
      .sort((one, other) => one.at - other.at),
  }))
  const [xTitle, yTitle] = [titled(plot.x, unitOf(facts, plot.x, plot)), valueTitle(facts, plot)]
  const marks = drawn.length
  const notes = [
    found.without > 0 && `${counted(found.without, 'row')} without a number left out.`,
    rows.length < facts.rows.length &&
      `${counted(facts.rows.length - rows.length, 'row')} of other units left out.`,
    labels.length > MOST_CATEGORIES &&
      `The first ${MOST_CATEGORIES} of ${labels.length} categories are drawn.`,
    lost > 0 && `${lost} more series with smaller values left out.`,
  ]
  const sentence = `${plot.values.join(', ')} by ${plot.x}${plot.colour ? ` and ${plot.colour}` : ''}`
  const what =
    plot.mark === 'lines'
      ? counted(series.length, 'line')
      : counted(marks, plot.mark === 'bars' ? 'bar' : 'point')
  return {
    plot,
    across,
    xTitle,
    yTitle,
    labels: labels.slice(0, MOST_CATEGORIES),
    legend: plot.colour ?? '',
    series,
    said: [`${sentence}, ${what}.`, ...notes.filter(note => note !== false)].join(' '),
  }
}

function acrossOf({ times }: Facts, x: RowColumn): Picture['across'] {
  if (x.kind === 'time') return 'time'
  return times.includes(x) ? 'years' : 'numbers'
}

function dotsOf(rows: readonly Row[], x: RowColumn, across: Picture['across'], { values, colour }: Plot) {
  const dots: Dot[] = []
  let without = 0
  for (const row of rows) {
    const at = across === 'categories' ? 0 : momentOf(row[x.name], x)
    const before = dots.length
    for (const name of values) {
      const value = numberOf(row[name])
      if (!Number.isFinite(value) || !Number.isFinite(at)) continue
      dots.push({
        at,
        value,
        row,
        label: labelOf(row[x.name]),
        series: colour === null ? name : labelOf(row[colour]),
      })
    }
    if (dots.length === before) without++
  }
  return { dots, without }
}

/** Categories keep the order of the rows; years and dates run forward. */
function labelsIn(dots: readonly Dot[], x: RowColumn, { times }: Facts): string[] {
  const labels = [...new Set(dots.map(({ label }) => label))]
  return times.includes(x) ? labels.sort() : labels
}

/** The dots of the series that get a colour: the series whose values add up to the most. */
function mostOf(dots: readonly Dot[], { colour }: Plot): { kept: readonly Dot[]; lost: number } {
  const sizes = new Map<string, number>()
  for (const { series, value } of dots) sizes.set(series, (sizes.get(series) ?? 0) + Math.abs(value))
  if (colour === null || sizes.size <= MOST_SERIES) return { kept: dots, lost: 0 }
  const largest = [...sizes].sort(([, one], [, other]) => other - one).slice(0, MOST_SERIES)
  const names = new Set(largest.map(([name]) => name))
  return { kept: dots.filter(({ series }) => names.has(series)), lost: sizes.size - MOST_SERIES }
}

/** Series in the order of the measures or rows, but numbers in their own. */
function namesOf(dots: readonly Dot[], { colour, values }: Plot): string[] {
  if (colour === null) return values.filter(name => dots.some(({ series }) => series === name))
  const names = [...new Set(dots.map(({ series }) => series))]
  const areNumbers = names.every(name => name === 'null' || !Number.isNaN(numberOf(name)))
  const rank = (name: string) => (name === 'null' ? Number.MAX_VALUE : numberOf(name))
  return areNumbers ? names.sort((one, other) => rank(one) - rank(other)) : names
}

/** The unit of a measure in a plot; null if there is none. */
export function unitOf({ measures }: Facts, name: string, { unit, values }: Plot): string | null {
  const measure = measures.find(one => one.name === name)
  if (!measure) return null
  const first = measures.find(one => one.name === values[0])
  return measure.unitColumn !== null && measure.unitColumn === first?.unitColumn
    ? (unit ?? null)
    : measure.unit
}

function valueTitle(facts: Facts, plot: Plot): string {
  return titled(plot.values.join(', '), unitOf(facts, plot.values[0] ?? '', plot))
}
