/**
 * The engine's JSON type takes texts that are no JSON: NaN and the infinities, and commas before a closing bracket.
 * Embedded in a row they would break the whole answer, so they are written as the rest of a row writes them.
 */
export function mendJson(row: string): string {
  if (isJson(row)) return row
  return row.replace(TOKEN, token => {
    if (token.startsWith('"')) return token
    if (token.startsWith(',')) return token.slice(1)
    const lower = token.toLowerCase()
    return lower.startsWith('n') ? '"NaN"' : lower.startsWith('-') ? '"-Infinity"' : '"Infinity"'
  })
}

const TOKEN = /"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])|-?\b(?:infinity|inf)\b|\bnan\b/gi

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
