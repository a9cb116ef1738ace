import { isSign, isWord, type Lexeme } from './lexemes.js'
import { refusal, SPLIT } from './refusal.js'

/** Trino reads a lambda anew for each function that it may be for: ten within each other take 20 s, before any limit. */
const MAX_LAMBDA_DEPTH = 5
/** Keywords that tell the name of a user, catalog or schema of ours. */
const TELLING = new Set(['CURRENT_USER', 'CURRENT_CATALOG', 'CURRENT_SCHEMA', 'CURRENT_PATH', 'CURRENT_ROLE'])
const TELLING_NAMES = new Set(['current_groups'])
/** Functions whose result is far larger than their arguments, in memory that Trino does not count. */
const MULTIPLYING = new Set(['combinations', 'ngrams'])
/** Arguments that say how much memory a function takes at once: their places, and the largest that they may be. */
const BOUNDED = new Map<string, readonly (readonly [place: number, most: number])[]>([
  ['lpad', [[1, 10_000]]],
  ['rpad', [[1, 10_000]]],
  ['numeric_histogram', [[0, 1_000]]],
  [
    'approx_most_frequent',
    [
      [0, 1_000],
      [2, 10_000],
    ],
  ],
])
const VERSION = [['FOR'], ['VERSION', 'TIMESTAMP'], ['AS'], ['OF']] as const

/** Refuses names, calls and versions that callers may not use, one of which begins at `index`. */
export function checkWord(sql: string, lexemes: readonly Lexeme[], index: number): void {
  checkName(sql, lexemes[index] as Lexeme)
  checkCall(sql, lexemes, index)
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
      throw refusal(sql, { rule: 'complexity', message, hint: SPLIT, start })
    }
  }
}

/** Trino shows everyone the names of all schemas in `information_schema`, and knows hidden tables and columns by a `$`. */
function checkName(sql: string, lexeme: Lexeme): void {
  const { kind, text, start } = lexeme
  if (kind !== 'word' && kind !== 'quoted') return
  if (text.toLowerCase() === 'information_schema' || (kind === 'quoted' && text.includes('$'))) {
    const message = `${clip(text)} is no relation or column of this project.`
    throw refusal(sql, { rule: 'relation', message, hint: 'projects/describe lists them.', start })
  }
  if ((kind === 'word' && TELLING.has(text.toUpperCase())) || TELLING_NAMES.has(text.toLowerCase())) {
    const message = `${text.toUpperCase()} cannot be used.`
    throw refusal(sql, { rule: 'function', message, hint: 'Leave it out.', start })
  }
}

/** Without a bound, one call of some functions ends the coordinator, where constants are computed. */
function checkCall(sql: string, lexemes: readonly Lexeme[], index: number): void {
  const { kind, text, start } = lexemes[index] as Lexeme
  const name = text.toLowerCase()
  if ((kind !== 'word' && kind !== 'quoted') || !lexemes[index + 1] || !isSign('(')(lexemes[index + 1] as Lexeme))
    return
  if (MULTIPLYING.has(name))
    throw refusal(sql, { rule: 'function', message: `${name} cannot be used.`, hint: 'Use UNNEST and joins.', start })
  const bounds = BOUNDED.get(name)
  if (!bounds) return
  const given = argumentsFrom(lexemes, index + 2)
  for (const [place, most] of bounds) {
    const [number, more] = given[place] ?? []
    if (number?.kind === 'number' && !more && Number(number.text) <= most) continue
    const message = `Argument ${place + 1} of ${name} must be a number of at most ${most}`
    throw refusal(sql, { rule: 'function', message, hint: 'Write the number itself.', start })
  }
}

/** The arguments of a call, from the first lexeme behind its parenthesis. */
function argumentsFrom(lexemes: readonly Lexeme[], first: number): Lexeme[][] {
  const found: Lexeme[][] = [[]]
  let depth = 0
  for (let index = first; index < lexemes.length; index++) {
    const lexeme = lexemes[index] as Lexeme
    if (isSign('(')(lexeme) || isSign('[')(lexeme)) depth++
    if ((isSign(')')(lexeme) || isSign(']')(lexeme)) && --depth < 0) break
    if (depth === 0 && isSign(',')(lexeme)) found.push([])
    else found.at(-1)?.push(lexeme)
  }
  return found
}

/** Callers read views, of which Trino ignores the version. */
function checkVersion(sql: string, lexemes: readonly Lexeme[]): void {
  if (!VERSION.every((words, index) => lexemes[index] && isWord(lexemes[index], ...words))) return
  const message = 'Relations have no versions.'
  throw refusal(sql, { rule: 'construct', message, hint: 'Leave FOR … AS OF out.', start: lexemes[0]?.start })
}

function clip(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name
}
