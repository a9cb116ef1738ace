import { groupBy } from './group.js'
import { amount, type PackageProject, text } from './package.js'

/** The ownership structure of a project. */
export interface Ownership {
  /** Key of the entity without a holder. */
  root: string
  /** Ids of the entities by key. */
  ids: ReadonlyMap<string, string>
  /** The entities that an entity holds directly, with its share in each. */
  held: ReadonlyMap<string, readonly { entity: string; share: number }[]>
}

/** Reads the holders of a project's entities, one row per holder. */
export function ownershipOf(project: PackageProject): Ownership {
  const entities = project.rows('entities')
  const root = entities.find(row => row.get('parent_key') == null)
  if (!root) throw new RangeError(`${project.key} has no root`)
  const holdings = groupBy(entities, row => row.get('parent_key') ?? '')
  const held = [...holdings].map(([holder, rows]) => {
    const shares = rows.map(row => ({ entity: text(row, 'entity_key'), share: amount(row, 'ownership_share') ?? 0 }))
    return [holder, shares] as const
  })
  const ids = new Map(entities.map(row => [text(row, 'entity_key'), text(row, 'entity_id')]))
  return { root: text(root, 'entity_key'), ids, held: new Map(held) }
}

/** The entities below `from`, itself included, with their shares: the sum over all paths to each. */
export function sharesBelow({ held }: Ownership, from: string): Map<string, number> {
  const shares = new Map<string, number>()
  const walk = (entity: string, share: number) => {
    shares.set(entity, (shares.get(entity) ?? 0) + share)
    for (const next of held.get(entity) ?? []) walk(next.entity, share * next.share)
  }
  walk(from, 1)
  return shares
}

/** The entities below `from`, itself included, each with a share of 1. */
export function wholeBelow(ownership: Ownership, from: string): Map<string, number> {
  return new Map([...sharesBelow(ownership, from).keys()].map(entity => [entity, 1]))
}
