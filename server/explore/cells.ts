/** Numbers that JSON cannot represent arrive as strings. */
const NUMBER_TEXT = /^(?:-?\d+(?:\.\d+)?|NaN|-?Infinity)$/

/** A value of a row as it is shown. */
export interface Cell {
  text: string
  kind: 'text' | 'number' | 'null' | 'json'
}

/** Formats a value without rounding or shortening it. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return { text: 'null', kind: 'null' }
  if (typeof value === 'object') return { text: JSON.stringify(value), kind: 'json' }
  return { text: String(value), kind: typeof value === 'number' ? 'number' : 'text' }
}

/** Whether these values are a column of numbers. Some may be null, or strings where JSON cannot represent them. */
export function areNumbers(values: readonly unknown[]): boolean {
  const told = values.filter(value => value !== null && value !== undefined)
  const isNumber = (value: unknown) =>
    typeof value === 'number' || (typeof value === 'string' && NUMBER_TEXT.test(value))
  // Only numbers beyond the precision of a double arrive as digit strings; a column of short ones has codes.
  return told.every(isNumber) && told.some(value => typeof value === 'number' || String(value).length > 15)
}
