import type { Reader } from './refusal.js'
import type { Node } from './shapes.js'

const OPERATORS = new Set(['~~', '!~~', '~~*', '!~~*', '~~~'])
const FUNCTIONS = new Set(['like_escape', 'not_like_escape', 'ilike_escape', 'not_ilike_escape'])
const MAX_WILDCARDS = 3

/**
 * The arguments of LIKE and its kin: a long computed pattern overflows the engine's stack, and every wildcard but those
 * of a plain LIKE multiplies its time, out of reach of an interrupt.
 */
export function checkPattern(reader: Reader, name: string, args: readonly unknown[]): void {
  if (!OPERATORS.has(name) && !FUNCTIONS.has(name)) return
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
  const expression = node as Node | null
  if (expression?.class !== 'CONSTANT') return undefined
  const value = expression.value as Node
  return value.is_null === true ? null : String(value.value)
}
