import type { Token } from './tokens.js'

/** A place in a text as the API tells it: both from 1, columns in characters. */
export interface Place {
  line: number
  column: number
}

/** A span of a text, in UTF-16 units. */
export interface TextSpan {
  start: number
  end: number
}

/** Where a place is in the text, in UTF-16 units; one beyond a line or the text is its end. */
export function offsetOf(text: string, { line, column }: Place): number {
  const lines = text.split('\n')
  if (line > lines.length) return text.length
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  const characters = [...(lines[line - 1] ?? '')].slice(0, column - 1)
  return before + characters.join('').length
}

/** What to mark for a place: the piece there, or the next that can be seen, or at the end of the text the last. */
export function spanAt(tokens: readonly Token[], offset: number): TextSpan | null {
  let start = 0
  let last: TextSpan | null = null
  for (const { kind, text } of tokens) {
    const end = start + text.length
    if (kind !== 'space') {
      last = { start, end }
      if (end > offset) return last
    }
    start = end
  }
  return last
}
