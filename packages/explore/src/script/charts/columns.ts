import type { Row } from 'foldgate/client'
import { numberOf, type RowColumn } from '../values.js'
import { sortInName, timeOf, unitInName } from './units.js'

/** A column of quantities. */
export interface QuantityColumn extends RowColumn {
  /** The column that says the unit of each row; null if there is none. */
  unitColumn: string | null
  /** The unit of all rows; null if it is not known, or if rows differ. */
  unit: string | null
  /** Measures with the same family may share an axis. */
  family: string
}

/** The columns of a result by what a chart can do with them. */
export interface Facts {
  rows: readonly Row[]
  columns: readonly RowColumn[]
  measures: readonly QuantityColumn[]
  /** Columns that name or group rows, those that read well before codes. */
  categories: readonly RowColumn[]
  /** Dates, times and years. */
  times: readonly RowColumn[]
}

/**
 * Of a wide result, the first columns of each role count: a
 * chart could not offer more, and pairs of them take time.
 */
const MOST_COLUMNS = 12
const PLACE = /(^|_)(lat|latitude|lon|lng|long|longitude)$/i
const YEAR = /(^|_)year$|^year_/i
const CODE = /(^|_)(id|uuid|num|key|code|ref|rank|iso2|iso3|scope|month|quarter|week|day|year)$/i
const UNIT = /(^|_)unit$/i

/** Sorts the columns of a result by their types, names and values. */
export function factsOf(columns: readonly RowColumn[], rows: readonly Row[]): Facts {
  const roles = columns.map(column => ({ column, role: roleOf(column, rows) }))
  const having = (role: Role) =>
    roles
      .filter(one => one.role === role)
      .slice(0, MOST_COLUMNS)
      .map(({ column }) => column)
  const units = having('unit').map(({ name }) => name)
  const measures = having('measure').map(column => measureOf(column, units, rows))
  // A unit column that belongs to no measure groups rows like any other text column.
  const spare = having('unit').filter(({ name }) => !measures.some(({ unitColumn }) => unitColumn === name))
  const categories = [...having('category'), ...spare]
  return {
    rows,
    columns,
    measures,
    categories: [
      ...categories.filter(({ name }) => !CODE.test(name)),
      ...categories.filter(({ name }) => CODE.test(name)),
    ],
    times: having('time'),
  }
}

type Role = 'measure' | 'category' | 'time' | 'unit' | 'none'

function roleOf({ name, kind }: RowColumn, rows: readonly Row[]): Role {
  const told = rows.map(row => row[name]).filter(value => value !== null && value !== undefined)
  if (kind === 'nested' || PLACE.test(name) || told.length === 0) return 'none'
  if (kind === 'time') return told.some(value => !Number.isNaN(timeOf(value))) ? 'time' : 'none'
  if (YEAR.test(name) && told.every(value => isYear(numberOf(value)))) return 'time'
  if (kind === 'text') return UNIT.test(name) ? 'unit' : 'category'
  if (kind === 'boolean') return 'category'
  if (CODE.test(name)) return told.every(value => Number.isInteger(numberOf(value))) ? 'category' : 'none'
  return told.some(value => Number.isFinite(numberOf(value))) ? 'measure' : 'none'
}

function isYear(number: number): boolean {
  return Number.isInteger(number) && number >= 1000 && number <= 3000
}

function measureOf(column: RowColumn, units: readonly string[], rows: readonly Row[]): QuantityColumn {
  const own = units.find(unit => unit.toLowerCase() === `${column.name}_unit`.toLowerCase())
  const named = unitInName(column.name)
  const sort = sortInName(column)
  // A count of sites is not in the unit of the amounts beside it.
  const shared =
    named === null && sort === null ? units.find(unit => unit.toLowerCase() === 'unit') : undefined
  const unitColumn = own ?? shared ?? null
  if (unitColumn === null) return { ...column, unitColumn, unit: named, family: named ?? sort ?? '' }
  const [only, ...others] = unitsOf(rows, unitColumn)
  return {
    ...column,
    unitColumn,
    unit: others.length === 0 ? (only?.unit ?? null) : null,
    family: `in ${unitColumn}`,
  }
}

/**
 * Units of rows and how many rows have each, the most frequent first. The unit of a row without one is null.
 */
export function unitsOf(rows: readonly Row[], unitColumn: string): { unit: string | null; count: number }[] {
  const counts = new Map<string | null, number>()
  for (const row of rows) {
    const value = row[unitColumn] ?? null
    const unit = value === null ? null : String(value)
    counts.set(unit, (counts.get(unit) ?? 0) + 1)
  }
  return [...counts].map(([unit, count]) => ({ unit, count })).sort((one, other) => other.count - one.count)
}

/** A value as the name of a category. */
export function labelOf(value: unknown): string {
  return value === null || value === undefined ? 'null' : String(value)
}

/** How many different values a column has. */
export function variety(rows: readonly Row[], { name }: Pick<RowColumn, 'name'>): number {
  return once(rows, `variety ${name}`, () => new Set(rows.map(row => labelOf(row[name]))).size)
}

/** Whether no two rows agree in all of these columns. */
export function tellApart(rows: readonly Row[], names: readonly string[]): boolean {
  return once(rows, `apart ${JSON.stringify(names)}`, () => {
    const seen = new Set<string>()
    for (const row of rows) {
      const key = names.map(name => labelOf(row[name])).join('\u0000')
      if (seen.has(key)) return false
      seen.add(key)
    }
    return true
  })
}

const known = new WeakMap<readonly Row[], Map<string, unknown>>()

/** Computes something of these rows once: the choice of a chart asks the same for many pairs of columns. */
export function once<Result>(rows: readonly Row[], what: string, compute: () => Result): Result {
  const results = known.get(rows) ?? new Map<string, unknown>()
  known.set(rows, results)
  if (!results.has(what)) results.set(what, compute())
  return results.get(what) as Result
}

/** Where a value lies on an axis of time: years as they are, the rest in milliseconds. */
export function momentOf(value: unknown, { kind }: RowColumn): number {
  return kind === 'time' ? timeOf(value) : numberOf(value)
}

/** A row with its place on earth, in degrees. */
export interface GeoPlace {
  latitude: number
  longitude: number
  row: Row
}

/**
 * The columns that hold coordinates, matched by name: `latitude` and `longitude`, `site_lat` and `site_lon`.
 */
export function coordinatesOf(columns: readonly RowColumn[]): { latitude: string; longitude: string } | null {
  const numbers = columns.filter(({ kind }) => kind === 'number').map(({ name }) => name)
  for (const latitude of numbers) {
    const prefix = /^(.*_)?(?:lat|latitude)$/i.exec(latitude)
    if (!prefix) continue
    const start = (prefix[1] ?? '').toLowerCase()
    const ends = ['longitude', 'lon', 'lng', 'long'].map(end => start + end)
    const longitude = numbers.find(name => ends.includes(name.toLowerCase()))
    if (longitude !== undefined) return { latitude, longitude }
  }
  return null
}

/** The rows that have a place on earth, and how many have none. */
export function placesOf(
  columns: readonly RowColumn[],
  rows: readonly Row[],
): { places: GeoPlace[]; without: number } {
  const names = coordinatesOf(columns)
  if (!names) return { places: [], without: rows.length }
  const places = rows
    .map(row => ({ row, latitude: numberOf(row[names.latitude]), longitude: numberOf(row[names.longitude]) }))
    .filter(({ latitude, longitude }) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)
  return { places, without: rows.length - places.length }
}
