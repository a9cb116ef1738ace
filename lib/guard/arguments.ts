import type { Reader } from './refusal.js'

type Node = Readonly<Record<string, unknown>>

/** Sizes that the engine allocates in one go, so they must be literals: argument index and the largest value. */
const LITERAL_SIZES: Readonly<Record<string, readonly [number, number]>> = {
  repeat: [1, 1000],
  lpad: [1, 1000],
  rpad: [1, 1000],
  list_resize: [1, 10_000],
  array_resize: [1, 10_000],
  bitstring: [1, 10_000],
}

const SERIES = new Set(['range', 'generate_series'])
const MAX_SERIES_LITERAL = 100_000
const PATTERN_OPERATORS = new Set(['~~', '!~~', '~~*', '!~~*', '~~~'])
const PATTERN_FUNCTIONS = new Set(['like_escape', 'not_like_escape', 'ilike_escape', 'not_ilike_escape'])
const MAX_WILDCARDS = 3
const FORMATS = new Set(['format', 'printf'])

/** Arguments with which a reviewed function can hang or flood the engine; what is not a literal is refused. */
export function checkArguments(reader: Reader, name: string, args: readonly unknown[]): void {
  if (PATTERN_OPERATORS.has(name) || PATTERN_FUNCTIONS.has(name)) checkPattern(reader, name, args)
  const size = Object.hasOwn(LITERAL_SIZES, name) ? LITERAL_SIZES[name] : undefined
  if (size && args.length > size[0]) checkSize(reader, name, args[size[0]], size[1])
  if (SERIES.has(name)) for (const arg of args) checkSize(reader, name, arg, MAX_SERIES_LITERAL)
  if (FORMATS.has(name)) checkFormat(reader, name, args[0])
}

function checkPattern(reader: Reader, name: string, args: readonly unknown[]): void {
  const literals = args.slice(1).map(literalText)
  if (literals.some(text => text === undefined))
    throw reader.refuse('pattern', 'The pattern of LIKE, ILIKE and GLOB must be a literal.', {
      name,
      hint: 'For a computed text use contains(), starts_with(), ends_with() or regexp_matches().',
    })
  const pattern = literals[0] ?? ''
  const plain = (name === '~~' || name === '!~~') && !pattern.includes('_')
  if (plain || pattern.split(/[%*]/).length - 1 <= MAX_WILDCARDS) return
  throw reader.refuse('pattern', `This pattern has more than ${MAX_WILDCARDS} wildcards.`, {
    name,
    hint: 'Use regexp_matches(), which stays fast whatever the pattern, or lower() with a LIKE that has no underscore.',
  })
}

/** The text of a literal; null for the literal NULL, undefined for anything that is computed. */
function literalText(node: unknown): string | null | undefined {
  const value = constant(node)
  if (!value) return undefined
  return value.is_null === true ? null : String(value.value)
}

function checkSize(reader: Reader, name: string, node: unknown, largest: number): void {
  const size = literalNumber(node)
  if (size !== undefined && Math.abs(size) <= largest) return
  throw reader.refuse('size', `The size in ${name}() must be a whole number written out, at most ${largest}.`, {
    name,
    hint: SERIES.has(name)
      ? `Write ${name}(…) in FROM, where it has no bound; with arguments of a relation, FROM that relation, ${name}(…).`
      : 'Write the number into the statement.',
  })
}

function literalNumber(node: unknown): number | undefined {
  const value = constant(node)
  if (value) return value.is_null === true ? 0 : Number.isInteger(value.value) ? Number(value.value) : undefined
  const call = node as Node | null
  const negated = call?.class === 'FUNCTION' && call.function_name === '-' && Array.isArray(call.children)
  return negated && (call.children as unknown[]).length === 1
    ? literalNumber((call.children as unknown[])[0])
    : undefined
}

function checkFormat(reader: Reader, name: string, node: unknown): void {
  const format = literalText(node)
  const harmless = typeof format === 'string' && !/\d{4,}|\*|\{[^}]*\{/.test(format)
  if (harmless || format === null) return
  throw reader.refuse('size', `The format of ${name}() must be a literal with widths of at most 999 written out.`, {
    name,
    hint: 'Build the text with || and casts.',
  })
}

function constant(node: unknown): Node | null {
  const expression = node as Node | null
  return expression?.class === 'CONSTANT' ? (expression.value as Node) : null
}
