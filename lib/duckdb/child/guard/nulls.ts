import type { Reader } from '../../../guard/refusal.js'
import type { Node } from './shapes.js'

/** Fields whose condition holds or does not: for them, NULL is as good as false. */
const CONDITIONS = new Set([
  'where_clause',
  'having',
  'qualify',
  'condition',
  'filter',
  'filter_expr',
  'when_expr',
])

/** The parts of a condition in such a field that decide it alone: what AND and OR stand between. */
export function* deciding(key: string, value: Node): Generator<Node> {
  if (!CONDITIONS.has(key)) return
  if (value.class !== 'CONJUNCTION') yield value
  else for (const child of value.children as readonly Node[]) yield* deciding(key, child)
}

/**
 * Refuses `(a, b) IN (SELECT …)` where its value is used: for a NULL in the subquery, the engine answers NULL for rows that
 * differ in another column, so that NOT IN leaves them out.
 */
export function checkRowsIn(reader: Reader, { child, subquery_type }: Node, decides: boolean): void {
  const { class: kind, function_name } = (child ?? {}) as Node
  if (decides || subquery_type !== 'ANY' || kind !== 'FUNCTION' || function_name !== 'row') return
  throw reader.refuse(
    'construct',
    'Several values are compared with the rows of a subquery only in a condition, by IN.',
    {
      name: 'NOT IN',
      hint: 'Write NOT EXISTS (SELECT 1 FROM … WHERE x = a AND y = b), or EXISTS.',
    },
  )
}

/** Refuses a comparison in the condition of an ASOF join for which NULL would have to match NULL: the engine lets it not. */
export function checkAsOf(reader: Reader, { ref_type, condition }: Node): void {
  if (ref_type !== 'ASOF' || !condition) return
  for (const { type } of deciding('condition', condition as Node))
    if (/DISTINCT_FROM$/.test(String(type)))
      throw reader.refuse(
        'construct',
        'The condition of an ASOF JOIN compares with = and one of >=, >, <= and <.',
        {
          name: 'IS DISTINCT FROM',
          hint: "Write =, or compare values without NULL: coalesce(a, '') = coalesce(b, '').",
        },
      )
}
