import { BEFORE_EXPRESSIONS, FUNCTIONS, SYNTAX } from './functions.js'
import { isSign, isWord, type Lexeme } from './lexemes.js'
import { clip, refusal, SPLIT } from './refusal.js'

/**
 * Arguments that say how much memory a function takes at once: their places, and the largest that they may
 * be.
 */
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
const MOST_IN_PATTERN = 5_000
/** What to write instead of functions that Trino has, and callers may not use. */
const INSTEAD: Readonly<Record<string, string>> = {
  combinations: 'Use UNNEST and joins.',
  ngrams: 'Use UNNEST and joins.',
  reduce: 'Use UNNEST and an aggregate function.',
  reduce_agg: 'Use another aggregate function.',
}
/** In the pattern of `format`, a number of more digits would be a width that takes megabytes. */
const WIDE = /\d{4,}/

/** Brackets of a statement whose parentheses are balanced. */
export class Brackets {
  readonly lexemes: readonly Lexeme[]
  /** Whether the statement matches patterns of rows, in MATCH_RECOGNIZE or in a window. */
  readonly matchesRows: boolean
  readonly #ends = new Map<number, number>()

  constructor(lexemes: readonly Lexeme[]) {
    this.lexemes = lexemes
    this.matchesRows = lexemes.some(lexeme => isWord(lexeme, 'MATCH_RECOGNIZE', 'MEASURES', 'DEFINE'))
    const open: number[] = []
    for (const [index, lexeme] of lexemes.entries()) {
      if (isSign('(')(lexeme) || isSign('[')(lexeme)) open.push(index)
      else if (isSign(')')(lexeme) || isSign(']')(lexeme)) {
        const begin = open.pop()
        if (begin !== undefined) this.#ends.set(begin, index)
      }
    }
  }

  /** Index of the bracket that closes the one at `open`. */
  endOf(open: number): number {
    return this.#ends.get(open) ?? this.lexemes.length
  }

  /** Where the arguments between a bracket and its end begin and end. */
  argumentsOf(open: number): [from: number, to: number][] {
    const end = this.endOf(open)
    const found: [number, number][] = []
    let from = open + 1
    for (let at = from; at < end; at++) {
      const lexeme = this.lexemes[at] as Lexeme
      if (isSign('(')(lexeme) || isSign('[')(lexeme)) at = this.endOf(at)
      else if (isSign(',')(lexeme)) {
        found.push([from, at])
        from = at + 1
      }
    }
    return [...found, [from, end]]
  }

  /** The only lexeme of an argument. */
  only([from, to]: [number, number] = [0, 0]): Lexeme | undefined {
    return to - from === 1 ? this.lexemes[from] : undefined
  }
}

/** Refuses every call of what is not in the inventory, and arguments without a bound. */
export function checkCalls(sql: string, brackets: Brackets): void {
  const { lexemes } = brackets
  let pattern = 0 // within the pattern of a MATCH_RECOGNIZE, names of rows stand before parentheses
  for (const [index, lexeme] of lexemes.entries()) {
    const next = lexemes[index + 1]
    if (
      index < pattern ||
      !next ||
      !isSign('(')(next) ||
      (lexeme.kind !== 'word' && lexeme.kind !== 'quoted')
    )
      continue
    if (isWord(lexeme, 'PATTERN')) {
      pattern = brackets.endOf(index + 1)
      checkPattern(sql, brackets, index + 1)
    }
    if (lexeme.kind === 'word' && SYNTAX.has(lexeme.text.toUpperCase())) continue
    if (!namesColumns(brackets, index)) checkCall(sql, brackets, index)
  }
}

/** Trino writes a pattern out: `A{3}` as three, and PERMUTE as each order of what it has. */
function checkPattern(sql: string, brackets: Brackets, open: number): void {
  const { lexemes } = brackets
  let many = 1
  let times: number | null = null // within braces
  for (let at = open; at < brackets.endOf(open); at++) {
    const lexeme = lexemes[at] as Lexeme
    if (isSign('{')(lexeme)) times = 1
    else if (isSign('}')(lexeme)) {
      many *= times ?? 1
      times = null
    } else if (times !== null && lexeme.kind === 'number') times = Math.max(times, Number(lexeme.text))
    else if (isWord(lexeme, 'PERMUTE'))
      for (let orders = brackets.argumentsOf(at + 1).length; orders > 1; orders--) many *= orders
  }
  if (many <= MOST_IN_PATTERN) return
  const message = `The pattern stands for more than ${MOST_IN_PATTERN} others`
  throw refusal(sql, 'complexity', message, SPLIT, lexemes[open - 1]?.start)
}

function checkCall(sql: string, brackets: Brackets, index: number): void {
  const { text, start } = brackets.lexemes[index] as Lexeme
  const before = brackets.lexemes[index - 1]
  const name = text.toLowerCase()
  const refuse = (message: string, hint: string) => refusal(sql, 'function', message, hint, start)
  if (before && isSign('.')(before))
    throw refuse('Functions have no schema.', 'Write the name of the function alone.')
  if (!FUNCTIONS.has(name))
    throw refuse(
      `There is no function ${clip(text)} here.`,
      INSTEAD[name] ?? 'Use a function of Trino itself.',
    )
  const given = brackets.argumentsOf(index + 1)
  for (const [place, most] of BOUNDED.get(name) ?? []) {
    const number = brackets.only(given[place])
    if (number?.kind === 'number' && Number(number.text) <= most) continue
    throw refuse(
      `Argument ${place + 1} of ${name} must be a number of at most ${most}`,
      'Write the number itself.',
    )
  }
  if (name !== 'format') return
  const pattern = brackets.only(given[0])
  if (pattern?.kind !== 'string' || WIDE.test(pattern.text))
    throw refuse(
      'The pattern of format must be a string without numbers of four digits',
      'Write the string itself.',
    )
}

/**
 * `t (a, b)` names the columns of a relation: behind AS, a relation or its name, or as a query of WITH. Where
 * patterns of rows are matched, expressions follow AS, too.
 */
function namesColumns(brackets: Brackets, index: number): boolean {
  const { lexemes } = brackets
  const before = lexemes[index - 1]
  const given = brackets.argumentsOf(index + 1).map(range => brackets.only(range))
  if (!before || !given.every(each => each?.kind === 'word' || each?.kind === 'quoted')) return false
  const end = brackets.endOf(index + 1)
  const [after, body] = [lexemes[end + 1], lexemes[end + 2]]
  const isQuery = after && body && isWord(after, 'AS') && isSign('(')(body)
  if (isQuery && (isSign(',')(before) || isWord(before, 'WITH', 'RECURSIVE'))) return true
  if (before.kind === 'word')
    return (
      (isWord(before, 'AS') || !BEFORE_EXPRESSIONS.has(before.text.toUpperCase())) && !brackets.matchesRows
    )
  return before.kind === 'quoted' || isSign(')')(before)
}
