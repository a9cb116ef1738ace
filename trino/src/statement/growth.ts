import type { Brackets } from './function-calls.js'
import { isSign, isWord, type Lexeme } from './lexemes.js'
import { refusal, SPLIT } from './refusal.js'

/**
 * Trino counts the memory of a value only when it has been computed, and its process ends where memory does.
 */
const MOST_BYTES = 64 * 1024 ** 2
/**
 * Taken for the size of a value that is not in the statement: of a column, or of the parameter of a lambda.
 */
const VALUE_BYTES = 256
const ELEMENT_BYTES = 8
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

/** Where a part of a statement begins and ends. */
type Part = [from: number, to: number]

/**
 * Refuses a statement whose functions, within each other, may make a huge value out of short ones. It is an
 * estimate, and rather too large: what a query selects from is multiplied with what it selects.
 */
export function checkGrowth(sql: string, brackets: Brackets): void {
  const { lexemes } = brackets
  if (sizeOf(brackets, [0, lexemes.length]) <= MOST_BYTES) return
  const most = `${MOST_BYTES / 1024 ** 2} MiB`
  const message = `The functions of the statement may make a value of more than ${most}.`
  throw refusal(sql, { rule: 'complexity', message, hint: SPLIT, start: lexemes[0]?.start })
}

/** Bytes of the largest value that this part of a statement may make. */
function sizeOf(brackets: Brackets, [from, to]: Part): number {
  const { lexemes } = brackets
  let [largest, growth] = [VALUE_BYTES, 1]
  if (to - from === 1 && lexemes[from]?.kind === 'string')
    return Math.max(1, (lexemes[from] as Lexeme).text.length)
  for (let at = from; at < to; at++) {
    const lexeme = lexemes[at] as Lexeme
    if (lexeme.kind === 'string') largest = Math.max(largest, lexeme.text.length)
    if (!isSign('(')(lexeme) && !isSign('[')(lexeme)) continue
    const end = brackets.endOf(at)
    const first = lexemes[at + 1]
    const isQuery = first && isWord(first, 'SELECT', 'WITH', 'VALUES', 'TABLE')
    if (isQuery) growth *= sizeOf(brackets, [at + 1, end]) / VALUE_BYTES
    else largest = Math.max(largest, sizeOfCall(brackets, at))
    at = end
  }
  return largest * Math.max(1, growth)
}

function sizeOfCall(brackets: Brackets, open: number): number {
  const { lexemes } = brackets
  const given = brackets.argumentsOf(open)
  const sizes = given.map(part => sizeOf(brackets, part))
  const largest = Math.max(1, ...sizes)
  const size = (place: number) => sizes[place] ?? 0
  const number = (place: number) => {
    const only = brackets.only(given[place])
    return only?.kind === 'number' ? Number(only.text) : MOST_ELEMENTS
  }
  const bodies = given.map(part => bodyOf(brackets, part))
  if (bodies.some(body => body !== null)) {
    const many = given.map((_, place) => (bodies[place] ? 1 : Math.max(1, size(place) / ELEMENT_BYTES)))
    const made = bodies.map(body => (body ? sizeOf(brackets, body) * joinsIn(brackets, body) : 1))
    return many.reduce((all, each) => all * each, Math.max(...made))
  }
  switch (nameBefore(lexemes, open)) {
    case 'lpad':
    case 'rpad':
      return number(1)
    case 'char':
      return number(0)
    case 'format': {
      const widths = (brackets.only(given[0])?.text ?? '').matchAll(/\d+/g)
      return (
        [...widths].reduce((sum, [digits]) => sum + Number(digits), 0) +
        sizes.reduce((sum, each) => sum + each, 0)
      )
    }
    case 'replace':
    case 'regexp_replace':
      return size(0) * Math.max(1, size(2))
    case 'array_join':
      return size(0) * (1 + size(1) / ELEMENT_BYTES)
    case 'concat_ws':
      return largest * (1 + size(0) / ELEMENT_BYTES)
    case 'repeat':
      return size(0) * Math.max(1, Math.min(number(1), MOST_ELEMENTS))
    case 'sequence': {
      // As rows, they are made one after the other.
      const isNumbered = [0, 1].every(place => brackets.only(given[place])?.kind === 'number')
      const elements = isNumbered ? number(1) - number(0) + 1 : MOST_ELEMENTS
      return isRows(lexemes, open) ? 1 : ELEMENT_BYTES * Math.max(1, Math.min(elements, MOST_ELEMENTS))
    }
    default:
      return largest * (FACTORS.get(nameBefore(lexemes, open)) ?? 1)
  }
}

/** A lambda may name its parameter many times, and so join the value that it stands for with itself. */
function joinsIn({ lexemes }: Brackets, [from, to]: Part): number {
  return 1 + lexemes.slice(from, to).filter(lexeme => isSign(',')(lexeme) || isSign('|')(lexeme)).length
}

/** The body of a lambda, if this argument is one: `x -> …` or `(x, y) -> …`. */
function bodyOf({ lexemes }: Brackets, [from, to]: Part): Part | null {
  const first = lexemes[from]
  if (!first) return null
  let at = from + 1
  if (isSign('(')(first)) while (at < to && !isSign(')')(lexemes[at++] as Lexeme));
  const [minus, arrow] = [lexemes[at], lexemes[at + 1]]
  return minus && arrow && at + 1 < to && isSign('-')(minus) && isSign('>')(arrow) ? [at + 2, to] : null
}

function nameBefore(lexemes: readonly Lexeme[], open: number): string {
  const name = lexemes[open - 1]
  return name && (name.kind === 'word' || name.kind === 'quoted') ? name.text.toLowerCase() : ''
}

/** `UNNEST(sequence(…))`, `TABLE(sequence(…))`. */
function isRows(lexemes: readonly Lexeme[], open: number): boolean {
  const [around, bracket] = [lexemes[open - 3], lexemes[open - 2]]
  return Boolean(around && bracket && isWord(around, 'UNNEST', 'TABLE') && isSign('(')(bracket))
}
