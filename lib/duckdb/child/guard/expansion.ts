import { lowerAscii } from './scope.js'
import { type Node, QUERIES } from './shapes.js'

/** Clauses that may use the aliases of their own SELECT. */
const READERS = new Set(['where_clause', 'group_expressions', 'having', 'qualify'])

/**
 * For each macro of the engine, how often it copies its most-copied argument; macros that copy none are left
 * out.
 */
export const MACRO_COPIES: ReadonlyMap<string, number> = new Map([
  ['array_pop_back', 2],
  ['array_to_string', 2],
  ['array_to_string_comma_default', 2],
  ['fmod', 2],
  ['json_group_array', 2],
  ['json_group_object', 2],
  ['map_contains_entry', 2],
  ['nullif', 2],
  ['round_even', 3],
  ['roundbankers', 3],
  ['split_part', 2],
  ['wavg', 2],
  ['weighted_avg', 2],
])

/** Nodes counted for the body of each such macro. */
const BODY_NODES = 8

/**
 * Nodes that the engine adds to a query. It copies an aliased expression into each later use, and the
 * arguments of macros, so a chain of either grows exponentially, in the binder, which cannot be interrupted.
 * Counting stops above `limit`.
 */
export function nodesAddedByCopies(query: Node, limit: number): number {
  const weights = new Map<string, number>()
  let added = 0
  /** Nodes of a part once expanded; the part occurs `copies` times. Adds the copied nodes to `added`. */
  const weigh = (value: unknown, copies: number, readsAliases: boolean): number => {
    if (added > limit || value === null || typeof value !== 'object') return 0
    if (Array.isArray(value))
      return value.reduce((sum: number, entry) => sum + weigh(entry, copies, readsAliases), 0)
    const node = value as Node
    if (!readsAliases && String(node.type) in QUERIES) return 0 // counted as a separate query
    const names = readsAliases && Array.isArray(node.column_names) ? node.column_names : []
    const alias = names.length === 1 ? (weights.get(lowerAscii(String(names[0]))) ?? 0) : 0
    const each = MACRO_COPIES.get(lowerAscii(String(node.function_name ?? ''))) ?? 1
    added += alias * copies + copies - 1 + (each > 1 ? BODY_NODES * copies : 0)
    const parts = Object.values(node).reduce(
      (sum: number, part) => sum + weigh(part, copies * each, readsAliases),
      0,
    )
    return 1 + alias + each * parts
  }
  const { select_list: list, ...clauses } = query
  for (const expression of Array.isArray(list) ? (list as Node[]) : []) {
    const weight = weigh(expression, 1, true)
    const alias = expression?.alias
    if (typeof alias === 'string' && alias !== '') weights.set(lowerAscii(alias), weight)
  }
  for (const [name, clause] of Object.entries(clauses)) weigh(clause, 1, READERS.has(name))
  return added
}

/** Columns that the binder makes of a PIVOT: one for each combination of values and each aggregate. */
export function pivotedColumns({ pivots, aggregates }: Node): number {
  const lengths = (pivots as readonly Node[]).map(({ entries }) => (entries as readonly unknown[]).length)
  const combined = lengths.reduce((product, length) => product * Math.max(1, length), 1)
  return combined * Math.max(1, (aggregates as readonly unknown[]).length)
}
