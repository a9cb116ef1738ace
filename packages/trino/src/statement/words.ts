import { isSign, isWord, type Lexeme } from './lexemes.js'
import { clip, refusal, SPLIT } from './refusal.js'

/**
 * Trino reads a lambda anew for each function that it may be for: ten within each other take 20 s, before any
 * limit.
 */
const MAX_LAMBDA_DEPTH = 5
/** Keywords that tell the name of a user, catalog or schema of ours. */
const TELLING = new Set(['CURRENT_USER', 'CURRENT_CATALOG', 'CURRENT_SCHEMA', 'CURRENT_PATH', 'CURRENT_ROLE'])
const TELLING_NAMES = new Set(['current_groups'])
/** Names of schemas that hold relations, whatever they begin with. */
const OURS = /[sbp]_[0-9a-f]{16}$/i
const VERSION = [['FOR'], ['VERSION', 'TIMESTAMP'], ['AS'], ['OF']] as const

/** Refuses names and versions that callers may not use, one of which begins at `index`. */
export function checkWord(sql: string, lexemes: readonly Lexeme[], index: number): void {
  checkName(sql, lexemes[index] as Lexeme, lexemes[index + 1])
  checkVersion(sql, lexemes.slice(index, index + VERSION.length))
}

/** A lambda goes on until the comma or parenthesis that ends the argument that it is. */
export function checkLambdas(sql: string, lexemes: readonly Lexeme[]): void {
  /** How many lambdas begin in the argument under way, for each parenthesis that is open. */
  const begun = [0]
  for (const [index, lexeme] of lexemes.entries()) {
    const { text, start, kind } = lexeme
    if (kind !== 'sign') continue
    if (text === '(' || text === '[') begun.push(0)
    else if (text === ')' || text === ']') begun.pop()
    else if (text === ',') begun[begun.length - 1] = 0
    else if (text === '>' && isSign('-')(lexemes[index - 1] ?? lexeme)) {
      begun[begun.length - 1] = (begun.at(-1) ?? 0) + 1
      if (begun.reduce((sum, count) => sum + count) <= MAX_LAMBDA_DEPTH) continue
      const message = `Lambdas are nested more than ${MAX_LAMBDA_DEPTH} deep.`
      throw refusal(sql, 'complexity', message, SPLIT, start)
    }
  }
}

/**
 * Trino shows everyone the names of all schemas in `information_schema`, and knows hidden tables and columns
 * by a `$`. What it says of a schema of ours would tell whether there is one.
 */
function checkName(sql: string, lexeme: Lexeme, next: Lexeme | undefined): void {
  const { kind, text, start } = lexeme
  if (kind !== 'word' && kind !== 'quoted') return
  const isSchema =
    text.toLowerCase() === 'information_schema' ||
    (OURS.test(text) && next !== undefined && isSign('.')(next))
  if (isSchema || (kind === 'quoted' && text.includes('$'))) {
    const message = `${clip(text)} is no relation or column of this project.`
    throw refusal(sql, 'relation', message, 'projects/describe lists them.', start)
  }
  if ((kind === 'word' && TELLING.has(text.toUpperCase())) || TELLING_NAMES.has(text.toLowerCase())) {
    const message = `${text.toUpperCase()} cannot be used.`
    throw refusal(sql, 'function', message, 'Leave it out.', start)
  }
}

/** Callers read views, of which Trino ignores the version. */
function checkVersion(sql: string, lexemes: readonly Lexeme[]): void {
  if (!VERSION.every((words, index) => lexemes[index] && isWord(lexemes[index], ...words))) return
  const message = 'Relations have no versions.'
  throw refusal(sql, 'construct', message, 'Leave FOR … AS OF out.', lexemes[0]?.start)
}
