import type { Row } from 'foldgate/client'
import { numberOf, type RowColumn } from '../values.js'
import { type Facts, momentOf, once, type QuantityColumn, tellApart, unitsOf, variety } from './columns.js'
import { addsUp } from './units.js'

export type Mark = 'bars' | 'lines' | 'points'

/** What a chart draws of a result. */
export interface Plot {
  mark: Mark
  /** Column of the categories, of the time or of the measure across. */
  x: string
  /** Measures upward; with a colour, or as points, only one. */
  values: readonly string[]
  /** Column whose values are the series; null where the measures are. */
  colour: string | null
  isStacked: boolean
  /** The unit whose rows are drawn; undefined where all rows are. */
  unit: string | null | undefined
}

/** A colour per series; more series are not drawn. */
export const MOST_SERIES = 8
/** More bars than these cannot be read. */
export const MOST_CATEGORIES = 60
const MARKS: readonly Mark[] = ['lines', 'bars', 'points']

/** The chart closest to `wish`, by default the most informative one; null if none makes sense. */
export function choose(facts: Facts, wish: Partial<Plot> = {}): Plot | null {
  if (facts.rows.length < 2) return null
  const wished = facts.measures.find(({ name }) => name === wish.values?.[0])
  const measures = wished ? [wished, ...facts.measures.filter(one => one !== wished)] : facts.measures
  let crowded: Plot | null = null
  for (const mark of wish.mark ? [wish.mark, ...MARKS] : MARKS) {
    for (const measure of measures) {
      const plot = attempt(facts, mark, measure, wish)
      if (!plot) continue
      const isCrowded =
        mark === 'bars' && !wish.mark && variety(rowsOf(facts, plot), { name: plot.x }) > MOST_CATEGORIES
      if (!isCrowded) return plot
      crowded ??= plot
    }
  }
  return crowded
}

/** Why there is no chart of a result, as a sentence. */
export function whyNot({ rows, measures, categories, times }: Facts): string {
  if (rows.length === 0) return 'There are no rows to draw.'
  if (rows.length === 1) return 'A single row makes no chart.'
  const [measure] = measures
  if (!measure) return 'No column holds quantities. Codes, years and coordinates are not drawn as amounts.'
  const numbers = rows.filter(row => Number.isFinite(numberOf(row[measure.name])))
  if (numbers.length < 2) return `Fewer than two rows have a number in ${measure.name}.`
  if (measure.unitColumn && (unitsOf(rows, measure.unitColumn)[0]?.count ?? 0) < 2)
    return 'Each row has a unit of its own, so the rows cannot share an axis.'
  const group = [...categories, ...times].find(column => variety(rows, column) > 1)
  if (!group) return `No column tells the rows apart. Select a category or a date next to ${measure.name}.`
  return `Several rows have the same ${group.name}, and no other column tells them apart. Add GROUP BY ${group.name}.`
}

/** The columns that can be chosen in place of the parts of a plot. */
export interface Options {
  marks: Mark[]
  xs: string[]
  /** Null stands for no colour. */
  colours: (string | null)[]
  values: string[]
  units: { unit: string | null; count: number }[]
  canStack: boolean
}

/** The alternatives that can be drawn, among them the plot itself. */
export function optionsOf(facts: Facts, plot: Plot): Options {
  const measure = facts.measures.find(({ name }) => name === plot.values[0]) as QuantityColumn
  const rows = numbered(rowsOf(facts, plot), measure)
  const frames = framesOf(facts, plot.mark, measure, rows)
  const isPossible = (mark: Mark) => facts.measures.some(one => attempt(facts, mark, one, {}) !== null)
  return {
    marks: (['bars', 'lines', 'points'] as const).filter(isPossible),
    xs: frames.filter(({ colours }) => colours.length > 0).map(({ x }) => x.name),
    colours: frames.find(({ x }) => x.name === plot.x)?.colours ?? [null],
    values: facts.measures.filter(one => attempt(facts, plot.mark, one, {})).map(({ name }) => name),
    units: measure.unitColumn ? unitsOf(facts.rows, measure.unitColumn) : [],
    canStack: plot.mark === 'bars' && (plot.colour !== null || plot.values.length > 1),
  }
}

/** The rows in the unit of a plot. */
export function rowsOf(
  { rows, measures }: Facts,
  { values, unit }: Pick<Plot, 'values' | 'unit'>,
): readonly Row[] {
  const unitColumn = measures.find(({ name }) => name === values[0])?.unitColumn
  if (!unitColumn || unit === undefined) return rows
  return once(rows, `in ${unitColumn} ${JSON.stringify(unit)}`, () =>
    rows.filter(row => (row[unitColumn] === null ? null : String(row[unitColumn])) === unit),
  )
}

