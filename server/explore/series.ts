import type { Row } from 'foldgate'
import { areNumbers, cellOf } from './cells.js'

/** How the values of a column are placed along an axis. */
export type Scale = 'number' | 'time' | 'name'

/** A column with its scale. */
export interface ChartColumn {
  name: string
  scale: Scale
}

/** Two columns as points, in drawing order. */
export interface Series {
  scale: Scale
  /** Name of each point. */
  names: string[]
  /** Position of each point: a number, epoch seconds, or for names the index from 0. */
  xs: number[]
  ys: number[]
  /** Rows left out because they have no number to draw. */
  without: number
  /** Rows left out because a chart of names has too many. */
  beyond: number
}

/** A chart with more bars is unreadable. */
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

/** The default columns: a number against another kind of column, else two numbers; null if there are neither. */
export function choosePair(columns: readonly ChartColumn[]): { x: string; y: string } | null {
  const numbers = columns.filter(({ scale }) => scale === 'number')
  const other = columns.find(({ scale }) => scale !== 'number')
  const [first, second] = numbers
  if (other && first) return { x: other.name, y: first.name }
  return first && second ? { x: first.name, y: second.name } : null
}

/** The points of two columns, in row order for names and sorted by x otherwise. */
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
  // A time without a zone is read as UTC, so that it is drawn as written.
  const text = String(value)
  return Date.parse(text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text) / 1000
}

function numberOf(value: unknown): number {
  return value === null || value === '' ? Number.NaN : Number(value)
}

/** A number in the short form that fits an axis. */
export function shortNumber(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-3 || size >= 1e15)) return value.toExponential(2).replace(/\.?0+e/, 'e')
  return value.toLocaleString('en', { notation: size >= 1e4 ? 'compact' : 'standard', maximumSignificantDigits: 4 })
}
