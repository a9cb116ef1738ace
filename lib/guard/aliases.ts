import { fold } from './scope.js'
import type { Node } from './shapes.js'

/** Clauses that may use the aliases of their own SELECT. */
const READERS = ['where_clause', 'group_expressions', 'having', 'qualify']

/**
 * Nodes that the engine adds to a SELECT: an alias used by a later expression is copied into it, so a chain of
 * doublings grows without bound. Counting ends once `limit` is passed.
 */
export function nodesCopiedByAliases(select: Node, limit: number): number {
  const weights = new Map<string, number>()
  let copied = 0
  const weigh = (value: unknown): number => {
    if (Array.isArray(value)) return value.reduce((sum: number, entry) => sum + weigh(entry), 0)
    if (value === null || typeof value !== 'object') return 0
    const node = value as Node
    const names = node.column_names
    const alias = Array.isArray(names) && names.length === 1 ? weights.get(fold(String(names[0]))) : undefined
    if (alias !== undefined) copied += alias
    return 1 + (alias ?? 0) + Object.values(node).reduce((sum: number, entry) => sum + weigh(entry), 0)
  }
  for (const expression of Array.isArray(select.select_list) ? (select.select_list as Node[]) : []) {
    const weight = weigh(expression)
    const alias = expression?.alias
    if (typeof alias === 'string' && alias !== '') weights.set(fold(alias), weight)
    if (copied > limit) return copied
  }
  for (const clause of READERS) weigh(select[clause])
  return copied
}
