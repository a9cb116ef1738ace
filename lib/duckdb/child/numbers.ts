import type { DuckDBDecimalType, DuckDBType } from '@duckdb/node-api'
import { literal } from '../../values/quote.js'
import { DuckDBTypeId as Id } from './duckdb.js'

const SAFE_INTEGER = String(Number.MAX_SAFE_INTEGER)
const SAFE_DIGITS = 15

/** SQL for an integer as JSON: a number, or a string of its digits if a double cannot hold it. */
export function integerAsJson(value: string, type: DuckDBType): string {
  const isUnsigned = type.typeId === Id.UBIGINT || type.typeId === Id.UHUGEINT
  return numberWithin(value, isUnsigned ? '0' : `-${SAFE_INTEGER}`, SAFE_INTEGER)
}

function numberWithin(value: string, low: string, high: string, digits = `CAST(${value} AS VARCHAR)`): string {
  return `CASE WHEN ${value} BETWEEN ${low} AND ${high} THEN ${digits} WHEN ${value} IS NOT NULL THEN concat('"', ${digits}, '"') END`
}

/** SQL for a float; `quote` is put around what is no number. */
export function floatAsText(value: string, type: DuckDBType, quote: string): string {
  // to_json is three times as fast as the cast, but writes other exponents, and a FLOAT with the digits of a DOUBLE.
  const isFast = `abs(${value}) BETWEEN 0.001 AND 1e15`
  const fast = type.typeId === Id.DOUBLE ? `WHEN ${isFast} THEN CAST(to_json(${value}) AS VARCHAR) ` : ''
  const name = (text: string) => literal(quote + text + quote)
  return (
    `CASE ${fast}WHEN isfinite(${value}) THEN CAST(${value} AS VARCHAR) WHEN isnan(${value}) THEN ${name('NaN')} ` +
    `WHEN ${value} > 0 THEN ${name('Infinity')} WHEN ${value} < 0 THEN ${name('-Infinity')} END`
  )
}

/** SQL for the digits of a decimal, with at least one before the point. */
export function decimalText(value: string, type: DuckDBDecimalType): string {
  const text = `CAST(${value} AS VARCHAR)`
  // DuckDB writes .5 when the type has no digit before the point.
  return type.width === type.scale ? `regexp_replace(${text}, '^(-?)\\.', '\\10.')` : text
}

/** SQL for a decimal as JSON: a number, or a string of its digits if they are more than 15. */
export function decimalAsJson(value: string, type: DuckDBDecimalType): string {
  const digits = decimalText(value, type)
  if (type.width <= SAFE_DIGITS) return digits
  const nines = '9'.repeat(SAFE_DIGITS)
  const largest = type.scale === 0 ? nines : shiftPoint(nines, type.scale)
  const bound = (sign: string) => `CAST('${sign}${largest}' AS DECIMAL(${type.width}, ${type.scale}))`
  return numberWithin(value, bound('-'), bound(''), digits)
}

function shiftPoint(digits: string, scale: number): string {
  const padded = digits.padStart(scale + 1, '0')
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}
