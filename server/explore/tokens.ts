/** The kind of a token, which decides its colour. */
export type TokenKind = 'keyword' | 'word' | 'string' | 'number' | 'name' | 'comment' | 'sign' | 'space'

/** A piece of SQL. All tokens together are the text. */
export interface Token {
  kind: TokenKind
  text: string
}

const KEYWORDS = new Set(
  `all and anti any array as asc asof between by case cast collate columns cross cube current desc distinct else end
  escape except exclude exists extract false filter first following from full glob group grouping having ilike in inner
  intersect interval is isnull join last lateral left like limit map natural not notnull null nulls offset on or order
  outer over partition pivot positional preceding qualify range recursive replace right rollup row rows sample select
  semi sets similar some struct table then ties to true try_cast unbounded union unpivot using values when where window
  with within`.split(/\s+/),
)

/** The pattern of each kind, in the order in which they are tried. Any other character is a sign. */
const SHAPES: readonly [TokenKind, RegExp][] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*/y],
  ['string', /[eE]'(?:[^'\\]|''|\\[\s\S])*(?:'|$)/y],
  ['string', /(?:[xX])?'(?:[^']|'')*(?:'|$)/y],
  ['string', /(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?(?:\1|$)/y],
  ['name', /"(?:[^"]|"")*(?:"|$)/y],
  ['number', /0[xX][\da-fA-F_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['sign', /[\s\S]/uy],
]

/** The tokens of a text, which need not be valid SQL: an unclosed string or comment extends to the end. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < sql.length; ) {
    const token = tokenAt(sql, at)
    tokens.push(token)
    at += token.text.length
  }
  return tokens
}

function tokenAt(sql: string, at: number): Token {
  if (sql.startsWith('/*', at)) return { kind: 'comment', text: sql.slice(at, commentEnd(sql, at)) }
  for (const [kind, shape] of SHAPES) {
    shape.lastIndex = at
    const text = shape.exec(sql)?.[0]
    if (text === undefined) continue
    return { kind: kind === 'word' && isKeyword(text) ? 'keyword' : kind, text }
  }
  return { kind: 'sign', text: sql.charAt(at) }
}

/** Whether a word is an SQL keyword. */
export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word.toLowerCase())
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
