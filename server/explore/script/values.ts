/** How the page treats a column: it decides alignment, formats and charts. */
export type Kind = 'number' | 'time' | 'boolean' | 'text' | 'nested'

/** A column of a result. */
export interface Column {
  name: string
  /** DuckDB's name of the type, such as `DECIMAL(18,3)`; null when it could not be read. */
  type: string | null
  kind: Kind
}

/** The kind of a type of DuckDB. */
export function kindOf(type: string): Kind {
  if (/[[\]]|^(STRUCT|MAP|UNION|JSON|VARIANT)\b/.test(type)) return 'nested'
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL|BIGNUM)\b/.test(type)) return 'number'
  if (/^(DATE|TIMESTAMP)\b|^TIMESTAMP_/.test(type)) return 'time'
  return type === 'BOOLEAN' ? 'boolean' : 'text'
}

/** Columns without known types: the kind of each is that of the values of a page. */
export function columnsOf(
  names: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Column[] {
  return names.map(name => ({ name, type: null, kind: kindOfValues(rows.map(row => row[name])) }))
}

function kindOfValues(values: readonly unknown[]): Kind {
  const told = values.filter(value => value !== null && value !== undefined)
  if (told.length === 0) return 'text'
  if (told.every(value => typeof value === 'boolean')) return 'boolean'
  if (told.some(value => typeof value === 'object')) return 'nested'
  if (told.every(value => typeof value === 'number')) return 'number'
  return told.every(value => typeof value === 'string' && /^\d{4}-\d\d-\d\d([T ]|$)/.test(value))
    ? 'time'
    : 'text'
}

/** A value as it is in the answer, neither rounded nor shortened; null is the word. */
export function fullText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * A value as a number. NaN unless it is one, or a string of digits, which stands for numbers beyond a double.
 */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
}

/** A value formatted for reading: numbers have groups of digits and at most six significant decimals. */
export function shortText(value: unknown, { kind }: Pick<Column, 'kind'>): string {
  if (value === null || value === undefined) return 'null'
  if (kind === 'number') {
    const number = numberOf(value)
    return Number.isNaN(number) ? fullText(value) : shortNumber(number)
  }
  if (kind === 'time' && typeof value === 'string') return value.replace('T', ' ').replace(/ 00:00:00$/, '')
  return fullText(value)
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
