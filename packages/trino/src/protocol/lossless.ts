/** An integer that a double may not hold, where a value of JSON can stand; strings can have one, too. */
const LONG_INTEGER = /(?<=[[{,:\s]|^)-?\d{16,}(?=[\]},\s]|$)/g
const BACKSLASH = 92

/**
 * Parses JSON; integers of 16 and more digits become strings of their digits, as a number would lose some of
 * them.
 */
export function parseLossless(text: string): unknown {
  const parts: string[] = []
  let kept = 0
  /** Where the last string before an integer ends, and the next one opens. */
  let [closed, open] = [0, text.indexOf('"')]
  for (const { 0: digits, index } of text.matchAll(LONG_INTEGER)) {
    for (; open >= 0 && open < index; open = text.indexOf('"', closed)) closed = endOfString(text, open)
    if (closed > index) continue // inside of a string
    parts.push(text.slice(kept, index), '"', digits, '"')
    kept = index + digits.length
  }
  return JSON.parse(parts.length > 0 ? [...parts, text.slice(kept)].join('') : text)
}

/** The index after the string that opens at `open`. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let escapes = 0
    while (text.charCodeAt(close - 1 - escapes) === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return close + 1
  }
  return text.length
}