function attempt(facts: Facts, mark: Mark, measure: QuantityColumn, wish: Partial<Plot>): Plot | null {
  const values = [measure.name]
  const unit = unitFor(facts, measure, wish)
  const rows = numbered(rowsOf(facts, { values, unit }), measure)
  if (rows.length < 2) return null
  const frames = framesOf(facts, mark, measure, rows).filter(({ colours }) => colours.length > 0)
  const frame =
    frames.find(({ x }) => x.name === wish.x) ??
    frames.find(({ colours }) => colours.includes(null)) ??
    frames[0]
  if (!frame) return null
  const { x, colours } = frame
  const isWished = wish.colour !== undefined && colours.includes(wish.colour)
  const usual = (mark === 'points' ? groupIn(colours) : colours[0]) ?? null
  const plot: Plot = {
    mark,
    x: x.name,
    values,
    colour: isWished ? (wish.colour ?? null) : usual,
    isStacked: false,
    unit,
  }
  if (mark !== 'points' && plot.colour === null) plot.values = together(facts, measure, plot, wish.values)
  plot.isStacked = mark === 'bars' && (wish.isStacked ?? stacks(plot, rows))
  return plot
}

function numbered(rows: readonly Row[], { name }: QuantityColumn): readonly Row[] {
  return once(rows, `numbers ${name}`, () => {
    const having = rows.filter(row => Number.isFinite(numberOf(row[name])))
    return having.length === rows.length ? rows : having
  })
}

/** A colour tells groups of points apart; without one all points look the same. */
function groupIn(colours: readonly (string | null)[]): string | null {
  return colours.find(colour => colour !== null) ?? null
}

function unitFor(facts: Facts, measure: QuantityColumn, wish: Partial<Plot>): string | null | undefined {
  if (!measure.unitColumn) return undefined
  const units = unitsOf(numbered(facts.rows, measure), measure.unitColumn)
  const wished = units.find(({ unit }) => unit === wish.unit)
  return (wished ?? units[0])?.unit ?? null
}

interface ChartAxes {
  x: RowColumn
  /** Columns that tell rows with the same x apart, and null if nothing has to. */
  colours: (string | null)[]
}

/**
 * For each column that can run across, what can be its
 * colours. None if bars or lines would lie on each other.
 */
function framesOf(facts: Facts, mark: Mark, measure: QuantityColumn, rows: readonly Row[]): ChartAxes[] {
  const sizes = new Map(
    [...facts.categories, ...facts.times].map(column => [column.name, variety(rows, column)]),
  )
  const sizeOf = ({ name }: RowColumn) => sizes.get(name) ?? 0
  const groups = [...facts.categories, ...facts.times].filter(column => sizeOf(column) > 1)
  if (mark === 'points') {
    const colours = facts.categories.filter(one => sizeOf(one) > 1 && sizeOf(one) <= MOST_SERIES)
    return acrossOf(facts, measure, rows).map(x => ({
      x,
      colours: [null, ...colours.map(({ name }) => name)],
    }))
  }
  // The columns whose values all get a colour come first.
  const series = [...groups].sort(
    (one, other) => Number(sizeOf(one) > MOST_SERIES) - Number(sizeOf(other) > MOST_SERIES),
  )
  const isUnique = (column: RowColumn) => sizeOf(column) === rows.length
  // A line needs at least two points.
  const isGroup = (column: RowColumn) =>
    sizeOf(column) <= rows.length / 2 || (mark === 'bars' && sizeOf(column) <= MOST_SERIES)
  return (mark === 'lines' ? facts.times : groups)
    .filter(x => sizeOf(x) > 1)
    .map(x => {
      const others = series.filter(
        one => one !== x && isGroup(one) && (isUnique(x) || tellApart(rows, [x.name, one.name])),
      )
      const names = others.map(({ name }) => name)
      return { x, colours: isUnique(x) ? [null, ...names] : names }
    })
}

/** What points can lie along: times, and measures of which each row drawn has the same unit. */
function acrossOf({ measures, times }: Facts, measure: QuantityColumn, rows: readonly Row[]): RowColumn[] {
  const isUniform = (one: QuantityColumn) =>
    !one.unitColumn || one.unitColumn === measure.unitColumn || unitsOf(rows, one.unitColumn).length === 1
  const isSpread = (column: RowColumn) => {
    const all = rows.map(row => momentOf(row[column.name], column)).filter(Number.isFinite)
    return all.length > 2 && new Set(all).size > 1
  }
  return [...measures.filter(one => one.name !== measure.name && isUniform(one)), ...times].filter(isSpread)
}

/** The measures on one axis: those wished for, or those whose values are of a comparable size. */
function together(facts: Facts, measure: QuantityColumn, plot: Plot, wished?: readonly string[]): string[] {
  const all = rowsOf(facts, plot)
  const size = (one: QuantityColumn) =>
    Math.max(0, ...numbered(all, one).map(row => Math.abs(numberOf(row[one.name]))))
  const ratio = (one: QuantityColumn) => size(one) / size(measure)
  const isAlike = (one: QuantityColumn) => ratio(one) < 50 && ratio(one) > 1 / 50
  const isChosen = wished?.includes(measure.name)
    ? ({ name }: QuantityColumn) => wished.includes(name)
    : isAlike
  return facts.measures
    .filter(one => one === measure || (one.family === measure.family && isChosen(one)))
    .filter(one => tellApart(numbered(all, one), [plot.x]))
    .slice(0, MOST_SERIES)
    .map(({ name }) => name)
}

/** Parts of a whole are stacked. Several measures are not: a measure may be a part of another one. */
function stacks({ values: [value = ''], colour }: Plot, rows: readonly Row[]): boolean {
  return colour !== null && addsUp(value) && rows.every(row => !(numberOf(row[value]) < 0))
}
