import { RESERVED } from './keywords.js'

/**
 * A place in a statement as the API reports it: line and column from 1, columns in characters (code points).
 */
export interface TextPlace {
  line: number
  column: number
}

/** A span of a string, in UTF-16 code units. */
export interface TextSpan {
  start: number
  end: number
}

/** A piece of a statement. All pieces together are its text. */
export interface SqlLexeme extends TextSpan {
  kind: 'space' | 'comment' | 'string' | 'parameter' | 'name' | 'number' | 'word' | 'sign'
  text: string
}

/** The pattern of each kind, in the order in which they are tried. Any other character is a sign. */
const SHAPES: readonly [SqlLexeme['kind'], RegExp][] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*/y],
  ['string', /[eE]'(?:[^'\\]|''|\\[\s\S])*(?:'|$)/y],
  ['string', /[xX]?'(?:[^']|'')*(?:'|$)/y],
  ['string', /(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?(?:\1|$)/y],
  ['parameter', /\$[A-Za-z_]\w*/y],
  ['name', /"(?:[^"]|"")*(?:"|$)/y],
  ['number', /0[xX][\da-fA-F_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['sign', /[\s\S]/uy],
]

/**
 * The lexemes of a text, which need not be valid SQL: an unclosed string or comment extends to the end.
 *
 * The parser that colours the editor does not serve here: it takes `+--` as an operator, which starts a
 * comment in DuckDB, and does not read names beyond ASCII.
 */
export function lexemesOf(sql: string): SqlLexeme[] {
  const lexemes: SqlLexeme[] = []
  for (let at = 0; at < sql.length; ) {
    const [kind, end] = nextOf(sql, at)
    lexemes.push({ kind, start: at, end, text: sql.slice(at, end) })
    at = end
  }
  return lexemes
}

function nextOf(sql: string, at: number): [SqlLexeme['kind'], number] {
  if (sql.startsWith('/*', at)) return ['comment', commentEnd(sql, at)]
  for (const [kind, shape] of SHAPES) {
    shape.lastIndex = at
    if (shape.test(sql)) return [kind, shape.lastIndex]
  }
  return ['sign', at + 1]
}

/** End of a block comment. In DuckDB block comments nest. */
function commentEnd(sql: string, from: number): number {
  const bounds = /\/\*|\*\//g
  bounds.lastIndex = from
  let depth = 0
  for (let bound = bounds.exec(sql); bound; bound = bounds.exec(sql)) {
    depth += bound[0] === '/*' ? 1 : -1
    if (depth === 0) return bounds.lastIndex
  }
  return sql.length
}

/** Whether a string, a quoted name or a block comment lacks its end. */
export function isUnclosed({ kind, text }: SqlLexeme): boolean {
  if (kind === 'comment') return text.startsWith('/*') && commentEnd(`${text}*/`, 0) > text.length
  if (kind !== 'string' && kind !== 'name') return false
  const tag = /^\$\w*\$/.exec(text)?.[0]
  if (tag) return text.length < 2 * tag.length || !text.endsWith(tag)
  const bare = /^[eE]/.test(text) ? text.replace(/\\[\s\S]/g, '') : text
  return bare.split(kind === 'name' ? '"' : "'").length % 2 === 0
}

/** Offset of a place in UTF-16 code units; beyond a line or the text, the end of it. */
export function offsetOf(text: string, { line, column }: TextPlace): number {
  const lines = text.split('\n')
  if (line > lines.length) return text.length
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  const characters = [...(lines[line - 1] ?? '')].slice(0, column - 1)
  return before + characters.join('').length
}

/** What to mark for an offset: the lexeme there, else the next one that is not space, else the last one. */
export function spanAt(text: string, offset: number): TextSpan | null {
  const visible = lexemesOf(text).filter(({ kind }) => kind !== 'space')
  const found = visible.find(({ end }) => end > offset) ?? visible.at(-1)
  return found ? { start: found.start, end: found.end } : null
}

/**
 * A name as an SQL identifier: quoted if it is a reserved word, has capitals or other than plain characters.
 */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/**
 * A statement within another one. `around` gets it without the semicolons and comments that follow it, and
 * with a newline at its end; null if the text is empty, unclosed or several statements.
 */
export function wrapped(sql: string, around: (inner: string) => string): string | null {
  const lexemes = lexemesOf(sql).filter(isCode)
  while (lexemes.at(-1)?.text === ';') lexemes.pop()
  const last = lexemes.at(-1)
  if (!last || isUnclosed(last)) return null
  let depth = 0
  for (const { kind, text } of lexemes) {
    if (kind !== 'sign') continue
    if (text === '(') depth++
    else if (text === ')') depth--
    if (text === ';' || depth < 0) return null
  }
  return depth === 0 ? around(`${sql.slice(0, last.end)}\n`) : null
}

/** What the page adds to a statement: an order of its rows, and a text that they have to contain. */
export interface ShapedRows {
  /** The column by its index; null for the order of the statement. */
  sort: { column: number; isDescending: boolean } | null
  /** In any column, in any case; '' for all rows. */
  filter: string
}

/** A statement with the rows of `sql` in a shape; null if the text is not one whole statement. */
export function shaped(sql: string, columns: readonly string[], { sort, filter }: ShapedRows): string | null {
  if (!sort && filter === '') return sql
  const values = columns.map(name => `result.${quoted(name)}::VARCHAR`).join(', ')
  const text = `'${filter.replaceAll("'", "''")}'`
  const where = filter === '' ? '' : `\nWHERE contains(lower(concat_ws(' ', ${values})), lower(${text}))`
  const order = sort ? `\nORDER BY ${sort.column + 1}${sort.isDescending ? ' DESC' : ''} NULLS LAST` : ''
  return wrapped(sql, inner => `SELECT * FROM (${inner}) AS result${where}${order}`)
}

/** Whether a statement limits its rows itself, so that a sort or a filter of them is of a part. */
export function hasLimit(sql: string): boolean {
  let depth = 0
  return lexemesOf(sql).some(({ kind, text }) => {
    if (text === '(') depth++
    else if (text === ')') depth--
    return depth === 0 && kind === 'word' && /^(?:limit|fetch|offset)$/i.test(text)
  })
}

/** Whether a lexeme is neither space nor a comment. */
export function isCode({ kind }: SqlLexeme): boolean {
  return kind !== 'space' && kind !== 'comment'
}

/** A name for comparison: DuckDB ignores case, even of quoted names. */
export function folded(name: string): string {
  return name.toLowerCase()
}

/** The name that a word or a quoted name stands for. */
export function nameIn({ kind, text }: SqlLexeme): string {
  return kind === 'name' ? text.replace(/^"|"$/g, '').replaceAll('""', '"') : text
}
