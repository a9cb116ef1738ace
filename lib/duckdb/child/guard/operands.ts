import type { Operand } from '../../../engine/claim.js'
import { castTypeOf, textOf } from './literals.js'
import { lowerAscii, type Node } from './shapes.js'
import { referencesIn } from './sources.js'

const TIMES = new Set(['DATE', 'TIMESTAMP', 'DATETIME', 'TIMESTAMPTZ'])
const TODAY = new Set(['current_date', 'today', 'now', 'current_timestamp'])
/** Days of the parts of an interval, or a few more, so that a bound is never taken for a later one. */
const DAYS: Readonly<Record<string, number>> = { to_days: 1, to_weeks: 7, to_months: 31, to_years: 366 }

/** A literal, a parameter, or a day before today. A number is told by its place, so that a verdict holds for other numbers. */
export function operandOf(node: Node | undefined): Operand | null {
  if (!node) return null
  if (node.class === 'PARAMETER') return { parameter: String(node.identifier) }
  if (node.class === 'CAST' && TIMES.has(castTypeOf(node))) return operandOf(node.child as Node)
  if (isToday(node)) return { daysAgo: 0 }
  if (node.class === 'CONSTANT') {
    const text = textOf(node)
    const { offset } = at(node)
    if (text !== null) return { text, ...at(node) }
    return offset === undefined || ((node.value as Node).is_null as boolean) ? null : { offset }
  }
  if (node.class !== 'FUNCTION' || node.function_name !== '-') return null
  const [from, by] = node.children as (Node | undefined)[]
  const unit = by && DAYS[String(by.function_name)]
  const [amount, more] = unit ? referencesIn(by, 'CONSTANT').map(operandOf) : []
  return from && isToday(from) && unit && !more && isNumber(amount) ? { ...amount, daysAgo: unit } : null
}

function isToday(node: Node): boolean {
  const names = node.class === 'COLUMN_REF' ? (node.column_names as string[]) : [String(node.function_name)]
  return names.length === 1 && TODAY.has(lowerAscii(names[0] ?? '')) && node.class !== 'CONSTANT'
}

/** Whether an operand is a number, told by its place. */
export const isNumber = (operand: Operand | null | undefined): operand is Operand & { offset: number } =>
  operand?.offset !== undefined && operand.text === undefined && operand.daysAgo === undefined

/** Where a node is, unless the parser does not tell. */
export function at({ query_location: offset }: Node): { offset?: number } {
  return typeof offset === 'number' && offset <= Number.MAX_SAFE_INTEGER ? { offset } : {}
}

/** An argument without what leaves its values as they are. */
export function bare(node: Node): Node {
  const children = (node.children ?? []) as Node[]
  const [first] = children
  if (node.class === 'CAST') return bare(node.child as Node)
  if (node.type === 'OPERATOR_COALESCE' && first) return bare(first)
  return node.class === 'FUNCTION' && ['round', 'abs'].includes(String(node.function_name)) && first
    ? bare(first)
    : node
}

/** The columns whose values an expression has: not those that only decide which. */
export function addedBy(node: Node | undefined): Node[] {
  if (!node || DECIDING.has(String(node.class))) return []
  if (node.class !== 'CASE') return node.class === 'COLUMN_REF' ? [node] : partsOf(node).flatMap(addedBy)
  const checks = (node.case_checks ?? []) as Node[]
  return [...checks.map(check => check.then_expr), node.else_expr].flatMap(each => addedBy(each as Node))
}

const DECIDING = new Set(['COMPARISON', 'CONJUNCTION', 'BETWEEN', 'SUBQUERY', 'CONSTANT', 'WINDOW'])

/** What an expression is made of: what it is called with, or what it casts. */
function partsOf({ children, child, type }: Node): Node[] {
  if (/^(COMPARE|OPERATOR_(IS|NOT))/.test(String(type))) return []
  return [...((children ?? []) as Node[]), ...(child ? [child as Node] : [])]
}
