import { createHash } from 'node:crypto'

/** Characters of a digest. */
const LENGTH = 16
/** Comments, quoted names and literals. A token without an end goes on to the end of the text, so that no end is sought twice. */
const TOKENS = new RegExp(
  [
    '--[^\\n]*',
    String.raw`/\*[\s\S]*?(?:\*/|$)`,
    '"(?:[^"]|"")*(?:"|$)',
    String.raw`(?<!\w)e'(?:[^'\\]|''|\\[\s\S])*(?:'|$)`,
    String.raw`(?:(?<!\w)x)?'(?:[^']|'')*(?:'|$)`,
    String.raw`(?<!\w)\$(\w*)\$[\s\S]*?(?:\$\1\$|$)`,
    String.raw`(?<![\w$.])(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?`,
  ].join('|'),
  'gi',
)
/** Lists of literals of any length are one. */
const LISTS = /\?(?: ?, ?\?)+/g

/**
 * A digest that statements have in common which differ in nothing but literals, comments, white space, and the case of
 * what is not quoted: 16 hexadecimal digits. It groups them, and tells nothing of what they ask for.
 */
export function statementDigest(sql: string): string {
  const text = sql
    .replace(TOKENS, token => {
      if (token.startsWith('--') || token.startsWith('/*')) return ' '
      return token.startsWith('"') ? hex(token) : '?'
    })
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),;=<>+*/-]) ?/g, '$1')
    .replace(/;+/g, ';')
    .replace(LISTS, '?')
    .trim()
  const statement = text.endsWith(';') ? text.slice(0, -1) : text
  return createHash('sha256').update(statement).digest('hex').slice(0, LENGTH)
}

/** A quoted name as characters that nothing of the above changes. */
function hex(name: string): string {
  return `"${Buffer.from(name).toString('hex')}"`
}
