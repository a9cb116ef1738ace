import { isDeepStrictEqual } from 'node:util'
import type { Reader } from '../../../guard/refusal.js'
import { fold } from './scope.js'
import type { Node } from './shapes.js'

/**
 * Refuses a window that is partitioned by one expression twice, also by the name that the SELECT gives it: beside it, the
 * engine takes another window of the SELECT for the same.
 */
export function checkPartitions(reader: Reader, window: Node, selected: readonly Node[]): void {
  const partitions = window.partitions as readonly Node[]
  const named = new Map(selected.map(each => [fold(String(each.alias)), each]))
  const meant = partitions.map(each => [each, named.get(nameOf(each) ?? '') ?? each])
  const isTwice = meant.some((some, at) =>
    meant.slice(at + 1).some(others => some.some(one => others.some(other => isSame(one, other)))),
  )
  if (!isTwice) return
  const name = fold(String(window.function_name))
  throw reader.refuse('construct', 'The window is partitioned by the same expression twice.', {
    name,
    hint: 'Name each expression of PARTITION BY once.',
  })
}

/** The name of a column that is written alone. */
function nameOf({ class: kind, column_names: names }: Node): string | undefined {
  return kind === 'COLUMN_REF' && (names as string[]).length === 1
    ? fold(String((names as string[])[0]))
    : undefined
}

/** Whether two expressions are written alike, but for where they stand, and for the relation before a column. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => isSame(each, other[at]))
  if (!isNode(one) || !isNode(other)) return isDeepStrictEqual(one, other)
  if (one.class === 'COLUMN_REF' && other.class === 'COLUMN_REF') return isSameColumn(one, other)
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every(key => key === 'query_location' || key === 'alias' || isSame(one[key], other[key]))
}

function isSameColumn(one: Node, other: Node): boolean {
  const [names, others] = [one, other].map(each => (each.column_names as string[]).map(fold).reverse()) as [
    string[],
    string[],
  ]
  return [...names.keys()].every(at => at >= others.length || names[at] === others[at])
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
