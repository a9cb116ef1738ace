/** The name of a column by its number, from 1 on: A … Z, AA … XFD. */
export function columnName(number: number): string {
  const [before, letter] = [Math.floor((number - 1) / 26), String.fromCharCode(65 + ((number - 1) % 26))]
  return before > 0 ? columnName(before) + letter : letter
}

/** How Excel writes a character that XML lacks. */
export function spelledOut(code: number): string {
  return `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`
}
