import type { Token } from './tokens.js'

/** A place in a statement as the API reports it: line and column from 1, columns in characters (code points). */
export interface Place {
  line: number
  column: number
}

/** A span of a string, in UTF-16 code units. */
export interface TextSpan {
  start: number
  end: number
}

/** Offset of a place in UTF-16 code units; beyond a line or the text, the end of it. */
export function offsetOf(text: string, { line, column }: Place): number {
  const lines = text.split('\n')
  if (line > lines.length) return text.length
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  const characters = [...(lines[line - 1] ?? '')].slice(0, column - 1)
  return before + characters.join('').length
}

/** What to mark for an offset: the token there, else the next one that is not space, else the last one. */
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
