import { numberOf } from './literals.js'
import { lowerAscii, type Node } from './shapes.js'
import type { BaseColumn, Source, Sources } from './sources.js'

/** The modifiers of a query of this type, such as its LIMIT. */
export function modifiersOf(node: Node, type: string): Node[] {
  return ((node.modifiers ?? []) as Node[]).filter(each => each.type === type)
}

/** Whether a query has a modifier of this type. */
export const has = (node: Node, type: string) => modifiersOf(node, type).length > 0

/** With more columns or groups, ordinals and aliases are not looked up. */
const MOST_ITEMS = 200

/** The expressions that each group has one value of. */
export function groupsOf(node: Node, list: readonly Node[]): Node[] {
  if (node.aggregate_handling === 'FORCE_AGGREGATES') return [...list]
  const sets = (node.group_sets ?? []) as number[][]
  const expressions = (node.group_expressions ?? []) as Node[]
  if (Math.max(expressions.length, list.length, sets.length) > MOST_ITEMS) return expressions
  const inAll = expressions.filter((_, index) => sets.every(set => set.includes(index)))
  return inAll.map(expression => itemOf(expression, list))
}

/** What an ordinal or an alias in GROUP BY stands for. */
function itemOf(expression: Node, list: readonly Node[]): Node {
  const ordinal = numberOf(expression)
  if (ordinal !== null) return list[ordinal - 1] ?? expression
  const named = namedIn(expression, list)
  return named?.class === 'COLUMN_REF' ? named : expression
}

/** What an expression in ORDER BY stands for, where an alias comes before a column. `readsNumbers`: ordinals are read. */
export function orderedBy(expression: Node, list: readonly Node[], readsNumbers: boolean): Node {
  const ordinal = readsNumbers ? numberOf(expression) : null
  if (ordinal !== null) return list[ordinal - 1] ?? expression
  return namedIn(expression, list) ?? expression
}

function namedIn(expression: Node, list: readonly Node[]): Node | undefined {
  const names = expression.class === 'COLUMN_REF' ? (expression.column_names as string[]) : []
  return list.find(({ alias }) => alias && lowerAscii(String(alias)) === lowerAscii(names.join('.')))
}

/** The number of rows after which a query ends, as it is written; null without one. */
export function limitOf(node: Node): Node | null {
  const [limit] = modifiersOf(node, 'LIMIT_MODIFIER')
  return (limit?.limit as Node | null | undefined) ?? null
}

/** The columns of a query, as far as they are columns of the catalogue; null where their names are not known. */
export function outputOf(list: readonly Node[], sources: Sources): Source['columns'] {
  const columns = new Map<string, BaseColumn | null>()
  for (const item of list) {
    const { alias, column_names: names } = item as { alias?: string; column_names?: string[] }
    if (item.class === 'STAR') {
      const of = lowerAscii(String(item.relation_name ?? ''))
      const read = sources.all.filter(({ name }) => of === '' || name === of)
      if (!isWhole(item) || read.some(source => source.columns === null)) return null
      for (const source of read)
        for (const [name, base] of source.columns ?? []) if (!columns.has(name)) columns.set(name, base)
      continue
    }
    const name = lowerAscii(alias || names?.at(-1) || '')
    if (name !== '') columns.set(name, sources.own(item)?.base ?? null)
  }
  return columns
}

/** Whether a star stands for all columns, as they are. */
function isWhole({ columns, ...star }: Node): boolean {
  const isEmpty = (value: unknown) =>
    typeof value !== 'object' || value === null || Object.keys(value).length === 0
  return (
    columns !== true &&
    ['exclude_list', 'replace_list', 'rename_list', 'qualified_exclude_list', 'expr'].every(field =>
      isEmpty(star[field]),
    )
  )
}
