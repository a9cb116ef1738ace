import { Refusal } from './refusal.js'

/** The longest statement, in UTF-8 bytes. */
export const MAX_SQL_BYTES = 64 * 1024

/** Refuses what no statement looks like before any parser sees it. */
export function checkText(sql: string): void {
  const refuse = (message: string, hint?: string) => new Refusal({ rule: 'text', message, ...(hint ? { hint } : {}) })
  if (sql.trim() === '') throw refuse('The statement is empty.', 'Write one SELECT.')
  if (Buffer.byteLength(sql) > MAX_SQL_BYTES) throw refuse(`The statement is longer than ${MAX_SQL_BYTES / 1024} KiB.`)
  if (sql.includes('\0')) throw refuse('The statement holds a NUL character.', 'Remove it.')
  if (!isWellFormed(sql)) throw refuse('The statement holds half of a surrogate pair.', 'Send well-formed Unicode.')
}

/** Line and column, both from 1 and in characters, of a byte offset in the caller's text. */
export function locate(sql: string, byteOffset: number): { line: number; column: number } {
  const before = Buffer.from(sql).subarray(0, byteOffset).toString()
  const lines = before.split('\n')
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}

const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y
const WORD = /[\w\u0080-\uffff$]/

/**
 * Length of the statement before its first semicolon outside strings, names and comments (the whole text when there
 * is none). What this reader gets wrong is caught: the caller parses the cut text again and compares the trees.
 */
export function statementLength(sql: string): number {
  let at = 0
  while (at < sql.length) {
    const char = sql[at]
    if (char === ';') return at
    if (char === "'") at = skipQuoted(sql, at, "'", /[eE]/.test(sql[at - 1] ?? '') && !WORD.test(sql[at - 2] ?? ' '))
    else if (char === '"') at = skipQuoted(sql, at, '"', false)
    else if (sql.startsWith('--', at)) at = skipTo(sql, at, '\n')
    else if (sql.startsWith('/*', at)) at = skipComment(sql, at)
    else if (char === '$' && !WORD.test(sql[at - 1] ?? ' ')) at = skipDollarQuoted(sql, at)
    else at += 1
  }
  return sql.length
}

function skipTo(sql: string, from: number, end: string): number {
  const found = sql.indexOf(end, from)
  return found < 0 ? sql.length : found + end.length
}

function skipQuoted(sql: string, from: number, quote: string, escapes: boolean): number {
  let at = from + 1
  while (at < sql.length) {
    if (escapes && sql[at] === '\\') at += 2
    else if (sql[at] !== quote) at += 1
    else if (sql[at + 1] === quote) at += 2
    else return at + 1
  }
  return at
}

function skipComment(sql: string, from: number): number {
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

function skipDollarQuoted(sql: string, from: number): number {
  DOLLAR_QUOTE.lastIndex = from
  const tag = DOLLAR_QUOTE.exec(sql)?.[0]
  return tag ? skipTo(sql, from + tag.length, tag) : from + 1
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
