import type { Row } from 'foldgate'
import { areNumbers, cellOf } from './cells.js'

/** What a column can be in a chart. */
export type Scale = 'number' | 'time' | 'name'

/** A column as a chart sees it. */
export interface ChartColumn {
  name: string
  scale: Scale
}

/** Two columns as points in the order in which they are drawn. */
export interface Series {
  scale: Scale
  /** What each point is called. */
  names: string[]
  /** Where it stands: a number, epoch seconds, or for names their place from 0. */
  xs: number[]
  ys: number[]
  /** Rows that have no number to draw. */
  without: number
  /** Rows beyond what a chart of names holds. */
  beyond: number
}

/** More bars than that nobody reads. */
const MOST_BARS = 60
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?$/

/** How each column can be drawn. */
export function chartColumns(columns: readonly string[], rows: readonly Row[]): ChartColumn[] {
  return columns.map(name => ({ name, scale: scaleOf(rows.map(row => row[name])) }))
}

function scaleOf(values: readonly unknown[]): Scale {
  if (areNumbers(values)) return 'number'
  const told = values.filter(value => value !== null)
  return told.length > 0 && told.every(value => typeof value === 'string' && TIME.test(value)) ? 'time' : 'name'
}

/** The two columns that most likely tell something; null when there are no numbers to draw. */
export function choosePair(columns: readonly ChartColumn[]): { x: string; y: string } | null {
  const numbers = columns.filter(({ scale }) => scale === 'number')
  const other = columns.find(({ scale }) => scale !== 'number')
  const [first, second] = numbers
  if (other && first) return { x: other.name, y: first.name }
  return first && second ? { x: first.name, y: second.name } : null
}

/** The points of two columns; of names the rows stay as they come, else they are put in order. */
export function seriesOf(rows: readonly Row[], x: ChartColumn, y: string): Series {
  const all = rows.map(row => ({
    name: cellOf(row[x.name]).text,
    at: positionOf(row[x.name], x.scale),
    y: numberOf(row[y]),
  }))
  const drawn = all.filter(point => Number.isFinite(point.y) && Number.isFinite(point.at))
  const points = x.scale === 'name' ? drawn.slice(0, MOST_BARS) : drawn.toSorted((a, b) => a.at - b.at)
  return {
    scale: x.scale,
    names: points.map(({ name }) => name),
    xs: points.map(({ at }, index) => (x.scale === 'name' ? index : at)),
    ys: points.map(point => point.y),
    without: all.length - drawn.length,
    beyond: drawn.length - points.length,
  }
}

function positionOf(value: unknown, scale: Scale): number {
  if (scale === 'name') return 0
  if (scale === 'number') return numberOf(value)
  // Without a zone it is UTC here, so that it is drawn as it is written.
  const text = String(value)
  return Date.parse(text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text) / 1000
}

function numberOf(value: unknown): number {
  return value === null || value === '' ? Number.NaN : Number(value)
}

/** A number as an axis has room for it. */
export function shortNumber(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-3 || size >= 1e15)) return value.toExponential(2).replace(/\.?0+e/, 'e')
  return value.toLocaleString('en', { notation: size >= 1e4 ? 'compact' : 'standard', maximumSignificantDigits: 4 })
}
