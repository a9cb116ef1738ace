/** How the page treats a column: it decides alignment, formats and charts. */
export type ColumnKind = 'number' | 'time' | 'boolean' | 'text' | 'nested'

/** A column of a result. */
export interface RowColumn {
  name: string
  /** Its SQL type, such as `DECIMAL(18,3)`. */
  type: string
  kind: ColumnKind
}

/** Columns by their names and the types of these. */
export function columnsOf(names: readonly string[], types: readonly string[]): RowColumn[] {
  return names.map((name, at) => ({ name, type: types[at] ?? '', kind: kindOf(types[at] ?? '') }))
}

/** The kind of a type of DuckDB. */
export function kindOf(type: string): ColumnKind {
  if (/[[\]]|^(STRUCT|MAP|UNION|JSON|VARIANT)\b/.test(type)) return 'nested'
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL|BIGNUM)\b/.test(type)) return 'number'
  if (/^(DATE|TIMESTAMP)\b|^TIMESTAMP_/.test(type)) return 'time'
  return type === 'BOOLEAN' ? 'boolean' : 'text'
}

/** How many digits after the point a type always has: its scale. Null for types that round, or are no numbers. */
function scaleOf(type: string): number | null {
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BIGNUM)$/.test(type)) return 0
  const [, scale] = /^DECIMAL\(\d+,(\d+)\)$/.exec(type) ?? []
  return scale === undefined ? null : Number(scale)
}

/** A value with every digit, those of a DECIMAL with all of its scale; null is the word. */
export function fullText(value: unknown, { type }: Pick<RowColumn, 'type'>): string {
  const scale = scaleOf(type)
  // A number that has a scale has at most 15 digits, which a double keeps.
  if (typeof value === 'number' && scale !== null) return value.toFixed(scale)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * A value as a number. NaN unless it is one, or a string of digits, which stands for numbers beyond a double.
 */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
}

/**
 * A value formatted for reading: numbers have groups of digits. Whole numbers and DECIMAL keep all of their
 * digits; the rest has at most six significant decimals.
 */
export function shortText(value: unknown, column: Pick<RowColumn, 'kind' | 'type'>): string {
  if (value === null || value === undefined) return 'null'
  const full = fullText(value, column)
  if (column.kind === 'number') {
    const number = numberOf(value)
    if (Number.isNaN(number)) return full
    return scaleOf(column.type) === null ? shortNumber(number) : grouped(full)
  }
  if (column.kind === 'time' && typeof value === 'string')
    return value.replace('T', ' ').replace(/ 00:00:00$/, '')
  return full
}

/** Digits with a comma before every three of those before the point. */
function grouped(digits: string): string {
  const [whole = '', ...fraction] = digits.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.')
}

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const ROUNDED = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 })

/** `1,234,567`, `0.333333`, `1.5e-7`: six significant digits, but all of the digits of a whole number. */
export function shortNumber(number: number): string {
  const size = Math.abs(number)
  if (size < 1000 && Number.isInteger(number)) return String(number)
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return String(Number(number.toPrecision(6)))
  return size >= 100_000 || Number.isInteger(number) ? GROUPED.format(number) : ROUNDED.format(number)
}
