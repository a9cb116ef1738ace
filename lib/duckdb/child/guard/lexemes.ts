import { Refusal } from '../../../guard/refusal.js'

/**
 * Longest run of operator characters. The parser matches as many as it can and then backtracks one by one, in
 * time cubic in the length of the run. Comments without a blank between them also form such a run.
 */
const MAX_OPERATOR_CHARACTERS = 64
const MAX_COMMENT_CHARACTERS = 1024

const OPERATORS = /[~!@#^&|`?+\-*/%<>=]+/y
const WORD = /(?:[A-Za-z_]|[^\0-\x7f\s\u200b])(?:[\w$]|[^\0-\x7f\s\u200b])*/y
const DOLLAR_QUOTE = /\$(?:(?:[A-Za-z_]|[^\0-\x7f\s\u200b])(?:\w|[^\0-\x7f\s\u200b])*)?\$/y

/**
 * The parser's blanks. At the end of its input it takes non-ASCII blanks for letters, so they are trimmed
 * there.
 */
const BLANK = /[\s\u200b]/

/**
 * Length of the statement up to its first semicolon outside strings, names and comments, or else up to the
 * end, without trailing blanks. A lexing mistake here costs at most a wrong refusal: the guard parses, and
 * the engine runs, exactly the part cut out.
 */
export function statementLength(sql: string): number {
  let at = 0
  while (at < sql.length && sql[at] !== ';') at = lexemeEnd(sql, at)
  at = Math.min(at, sql.length)
  while (at > 0 && BLANK.test(sql.charAt(at - 1))) at -= 1
  return at
}

/** Index of the first character, starting at `from`, that is not a blank, in a comment or one of `passed`. */
export function skipBlanks(sql: string, from: number, passed: string): number {
  let at = from
  while (at < sql.length) {
    if (isComment(sql, at)) at = lexemeEnd(sql, at)
    else if (BLANK.test(sql.charAt(at)) || passed.includes(sql.charAt(at))) at += 1
    else return at
  }
  return at
}

/** A list in parentheses, and the word that makes grouping sets of its items. */
interface Grouping {
  word: string
  items: number
}

/**
 * Grouping sets, at most, that the parser writes out for the CUBE, ROLLUP and GROUPING SETS of a statement: a
 * CUBE of 15 columns, in 84 bytes, is 32,768 of them in the tree.
 */
export function groupingSets(statement: string): number {
  let all = 0
  let sets = 1 // of the GROUP BY being read
  for (const { word, items } of groupings(statement)) {
    if (word === 'GROUP') {
      all += sets
      sets = 1
    } else sets *= word === 'CUBE' ? 2 ** items : word === 'ROLLUP' ? items + 1 : Math.max(1, items)
  }
  return all + sets
}

/** Each GROUP, and each CUBE, ROLLUP and SETS with the number of items in the parentheses after it, in order. */
function groupings(statement: string): Grouping[] {
  const found: Grouping[] = []
  const open: (Grouping | null)[] = []
  let last: Grouping | null = null // whose parenthesis would come next
  for (let at = skipBlanks(statement, 0, ''); at < statement.length; ) {
    const end = lexemeEnd(statement, at)
    const lexeme = statement.slice(at, end).toUpperCase()
    at = skipBlanks(statement, end, '')
    const inside = open.at(-1)
    if ('([{'.includes(lexeme)) {
      if (last && lexeme === '(') last.items = 1
      open.push(lexeme === '(' ? last : null)
    } else if (')]}'.includes(lexeme)) open.pop()
    else if (lexeme === ',' && inside) inside.items += 1
    last = /^(GROUP|CUBE|ROLLUP|SETS)$/.test(lexeme) ? { word: lexeme, items: 0 } : null
    if (last) found.push(last)
  }
  return found
}

/** End of the string, name, word, comment, run of operators or other character that starts at `at`. */
function lexemeEnd(sql: string, at: number): number {
  const char = sql.charAt(at)
  if (char === "'" || char === '"') return quotedEnd(sql, at, false)
  if (/[eE]/.test(char) && sql[at + 1] === "'") return quotedEnd(sql, at + 1, true)
  if (char === '$') return dollarQuotedEnd(sql, at)
  if (sql.startsWith('--', at)) return endOf(sql, at, '\n')
  if (sql.startsWith('/*', at)) return commentEnd(sql, at)
  return Math.max(matchEnd(WORD, sql, at), operatorsEnd(sql, at), at + 1)
}

function isComment(sql: string, at: number): boolean {
  return sql.startsWith('--', at) || sql.startsWith('/*', at)
}

function operatorsEnd(sql: string, at: number): number {
  const end = matchEnd(OPERATORS, sql, at)
  if (end - at > MAX_OPERATOR_CHARACTERS) throw tooManyInARow(sql, at)
  for (let inside = at + 1; inside < end; inside++) if (isComment(sql, inside)) return inside
  return end
}

function commentEnd(sql: string, from: number): number {
  if (matchEnd(OPERATORS, sql, from) - from > MAX_COMMENT_CHARACTERS) throw tooManyInARow(sql, from)
  let depth = 0
  let at = from
  do {
    const opens = sql.startsWith('/*', at)
    const closes = !opens && sql.startsWith('*/', at)
    depth += opens ? 1 : closes ? -1 : 0
    at += opens || closes ? 2 : 1
  } while (depth > 0 && at < sql.length)
  return at
}

function quotedEnd(sql: string, from: number, escapes: boolean): number {
  const quote = sql[from]
  let at = from + 1
  while (at < sql.length) {
    if (escapes && sql[at] === '\\') at += 2
    else if (sql[at] !== quote) at += 1
    else if (sql[at + 1] === quote) at += 2
    else return at + 1
  }
  return at
}

function dollarQuotedEnd(sql: string, from: number): number {
  const tag = sql.slice(from, matchEnd(DOLLAR_QUOTE, sql, from))
  return tag === '' ? from + 1 : endOf(sql, from + tag.length, tag)
}

function endOf(sql: string, from: number, end: string): number {
  const found = sql.indexOf(end, from)
  return found < 0 ? sql.length : found + end.length
}

/** End of the match that starts at `at`; `at` itself when there is none. */
function matchEnd(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(sql) ? pattern.lastIndex : at
}

function tooManyInARow(sql: string, at: number): Refusal {
  return new Refusal({
    rule: 'complexity',
    message: 'Too many operators or comments stand in a row.',
    hint: 'Separate them with blanks.',
    offset: Buffer.byteLength(sql.slice(0, at)),
  })
}
