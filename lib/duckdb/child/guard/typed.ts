import type { NodeReader } from '../../../guard/refusal.js'
import { castTypeOf, numberOf } from './literals.js'
import type { Node } from './shapes.js'

const NUMBERS = new Set([
  ...[
    'TINYINT',
    'SMALLINT',
    'INTEGER',
    'BIGINT',
    'HUGEINT',
    'UTINYINT',
    'USMALLINT',
    'UINTEGER',
    'UBIGINT',
    'UHUGEINT',
  ],
  ...['INT', 'FLOAT', 'REAL', 'DOUBLE', 'DECIMAL', 'NUMERIC'],
])
const TEXTS = new Set(['VARCHAR', 'TEXT', 'STRING'])
/** Functions that fail as if the engine was broken when it has to bind them before it knows the type of a parameter. */
const OF_KNOWN_LISTS = new Set(['list_grade_up', 'array_grade_up', 'grade_up', 'list_slice', 'array_slice'])
/**
 * Aggregates whose last argument is a fraction, or a list of them. The engine compares it with 0 and 1, which NaN passes:
 * with it, approx_quantile reads memory outside its digest.
 */
const OF_FRACTIONS = new Set(['approx_quantile', 'quantile', 'quantile_cont', 'quantile_disc'])
/** Largest count of approx_top_k, that of the engine. */
const MOST_TOP = 1_000_000
/** Functions whose type is that of their arguments. */
const PASSED_ON = new Set(['if', 'ifnull', 'nullif', 'coalesce'])

/**
 * Checks arguments whose type must show in the statement. Of a time with a zone, the engine computes times of
 * day that do not exist, and reads memory for their digits.
 */
export function checkTyped(reader: NodeReader, name: string, args: readonly unknown[]): void {
  const [first] = args as readonly (Node | null)[]
  if (name === 'timezone' && args.length > 1 && !isText(first))
    throw reader.refuse(
      'construct',
      'The zone of AT TIME ZONE and timezone() must be a literal, or cast to VARCHAR.',
      {
        name,
        hint: "Write AT TIME ZONE 'Europe/Paris', or AT TIME ZONE CAST(zone AS VARCHAR).",
      },
    )
  if (OF_KNOWN_LISTS.has(name)) checkKnown(reader, name, first)
  if (name === 'approx_quantile' && !(first?.class === 'CAST' && NUMBERS.has(castTypeOf(first))))
    throw reader.refuse('construct', 'The values of approx_quantile must be cast to a number.', {
      name,
      hint: 'Write approx_quantile(CAST(value AS DOUBLE), 0.9), or use quantile_cont or quantile_disc.',
    })
  // The engine compares a value whose type it does not know yet without the collation of the other one.
  const isOf = (kind: string) => (each: unknown) => (each as Node | null)?.class === kind
  if (args.some(isOf('COLLATE')) && args.some(isOf('PARAMETER')))
    throw reader.refuse('construct', 'A parameter beside a string with a collation must be cast.', {
      name,
      hint: 'Write its type: CAST($name AS VARCHAR).',
    })
  const last = args.at(-1) as Node | undefined
  if (OF_FRACTIONS.has(name) && last && !isFraction(last))
    throw reader.refuse('size', `The fraction of ${name} must be a literal from 0 to 1, or a list of them.`, {
      name,
      hint: `Write ${name}(value, 0.9), or ${name}(value, [0.25, 0.75]).`,
    })
  if (name === 'approx_top_k' && last && !isCount(last))
    throw reader.refuse('size', `The count of approx_top_k must be a literal from 1 to ${MOST_TOP}.`, {
      name,
      hint: 'Write approx_top_k(value, 10).',
    })
}

function isFraction(node: Node): boolean {
  if (node.function_name === 'list_value') return (node.children as readonly Node[]).every(isFraction)
  if (node.class === 'CAST') return NUMBERS.has(castTypeOf(node)) && isFraction(node.child as Node)
  const value = numberOf(node)
  return value !== null && value >= 0 && value <= 1 && !Object.is(value, -0)
}

function isCount(node: Node): boolean {
  const value = numberOf(node)
  return value !== null && Number.isInteger(value) && value >= 1 && value <= MOST_TOP
}

/** Checks the list, or the text, of `list[1:2]`. */
export function checkSlice(reader: NodeReader, { children }: Node): void {
  checkKnown(reader, 'list_slice', (children as readonly Node[])[0])
}

function checkKnown(reader: NodeReader, name: string, node: Node | null | undefined): void {
  if (!isUntyped(node)) return
  throw reader.refuse('construct', `A parameter from which ${name} takes a part must be cast.`, {
    name,
    hint: 'Write the type that its value has: CAST($name AS INTEGER[]).',
  })
}

/** Whether the type of an expression is that of a parameter, or may be. */
function isUntyped(node: Node | null | undefined): boolean {
  const of = (each: unknown) => Array.isArray(each) && (each as Node[]).some(isUntyped)
  switch (node?.class) {
    case 'PARAMETER':
      return true
    case 'FUNCTION':
      return PASSED_ON.has(String(node.function_name)) && of(node.children)
    case 'OPERATOR':
      return node.type === 'OPERATOR_COALESCE' && of(node.children)
    case 'CASE':
      return of([node.else_expr, ...(node.case_checks as Node[]).map(check => check.then_expr)])
    default:
      return false
  }
}

function isText(node: Node | null | undefined): boolean {
  if (node?.class === 'CAST') return TEXTS.has(castTypeOf(node))
  const { type } = (node?.class === 'CONSTANT' ? (node.value ?? {}) : {}) as Node
  return (type as Node | undefined)?.id === 'VARCHAR'
}
