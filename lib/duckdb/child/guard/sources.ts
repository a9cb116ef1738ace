import type { KnownRelation } from '../../../engine/claim.js'
import { lowerAscii, type Node } from './shapes.js'

/** A column of a relation of the catalogue. */
export interface BaseColumn {
  relation: KnownRelation
  column: string
  /** Its type; undefined where the catalogue declares none. */
  type?: string | undefined
}

/** What a query reads in its FROM. */
export interface Source {
  /** The name by which columns are qualified, in lower case. */
  name: string
  /** The relation that it is; null for a subquery, a common table expression or a call. */
  base: KnownRelation | null
  /** Its columns by name in lower case; null where they are not known. A column that is computed is null. */
  columns: ReadonlyMap<string, BaseColumn | null> | null
}

/** A column of a source. */
export interface SourceColumn {
  source: Source
  /** In lower case. */
  name: string
  base: BaseColumn | null
}

/** The columns of a relation of the catalogue. */
export function sourceOf(relation: KnownRelation, { alias, column_name_alias: renamed }: Node): Source {
  const name = lowerAscii(String(alias || relation.name))
  const isRenamed = Array.isArray(renamed) && renamed.length > 0
  if (relation.columns === null || isRenamed)
    return { name, base: isRenamed ? null : relation, columns: null }
  const columns = Object.entries(relation.columns).map(
    ([column, type]) => [lowerAscii(column), { relation, column, type }] as const,
  )
  return { name, base: relation, columns: new Map(columns) }
}

/** The columns in the scope of a query, and of those around it. */
export class Sources {
  readonly all: Source[] = []
  readonly #outer: Sources | null

  constructor(outer: Sources | null) {
    this.#outer = outer
  }

  /** The column of this query to which a reference leads; null when that is not certain. */
  own(node: Node | null | undefined): SourceColumn | null {
    if (node?.class !== 'COLUMN_REF') return null
    const names = (node.column_names as string[]).map(lowerAscii)
    const name = names.at(-1) as string
    if (names.length > 2) return null
    const named = names.length === 2 ? this.all.filter(source => source.name === names[0]) : this.all
    const having = named.filter(({ columns }) => columns === null || columns.has(name))
    const [source] = having
    if (!source || having.length > 1) return null
    if (source.columns) return { source, name, base: source.columns.get(name) ?? null }
    return { source, name, base: source.base && { relation: source.base, column: name } }
  }

  /** The column of the catalogue to which a reference leads, also from a query around this one. */
  find(node: Node | null | undefined): BaseColumn | null {
    const own = this.own(node)
    if (own) return own.base
    return this.#outer && !this.#isNear(node) ? this.#outer.find(node) : null
  }

  #isNear(node: Node | null | undefined): boolean {
    const names = ((node?.column_names ?? []) as string[]).map(lowerAscii)
    const name = names.at(-1) as string
    return this.all.some(({ name: of, columns }) =>
      names.length > 1 ? of === names[0] : columns === null || columns.has(name),
    )
  }
}

/** The nodes of a class in an expression, without those in subqueries. */
export function referencesIn(value: unknown, wanted = 'COLUMN_REF'): Node[] {
  if (typeof value !== 'object' || value === null) return []
  const node = value as Node
  if (node.class === wanted) return [node]
  if (node.class === 'SUBQUERY') return referencesIn(node.child, wanted)
  if (node.class === 'CONSTANT') return []
  return Object.values(node).flatMap(part => referencesIn(part, wanted))
}
