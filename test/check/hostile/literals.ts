/** A literal in a statement, and what callers send in its place. */
export interface Literal {
  start: number
  end: number
  text: string
  /** A member of `parameters`: the same type and value. */
  sent: unknown
}

const TOKEN = new RegExp(
  [
    String.raw`--[^\n]*`,
    String.raw`/\*`,
    '"(?:[^"]|"")*"',
    String.raw`[eE]'(?:[^'\\]|\\.|'')*'`,
    "'(?:[^']|'')*'",
    String.raw`\$([A-Za-z_]\w*)?\$`,
    String.raw`(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?!\w)`,
    String.raw`[\p{L}_$][\p{L}\p{N}_$]*`,
  ].join('|'),
  'gsu',
)

/** Literals of a statement, in order: strings, numbers, TRUE, FALSE and NULL. */
export function literalsOf(sql: string): Literal[] {
  const found: Literal[] = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(sql); match; match = TOKEN.exec(sql)) {
    const [token, tag] = match
    if (token === '/*') TOKEN.lastIndex = endOfComment(sql, match.index)
    else if (/^\$\w*\$$/.test(token)) {
      const [open, close] = [TOKEN.lastIndex, sql.indexOf(token, TOKEN.lastIndex)]
      if (close < 0) return found
      TOKEN.lastIndex = close + token.length
      found.push({ start: match.index, end: TOKEN.lastIndex, text: `$${tag ?? ''}$…`, sent: sql.slice(open, close) })
    } else {
      const sent = sentFor(token)
      if (sent !== undefined) found.push({ start: match.index, end: TOKEN.lastIndex, text: token, sent })
    }
  }
  return found
}

/** The statement with a parameter in place of a literal. */
export function withParameter(sql: string, { start, end }: Literal, name = 'v'): string {
  return `${sql.slice(0, start)} $${name} ${sql.slice(end)}`
}

function endOfComment(sql: string, start: number): number {
  const edges = /\/\*|\*\//g
  edges.lastIndex = start
  for (let depth = 0, edge = edges.exec(sql); edge; edge = edges.exec(sql)) {
    depth += edge[0] === '/*' ? 1 : -1
    if (depth === 0) return edges.lastIndex
  }
  return sql.length
}

const KEYWORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

function sentFor(token: string): unknown {
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'")
  if (/^[\d.]/.test(token)) return numberOf(token.replaceAll('_', ''))
  return KEYWORDS.get(token.toLowerCase())
}

/** A number with the type that the parser gives it. */
function numberOf(token: string): unknown {
  if (/^\d+$/.test(token)) {
    const value = BigInt(token)
    const bits = (
      [
        [31n, 'INTEGER'],
        [63n, 'BIGINT'],
        [127n, 'HUGEINT'],
      ] as const
    ).find(([most]) => value < 2n ** most)
    return bits ? { type: bits[1], value: String(value) } : { type: 'DOUBLE', value: Number(token) }
  }
  const [whole = '', fraction = ''] = token.split('.')
  const digits = whole.replace(/^0+/, '').length + fraction.length
  if (/e/i.test(token) || digits > 38) return { type: 'DOUBLE', value: Number(token) }
  return { type: `DECIMAL(${Math.max(digits, 1)},${fraction.length})`, value: `${whole || 0}.${fraction || 0}` }
}
