/** A piece of a statement that is neither blank nor comment. */
export interface Lexeme {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'sign'
  /** The piece as written; quoted names and strings without their quotes. */
  text: string
  /** Where it begins, in UTF-16 units. */
  start: number
  end: number
}

/** Where a quote or comment begins that does not end, or a character that no Trino statement has there. */
export interface UnreadablePart {
  start: number
  found: 'quote' | 'comment' | 'character'
}

/**
 * The lexemes of Trino's grammar. Blanks are space, tab and line ends; a comment does not hold another;
 * strings and quoted names hold their quote doubled and know no backslash. Trino reads keywords by the upper
 * case of each character, so that the letters ſ and ı are an S and an I: nothing beyond ASCII is let pass
 * outside of quotes and comments.
 */
const LEXEMES = [
  ['blank', /[ \t\r\n]+/y],
  ['comment', /--[^\r\n]*|\/\*[\s\S]*?\*\//y],
  ['string', /'(?:[^']|'')*'/y],
  ['quoted', /"(?:[^"]|"")*"/y],
  ['word', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['number', /[0-9][A-Za-z0-9_]*/y],
  ['comment that does not end', /\/\*/y],
  ['sign', /[!#$%&()*+,\-./:;<=>?@[\\\]^{|}~]/y],
] as const

/** Cuts a statement into lexemes; says where that is not possible. */
export function lexemesOf(sql: string): Lexeme[] | UnreadablePart {
  const lexemes: Lexeme[] = []
  for (let start = 0; start < sql.length; ) {
    const found = lexemeAt(sql, start)
    if (!found) return { start, found: /["'`]/.test(sql[start] as string) ? 'quote' : 'character' }
    const [kind, end] = found
    if (kind === 'comment that does not end') return { start, found: 'comment' }
    if (kind !== 'blank' && kind !== 'comment')
      lexemes.push({ kind, text: textOf(kind, sql.slice(start, end)), start, end })
    start = end
  }
  return lexemes
}

function lexemeAt(sql: string, start: number) {
  for (const [kind, pattern] of LEXEMES) {
    pattern.lastIndex = start
    if (pattern.test(sql)) return [kind, pattern.lastIndex] as const
  }
  return undefined
}

function textOf(kind: Lexeme['kind'], written: string): string {
  if (kind === 'quoted') return written.slice(1, -1).replaceAll('""', '"')
  return kind === 'string' ? written.slice(1, -1) : written
}

/** Whether a lexeme is one of these keywords. */
export function isWord({ kind, text }: Lexeme, ...words: string[]): boolean {
  return kind === 'word' && words.includes(text.toUpperCase())
}

/** Whether a lexeme is this sign. */
export function isSign(sign: string) {
  return ({ kind, text }: Lexeme) => kind === 'sign' && text === sign
}
