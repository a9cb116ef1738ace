import { MAX_SQL_BYTES } from 'foldgate/internal'
import { Brackets, checkCalls } from './function-calls.js'
import { checkGrowth } from './growth.js'
import { isSign, isWord, type Lexeme, lexemesOf } from './lexemes.js'
import { clip, refusal, SPLIT } from './refusal.js'
import { checkLambdas, checkWord } from './words.js'

const MAX_DEPTH = 50

const BEGINNINGS = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', '('])
/** Words that make rows differ from run to run. */
const VOLATILE =
  /^(?:rand|random\w*|uuid|now|current_\w*|localtime\w*|shuffle|tablesample|arbitrary|any_value|reservoir_sample|approx_\w*)$/

/**
 * Checks a statement as far as that is possible without Trino, and returns it without a semicolon at its end. A
 * statement that passes must also be accepted as {@link wrapped}: only both together say that it is one query.
 *
 * Throws INVALID_QUERY with `rule`, `hint`, `line` and `column`.
 */
export function checkStatement(sql: string): string {
  checkText(sql)
  const lexemes = read(sql)
  const last = lexemes.findIndex(isSign(';'))
  const [first, second, third] = lexemes
  if (!first || last === 0) throw refusal(sql, 'text', 'The statement is empty.', 'Write one SELECT.')
  const after = last < 0 ? undefined : lexemes.slice(last).find(lexeme => !isSign(';')(lexeme))
  if (after) {
    const hint = 'Send the statements one by one.'
    throw refusal(sql, 'one-select', 'There is more than one statement.', hint, after.start)
  }
  if (first.kind === 'quoted' || first.kind === 'string' || !BEGINNINGS.has(first.text.toUpperCase())) {
    const hint = 'Begin with SELECT, WITH, VALUES, TABLE or (.'
    throw refusal(sql, 'one-select', 'The statement is no query.', hint, first.start)
  }
  if (isWord(first, 'WITH') && second && isWord(second, 'SESSION', 'FUNCTION') && !isNameOfQuery(third)) {
    const message = `A statement cannot begin with WITH ${second.text.toUpperCase()}.`
    throw refusal(sql, 'construct', message, 'Leave it out.', second.start)
  }
  const statement = last < 0 ? lexemes : lexemes.slice(0, last)
  checkParentheses(sql, statement)
  checkLambdas(sql, statement)
  for (const index of statement.keys()) checkWord(sql, statement, index)
  const brackets = new Brackets(statement)
  checkCalls(sql, brackets)
  checkGrowth(sql, brackets)
  return last < 0 ? sql : sql.slice(0, lexemes[last]?.start)
}

/**
 * The statement as a query of a FROM clause, which must be validated before it runs: SHOW, PREPARE, WITH
 * SESSION and all else that is no query is no query there either. The statement begins on the second line.
 */
export function wrapped(statement: string): string {
  return `SELECT * FROM (\n${statement}\n) AS q`
}

/** The `names` that the statement may read: it has the word, as it is or quoted, in any case. */
export function relationsIn(statement: string, names: Iterable<string>): string[] {
  const words = new Set(wordsOf(statement))
  return [...names].filter(name => words.has(name.toLowerCase()))
}

/** Whether rows of the statement may differ from run to run, by the words that it has. */
export function isVolatile(statement: string): boolean {
  return wordsOf(statement).some(word => VOLATILE.test(word))
}

function wordsOf(statement: string): string[] {
  return read(statement)
    .filter(({ kind }) => kind === 'word' || kind === 'quoted')
    .map(({ text }) => text.toLowerCase())
}

function checkText(sql: string): void {
  const refuse = (message: string, hint: string) => refusal(sql, 'text', message, hint)
  if (Buffer.byteLength(sql) > MAX_SQL_BYTES)
    throw refuse(`The statement is longer than ${MAX_SQL_BYTES / 1024} KiB.`, 'Ask in several statements.')
  if (sql.includes('\0')) throw refuse('The statement holds a NUL character.', 'Remove it.')
  if (/\p{Surrogate}/u.test(sql))
    throw refuse('The statement holds half of a surrogate pair.', 'Send well-formed Unicode.')
}

function read(sql: string): Lexeme[] {
  const lexemes = lexemesOf(sql)
  if (Array.isArray(lexemes)) return lexemes
  const { start, found } = lexemes
  const sign = String.fromCodePoint(sql.codePointAt(start) as number)
  const [message, hint] = {
    quote: [`The quote ${sign} does not end.`, `Strings are quoted 'so', names "so".`],
    comment: ['The comment does not end.', 'End it with */.'],
    character: [
      `The character ${JSON.stringify(sign)} cannot stand here.`,
      `Quote names that have it: "so".`,
    ],
  }[found] as [string, string]
  throw refusal(sql, 'syntax', message, hint, start)
}

/** A statement that closes a parenthesis of its wrapper would be another statement there than by itself. */
function checkParentheses(sql: string, lexemes: readonly Lexeme[]): void {
  const open: Lexeme[] = []
  let squares = 0
  /** How many were open where the pattern of a MATCH_RECOGNIZE began, in which `?` is no parameter. */
  let pattern = Number.POSITIVE_INFINITY
  for (const [index, lexeme] of lexemes.entries()) {
    const { start } = lexeme
    if (isSign('(')(lexeme)) {
      const before = lexemes[index - 1]
      if (before && isWord(before, 'PATTERN')) pattern = Math.min(pattern, open.length)
      open.push(lexeme)
    } else if (isSign('[')(lexeme)) squares += 1
    else if (isSign(']')(lexeme)) squares = Math.max(0, squares - 1)
    else if (isSign(')')(lexeme)) {
      if (!open.pop()) throw refusal(sql, 'syntax', 'This ) closes nothing.', 'Remove it.', start)
      if (open.length <= pattern) pattern = Number.POSITIVE_INFINITY
    } else if (open.length <= pattern) checkParameter(sql, lexeme, lexemes[index + 1])
    if (open.length + squares > MAX_DEPTH) {
      const message = `Parentheses and brackets are nested more than ${MAX_DEPTH} deep.`
      throw refusal(sql, 'complexity', message, SPLIT, start)
    }
  }
  const unclosed = open.at(-1)
  if (unclosed) throw refusal(sql, 'syntax', 'This ( is not closed.', 'Add a ).', unclosed.start)
}

/** Statements for Trino take no values: refuses `?` and `$name`. */
function checkParameter(sql: string, lexeme: Lexeme, next: Lexeme | undefined): void {
  const { text, start, end } = lexeme
  const isNamed = isSign('$')(lexeme) && next?.start === end && next.kind !== 'sign'
  if (!isNamed && !isSign('?')(lexeme)) return
  const name = isNamed ? clip(`$${next.text}`) : text
  const message = `${name} is a parameter, and statements in this project take none.`
  throw refusal(sql, 'construct', message, 'Write the value itself.', start)
}

/** WITH session AS (…): the word is the name of a query. */
function isNameOfQuery(lexeme: Lexeme | undefined): boolean {
  return lexeme !== undefined && (isWord(lexeme, 'AS') || isSign('(')(lexeme))
}
