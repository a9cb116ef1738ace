import { type Ownership, sharesBelow } from './ownership.js'
import { type PackageProject, text } from './package.js'

/** A row of `fold_entities`. */
export interface Entity {
  entity_key: string
  entity_id: string
  name: string | null
  kind: string | null
  iso3: string | null
  country: string | null
}

/** A row of `ownership_paths`. */
export interface OwnershipPath {
  ancestor_key: string
  entity_key: string
  depth: number
  share: number
}

/** Ancestors are at most this many steps below the entity that a query looks from. */
const STEPS = 20

/** The entities of a project, each once, by key. */
export function entitiesOf(project: PackageProject): Map<string, Entity> {
  const countries = new Map(project.rows('countries').map(row => [text(row, 'iso3'), row.get('name') ?? null]))
  const entities = new Map<string, Entity>()
  for (const row of project.rows('entities')) {
    const iso3 = row.get('iso3') ?? null
    const key = text(row, 'entity_key')
    entities.set(key, {
      entity_key: key,
      entity_id: text(row, 'entity_id'),
      name: row.get('name') ?? null,
      kind: row.get('kind') ?? null,
      iso3,
      country: countries.get(iso3 ?? '') ?? null,
    })
  }
  return entities
}

/** What every entity near `from` holds of those below it. */
export function pathsBelow(ownership: Ownership, from: string): OwnershipPath[] {
  return [...stepsBelow(ownership, from)]
    .filter(([, steps]) => steps <= STEPS)
    .flatMap(([ancestor]) => {
      const depths = stepsBelow(ownership, ancestor)
      return [...sharesBelow(ownership, ancestor)].map(([entity, share]) => ({
        ancestor_key: ancestor,
        entity_key: entity,
        depth: depths.get(entity) as number,
        share,
      }))
    })
}

/** The entities below `from`, itself included, with the fewest steps to each. */
function stepsBelow({ held }: Ownership, from: string): Map<string, number> {
  const steps = new Map([[from, 0]])
  for (const [entity, taken] of steps) // a Map also visits what is added on the way, in order
    for (const next of held.get(entity) ?? []) if (!steps.has(next.entity)) steps.set(next.entity, taken + 1)
  return steps
}
