import type { Brackets } from './calls.js'
import { isSign, isWord, type Lexeme } from './lexemes.js'
import { refusal, SPLIT } from './refusal.js'

/** Trino counts the memory of a value only when it has been computed, and its process ends where memory does. */
const MOST_BYTES = 256 * 1024 ** 2
/** Taken for the length of values that are not in the statement. */
const VALUE_BYTES = 1024
/** Taken for the length of separators and replacements that are not in the statement. */
const PIECE_LENGTH = 256
/** Trino makes no longer arrays out of numbers. */
const MOST_ELEMENTS = 10_000
/** Functions whose result may be so many times as long as their argument. */
const FACTORS = new Map([
  ['json_format', 2],
  ['to_base32', 2],
  ['to_base64', 2],
  ['to_base64url', 2],
  ['to_hex', 2],
  ['url_encode', 3],
])
/** The place of the argument whose length a result may be multiplied by. */
const PIECES = new Map([
  ['array_join', 1],
  ['concat_ws', 0],
  ['regexp_replace', 2],
  ['replace', 2],
])

/**
 * Refuses a statement whose functions, within each other, may make a value of hundreds of megabytes out of a short one.
 * It is an estimate, and counts rather too much: what is beside each other in a query does not add up, what a query
 * selects from is multiplied.
 */
export function checkGrowth(sql: string, brackets: Brackets): void {
  const { lexemes } = brackets
  const longest = lexemes.reduce((most, { kind, text }) => (kind === 'string' ? Math.max(most, text.length) : most), 0)
  if (growth(brackets, [0, lexemes.length]) * Math.max(VALUE_BYTES, longest) <= MOST_BYTES) return
  const message = 'The functions of the statement may make a value that does not fit into memory.'
  throw refusal(sql, { rule: 'complexity', message, hint: SPLIT, start: lexemes[0]?.start })
}

/** How many times as long as what it is computed from a value of this part of a statement may be. */
function growth(brackets: Brackets, [from, to]: [number, number]): number {
  const { lexemes } = brackets
  let [beside, below] = [1, 1]
  for (let at = from; at < to; at++) {
    const lexeme = lexemes[at] as Lexeme
    if (!isSign('(')(lexeme) && !isSign('[')(lexeme)) continue
    const end = brackets.endOf(at)
    const first = lexemes[at + 1]
    if (first && isWord(first, 'SELECT', 'WITH', 'VALUES', 'TABLE')) below *= growth(brackets, [at + 1, end])
    else beside = Math.max(beside, growthOfCall(brackets, at))
    at = end
  }
  return beside * below
}

function growthOfCall(brackets: Brackets, open: number): number {
  const given = brackets.argumentsOf(open)
  const grown = given.map(range => growth(brackets, range) * joinsOf(brackets, range))
  const isLoop = given.some(range => lambdaIn(brackets, range) !== null)
  const inside = isLoop ? grown.reduce((all, each) => all * each, 1) : Math.max(1, ...grown)
  return inside * factorOf(brackets, open, given)
}

/** A lambda may name its parameter many times, and so join the value that it stands for with itself. */
function joinsOf({ lexemes }: Brackets, range: [number, number]): number {
  const arrow = lambdaIn({ lexemes } as Brackets, range)
  if (arrow === null) return 1
  const signs = lexemes.slice(arrow, range[1]).filter(lexeme => isSign(',')(lexeme) || isSign('|')(lexeme))
  return 1 + signs.length
}

/** Where the body of a lambda begins, if this argument is one: `x -> …` or `(x, y) -> …`. */
function lambdaIn({ lexemes }: Pick<Brackets, 'lexemes'>, [from, to]: [number, number]): number | null {
  const first = lexemes[from]
  if (!first) return null
  let at = from + 1
  if (isSign('(')(first)) while (at < to && !isSign(')')(lexemes[at++] as Lexeme));
  const [minus, arrow] = [lexemes[at], lexemes[at + 1]]
  return minus && arrow && at + 1 < to && isSign('-')(minus) && isSign('>')(arrow) ? at + 2 : null
}

function factorOf(brackets: Brackets, open: number, given: [number, number][]): number {
  const { lexemes } = brackets
  const name = lexemes[open - 1]
  if (!name || (name.kind !== 'word' && name.kind !== 'quoted')) return 1
  const called = name.text.toLowerCase()
  const number = (place: number) => {
    const only = brackets.only(given[place])
    return only?.kind === 'number' ? Number(only.text) : Number.NaN
  }
  const piece = PIECES.get(called)
  if (piece !== undefined && given.length > piece) {
    const only = brackets.only(given[piece])
    return 1 + (only?.kind === 'string' ? only.text.length : PIECE_LENGTH)
  }
  switch (called) {
    case 'lpad':
    case 'rpad':
    case 'char':
      return Math.max(1, number(called === 'char' ? 0 : 1) || MOST_ELEMENTS)
    case 'format':
      return 1 + [...(brackets.only(given[0])?.text ?? '').matchAll(/\d+/g)].reduce((sum, [n]) => sum + Number(n), 0)
    case 'repeat':
      return Math.max(1, Math.min(number(1) || MOST_ELEMENTS, MOST_ELEMENTS))
    case 'sequence':
      // As rows, they are made one after the other.
      if (isRows(lexemes, open)) return 1
      return Math.max(1, Math.min(1 + (number(1) - number(0)) || MOST_ELEMENTS, MOST_ELEMENTS))
    default:
      return FACTORS.get(called) ?? 1
  }
}

/** `UNNEST(sequence(…))`, `TABLE(sequence(…))`. */
function isRows(lexemes: readonly Lexeme[], open: number): boolean {
  const [around, bracket] = [lexemes[open - 3], lexemes[open - 2]]
  return Boolean(around && bracket && isWord(around, 'UNNEST', 'TABLE') && isSign('(')(bracket))
}
