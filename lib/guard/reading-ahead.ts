/** A call with OVER in the tree of the engine's parser. */
export interface WindowCall {
  type?: unknown
  partitions?: unknown
  orders?: unknown
  offset_expr?: unknown
}

/** What to write instead. */
export const ORDER_IT = 'Write the order into the window: lead(…) OVER (ORDER BY …).'

/**
 * Whether a call with OVER reads rows that follow, in a window with neither ORDER BY nor PARTITION BY. The engine
 * streams such a window, and over some plans, such as one of EXISTS, it then repeats rows of the result.
 */
export function readsAheadWithoutOrder({
  type,
  partitions,
  orders,
  offset_expr: offset,
}: WindowCall): boolean {
  const isLead = type === 'WINDOW_LEAD'
  if (!isLead && type !== 'WINDOW_LAG') return false
  if (!isEmpty(partitions) || !isEmpty(orders)) return false
  const rows = offset === null || offset === undefined ? 1 : literalOf(offset)
  return rows === null || (isLead ? rows > 0 : rows < 0)
}

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0
}

/** A whole number that is written as such; null for anything else. */
function literalOf(node: unknown): number | null {
  const { value } = node as { value?: { value?: unknown } | null }
  return typeof value?.value === 'number' ? value.value : null
}
