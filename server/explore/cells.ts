/** Numbers that JSON has no way to write come as texts. */
const NUMBER_TEXT = /^(?:-?\d+(?:\.\d+)?|NaN|-?Infinity)$/

/** A value of a row as it is shown. */
export interface Cell {
  text: string
  kind: 'text' | 'number' | 'null' | 'json'
}

/** How a value is shown: nothing of it is rounded or left out. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return { text: 'null', kind: 'null' }
  if (typeof value === 'object') return { text: JSON.stringify(value), kind: 'json' }
  return { text: String(value), kind: typeof value === 'number' ? 'number' : 'text' }
}

/** Whether these values are a column of numbers, some of which may be too large for JSON or missing. */
export function areNumbers(values: readonly unknown[]): boolean {
  const told = values.filter(value => value !== null && value !== undefined)
  const isNumber = (value: unknown) =>
    typeof value === 'number' || (typeof value === 'string' && NUMBER_TEXT.test(value))
  // Texts of digits alone are more likely to be codes than numbers beyond what a double holds.
  return told.every(isNumber) && told.some(value => typeof value === 'number' || String(value).length > 15)
}
