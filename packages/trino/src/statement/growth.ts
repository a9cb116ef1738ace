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

/** What puts its arguments side by side; ROW may be left out, behind a sign and these words. */
const JOINING = new Set([
  ...'array concat json_array json_object map map_concat row zip'.split(' '),
  ...['', 'all', 'distinct', 'else', 'select', 'then'],
])
/** Trino runs no more steps of a recursion by default, each of which reads what the one before made. */
const MOST_STEPS = 10

/** Where a part of a statement begins and ends. */
type PartSpan = [from: number, to: number]

/**
 * Refuses a statement whose functions, within each other, may make a huge value out of short ones. It is an
 * estimate, and rather too large: each query within the statement is taken to read what all others make.
 */
export function checkGrowth(sql: string, brackets: Brackets): void {
  const { lexemes } = brackets
  const steps = lexemes.some(lexeme => isWord(lexeme, 'RECURSIVE')) ? MOST_STEPS : 1
  let size = sizeOf(brackets, [0, lexemes.length])
  for (const open of lexemes.keys())
    if (opensQuery(lexemes, open))
      size *= (sizeOf(brackets, [open + 1, brackets.endOf(open)]) / VALUE_BYTES) ** steps
  if (size <= MOST_BYTES) return
  const most = `${MOST_BYTES / 1024 ** 2} MiB`
  const message = `The functions of the statement may make a value of more than ${most}.`
  throw refusal(sql, 'complexity', message, SPLIT, lexemes[0]?.start)
}

function opensQuery(lexemes: readonly Lexeme[], open: number): boolean {
  const [bracket, first] = lexemes.slice(open, open + 2)
  return Boolean(
    bracket && first && isSign('(')(bracket) && isWord(first, 'SELECT', 'WITH', 'VALUES', 'TABLE'),
  )
}

/** Bytes of the largest value that this part of a statement may make, apart from the queries within it. */
function sizeOf(brackets: Brackets, [from, to]: PartSpan): number {
  const { lexemes } = brackets
  const only = brackets.only([from, to])
  if (only?.kind === 'string') return Math.max(1, only.text.length)
  if (only?.kind === 'number') return ELEMENT_BYTES
  /** Values that `||` joins, at most, and in the part between commas under way. */
  let [largest, most, joined] = [VALUE_BYTES, 1, 1]
  for (let at = from; at < to; at++) {
    const lexeme = lexemes[at] as Lexeme
    if (lexeme.kind === 'string') largest = Math.max(largest, lexeme.text.length)
    if (isSign(',')(lexeme)) joined = 1
    else if (
      isSign('|')(lexeme) &&
      lexemes[at + 1]?.kind !== 'string' &&
      isSign('|')(lexemes[at - 1] ?? lexeme)
    )
      most = Math.max(most, ++joined)
    if (!isSign('(')(lexeme) && !isSign('[')(lexeme)) continue
    if (!opensQuery(lexemes, at)) largest = Math.max(largest, sizeOfCall(brackets, at))
    at = brackets.endOf(at)
  }
  return largest * most
}

function sizeOfCall(brackets: Brackets, open: number): number {
  const { lexemes } = brackets
  const given = brackets.argumentsOf(open)
  const sizes = given.map(part => sizeOf(brackets, part))
  const largest = Math.max(1, ...sizes)
  const sum = sizes.reduce((all, each) => all + each, 0)
  const size = (place: number) => sizes[place] ?? 0
  const number = (place: number) => {
    const only = brackets.only(given[place])
    return only?.kind === 'number' ? Number(only.text) : MOST_ELEMENTS
  }
  const bodies = given.map(part => bodyOf(brackets, part))
  if (bodies.some(body => body !== null)) {
    const many = given.map((_, place) => (bodies[place] ? 1 : Math.max(1, size(place) / ELEMENT_BYTES)))
    const made = bodies.map(body => (body ? sizeOf(brackets, body) : 1))
    return many.reduce((all, each) => all * each, Math.max(...made))
  }
  const name = nameBefore(lexemes, open)
  if (JOINING.has(name)) return sum
  switch (name) {
    case 'lpad':
    case 'rpad':
      return number(1)
    case 'char':
      return number(0)
    case 'format': {
      const widths = (brackets.only(given[0])?.text ?? '').matchAll(/\d+/g)
      return [...widths].reduce((all, [digits]) => all + Number(digits), sum)
    }
    case 'replace':
    case 'regexp_replace':
      return size(0) * Math.max(1, size(2))
    case 'array_join':
      return size(0) * (1 + size(1) / ELEMENT_BYTES)
    case 'concat_ws':
      return sum * (1 + size(0) / ELEMENT_BYTES)
    case 'repeat':
      return size(0) * Math.max(1, Math.min(number(1), MOST_ELEMENTS))
    case 'sequence': {
      // As rows, they are made one after the other.
      const isNumbered = [0, 1].every(place => brackets.only(given[place])?.kind === 'number')
      const elements = isNumbered ? number(1) - number(0) + 1 : MOST_ELEMENTS
      return isRows(lexemes, open) ? 1 : ELEMENT_BYTES * Math.max(1, Math.min(elements, MOST_ELEMENTS))
    }
    default:
      return largest * (FACTORS.get(name) ?? 1)
  }
}

/** The body of a lambda, if this argument is one: `x -> …` or `(x, y) -> …`. */
function bodyOf({ lexemes }: Brackets, [from, to]: PartSpan): PartSpan | null {
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
