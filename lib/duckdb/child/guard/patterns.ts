import { clip, type NodeReader } from '../../../guard/refusal.js'
import { numberOf } from './literals.js'
import { lowerAscii, type Node } from './shapes.js'

/**
 * Checks the arguments of a call; throws when a pattern or format is computed, or is a literal that is not
 * allowed.
 */
type ArgumentCheck = (reader: NodeReader, name: string, args: readonly unknown[]) => void

const MAX_WILDCARDS = 3
/** Most characters of a computed pattern of LIKE: the engine calls itself for each wildcard, and its stack overflows. */
const MAX_COMPUTED = 1_000
/** A replacement field of `format` (its argument and its format specification), or an escaped brace. */
const FIELD = /\{\{|\}\}|\{([^{}:]*)(?::((?:[^{}]|\{[^{}]*\})*))?\}/gs
/** A conversion of `printf` that writes a string or a number; excludes %c, which writes an arbitrary byte. */
const CONVERSION =
  /%(?:%|(?:\d+\$)?[-+ #0',]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?(?:hh|h|ll|l|L|j|z|t)?[dixXobBeEfFgGaAs])/g

/**
 * The syntax that a regular expression may use, by list: all other syntax is refused. Everything here matches whole
 * characters; `\C` and `\B` match, or stand, between the bytes of one, so they can split it, and the engine's string
 * functions read past the end of a string that is not UTF-8.
 */
const SHARED = [
  String.raw`\\[^A-Za-z0-9]`, // an escaped sign
  String.raw`\\[dDwWsStnrfva]`,
  String.raw`\\[pP](?:\{\^?[A-Za-z_]{1,40}\}|[A-Z])`,
  String.raw`\\x(?:[0-9A-Fa-f]{2}|\{[0-9A-Fa-f]{1,6}\})`,
].join('|')
const CLASS = String.raw`\[\^?\]?(?:\[:\^?[a-z]{1,10}:\]|${SHARED}|[^\]\\])*\]`
const GROUP = String.raw`\(\?(?:P?<[A-Za-z_]\w{0,60}>|[imsU]{0,8}(?:-[imsU]{1,8})?[:)])|\((?!\?)`
const ATOM = new RegExp(String.raw`${SHARED}|\\[bAz]|${CLASS}|${GROUP}|[^\\[(]`, 'suy')

/**
 * Checks the pattern and escape character of LIKE, ILIKE and GLOB. A long computed pattern overflows the
 * engine's stack. Except in a LIKE of a literal without `_` or ESCAPE, each wildcard multiplies the running time, and no
 * interrupt ends it: the time of a computed pattern is that of its statement, whose process is ended.
 */
const checkLike: ArgumentCheck = (reader, name, args) => {
  const isPlain = name === '~~' || name === '!~~'
  const literals = args.slice(1).map(argument => literalText(withoutCase(argument)))
  if (isPlain && literals[0] === undefined && longest(args[1]) <= MAX_COMPUTED) return
  if (literals.some(text => text === undefined))
    throw reader.refuse('pattern', 'The pattern of LIKE, ILIKE and GLOB must be a literal.', {
      name,
      hint:
        'For a computed string use contains(), starts_with() or ends_with(), or a LIKE whose pattern has a bound: ' +
        "LIKE left(pattern, 100) || '%'.",
    })
  const pattern = literals[0] ?? ''
  if ((isPlain && !pattern.includes('_')) || pattern.split(/[%*]/).length - 1 <= MAX_WILDCARDS) return
  throw reader.refuse('pattern', `This pattern has more than ${MAX_WILDCARDS} wildcards.`, {
    name,
    hint: 'Use regexp_matches(), which stays fast whatever the pattern, or lower() with a LIKE that has no underscore.',
  })
}

/** The expression of `… COLLATE NOCASE`, which the engine compares as a literal in lower case. */
function withoutCase(node: unknown): unknown {
  const { class: kind, collation, child } = (node ?? {}) as Node
  return kind === 'COLLATE' && lowerAscii(String(collation)) === 'nocase' ? child : node
}

/** Most characters of a string, as its expression shows; infinite where it does not. */
function longest(node: unknown): number {
  const text = literalText(node)
  if (text !== undefined) return text?.length ?? 0
  const { class: kind, function_name: name, children } = (node ?? {}) as Node
  const args = kind === 'FUNCTION' ? (children as readonly Node[]) : []
  if (name === '||' || name === 'concat') return args.reduce((sum, each) => sum + longest(each), 0)
  const most = name === 'left' && args[1] ? numberOf(args[1]) : null
  return most !== null && most >= 0 ? most : Number.POSITIVE_INFINITY
}

/** Checks the pattern of a regular expression. */
const checkRegex: ArgumentCheck = (reader, name, args) => {
  if (args.length < 2) return // the binder refuses it
  const pattern = literalText(args[1])
  if (pattern === undefined)
    throw reader.refuse('pattern', 'The pattern of a regular expression must be a literal.', {
      name,
      hint: 'For a computed string use contains(), starts_with(), split_part(), string_split() or replace().',
    })
  checkSyntax(reader, name, pattern)
  // The engine makes a struct of the names, and dereferences what a NULL list does not have.
  if (name === 'regexp_extract' && args.length > 2 && !isLiteralOrList(args[2]))
    throw reader.refuse('pattern', 'The group of regexp_extract must be a literal.', {
      name,
      hint: "Write its number, such as 1, or a list of names: ['year', 'month'].",
    })
}

/** Whether a node is a literal, or a list of which the engine checks the members. */
function isLiteralOrList(node: unknown): boolean {
  const expression = node as Node | null
  return expression?.class === 'CONSTANT' || expression?.function_name === 'list_value'
}

/** Checks the format of printf and format: %c writes any byte, so it can make strings that are not UTF-8. */
const checkFormat: ArgumentCheck = (reader, name, args) => {
  if (args.length === 0) return // the binder refuses it
  const format = literalText(args[0])
  if (format === undefined)
    throw reader.refuse('pattern', `The format of ${name} must be a literal.`, {
      name,
      hint: 'Put computed strings together with || or concat().',
    })
  if (format === null) return
  const isSafe = name === 'printf' ? !format.replaceAll(CONVERSION, '').includes('%') : fieldsAreSafe(format)
  if (!isSafe)
    throw reader.refuse('pattern', `The format of ${name} holds a conversion that is not available.`, {
      name,
      hint:
        name === 'printf'
          ? 'Use %d, %x, %o, %e, %f, %g and %s; chr() makes a character of a number; a percent sign is written %%.'
          : 'Use {}, {:d}, {:x}, {:o}, {:e}, {:f}, {:g} and {:s}; chr() makes a character of a number.',
    })
}

function fieldsAreSafe(format: string): boolean {
  if (/[{}]/.test(format.replaceAll(FIELD, ''))) return false
  return [...format.matchAll(FIELD)].every(([, , spec = '']) => /^[ -~]*$/.test(spec) && !/c\}*$/i.test(spec))
}

/**
 * Ways of `decode` to treat bytes that are not UTF-8. Another one, 'ignore', makes strings that are not
 * UTF-8.
 */
const DECODINGS = new Set(['strict', 'abort', 'replace'])

const checkDecode: ArgumentCheck = (reader, name, args) => {
  if (args.length < 2 || DECODINGS.has(String(literalText(args[1])))) return
  throw reader.refuse(
    'pattern',
    "What decode does with bytes that are not UTF-8 must be 'strict' or 'replace'.",
    {
      name,
      hint: "Write decode(value, 'replace'), which writes a question mark for them.",
    },
  )
}

/** The check for each function whose arguments are restricted. */
const CHECKS = new Map<string, ArgumentCheck>(
  (
    [
      ['~~ !~~ ~~* !~~* ~~~ like_escape not_like_escape ilike_escape not_ilike_escape', checkLike],
      [
        'regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array ' +
          'regexp_split_to_table str_split_regex string_split_regex',
        checkRegex,
      ],
      ['printf format', checkFormat],
      ['decode', checkDecode],
    ] as const
  ).flatMap(([names, check]) => names.split(' ').map(name => [name, check] as const)),
)

/**
 * Refuses a call whose pattern or format is computed, or can crash or hang the engine or cause an invalid
 * read.
 */
export function checkPattern(reader: NodeReader, name: string, args: readonly unknown[]): void {
  const check = CHECKS.get(name)
  if (!check) return
  // Macros accept arguments by name in any order; the checks go by position.
  if (args.some(argument => (argument as Node | null)?.alias))
    throw reader.refuse('pattern', `The arguments of ${name} are written without names.`, { name })
  check(reader, name, args)
}

/** Checks the regular expression of COLUMNS('…'); COLUMNS also takes a list of names or a lambda. */
export function checkColumnsPattern(reader: NodeReader, star: Node): void {
  const expression = star.expr as Node | null
  if (!expression || LISTS_OF_NAMES.has(String(expression.function_name))) return
  const pattern = literalText(expression)
  if (pattern === undefined)
    throw reader.refuse('pattern', 'COLUMNS() takes a literal pattern, a list of names or a lambda.', {
      name: 'columns',
      hint: "Write COLUMNS('pattern'), COLUMNS(['a', 'b']) or COLUMNS(lambda c: …).",
    })
  checkSyntax(reader, 'columns', pattern)
}

const LISTS_OF_NAMES = new Set(['list_value', 'list_filter'])

function checkSyntax(reader: NodeReader, name: string, pattern: string | null): void {
  if (pattern?.includes('\\C'))
    throw reader.refuse(
      'pattern',
      'A regular expression matches characters, not bytes: \\C is not available.',
      {
        name,
        hint: 'Write a dot for any character, and \\\\[C] for a backslash before a C.',
      },
    )
  const found = pattern === null ? null : notAllowedIn(pattern)
  if (found === null) return
  throw reader.refuse('pattern', `This part of the regular expression is not available: ${clip(found)}`, {
    name,
    hint:
      'Use characters, dots, classes such as [a-z] and [[:alpha:]], \\d, \\w, \\s, \\b, \\pL, \\x41, ^, $, groups, and ' +
      'repetitions; write a backslash before a sign that is meant literally.',
  })
}

/** The value of a string literal; null for the literal NULL, undefined for any other expression. */
function literalText(node: unknown): string | null | undefined {
  const expression = node as Node | null
  if (expression?.class !== 'CONSTANT') return undefined
  const { type, is_null: isNull, value } = (expression.value ?? {}) as Node // other versions of the parser write it elsewhere
  if (isNull === true) return null
  return (type as Node | null)?.id === 'VARCHAR' ? String(value) : undefined
}

/**
 * The first construct of a regular expression that is not allowed, as it is written; null when there is none.
 */
function notAllowedIn(pattern: string): string | null {
  ATOM.lastIndex = 0
  for (let at = 0; at < pattern.length; at = ATOM.lastIndex) {
    ATOM.lastIndex = at
    if (!ATOM.test(pattern)) return /^(?:\\.?|\(\?[^a-z]?.?|.)/su.exec(pattern.slice(at))?.[0] ?? ''
  }
  return null
}
