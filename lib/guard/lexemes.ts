import { Refusal } from './refusal.js'

/**
 * Characters of operators that may stand in a row. The parser takes as many as it can and then gives them back one by
 * one, in time that grows with the cube of their number; comments without a blank between them are such a row too.
 */
const MAX_OPERATOR_CHARACTERS = 64
const MAX_COMMENT_CHARACTERS = 1024

const OPERATORS = /[~!@#^&|`?+\-*/%<>=]+/y
const WORD = /(?:[A-Za-z_]|[^\0-\x7f\s\u200b])(?:[\w$]|[^\0-\x7f\s\u200b])*/y
const DOLLAR_QUOTE = /\$(?:(?:[A-Za-z_]|[^\0-\x7f\s\u200b])(?:\w|[^\0-\x7f\s\u200b])*)?\$/y

/** Blanks of the parser. At the end of a text it takes those beyond ASCII for letters, so none is left there. */
const BLANK = /[\s\u200b]/

/**
 * Length of the statement before its first semicolon outside strings, names and comments (the end of the text when
 * there is none) and before the blanks there. What this reader gets wrong costs a refusal, no more: what it cuts out is
 * what is parsed and what runs.
 */
export function statementLength(sql: string): number {
  let at = 0
  while (at < sql.length && sql[at] !== ';') at = lexemeEnd(sql, at)
  at = Math.min(at, sql.length)
  while (at > 0 && BLANK.test(sql.charAt(at - 1))) at -= 1
  return at
}

/** Where the first character stands that is no blank, no comment and none of `passed`. */
export function skipBlanks(sql: string, from: number, passed: string): number {
  let at = from
  while (at < sql.length) {
    if (isComment(sql, at)) at = lexemeEnd(sql, at)
    else if (BLANK.test(sql.charAt(at)) || passed.includes(sql.charAt(at))) at += 1
    else return at
  }
  return at
}

/** Where the string, name, word, comment, row of operators or other character that starts here ends. */
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

/** Where a match that starts here ends; `at` without one. */
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
