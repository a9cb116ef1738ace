/** A row of the relation `entities`: an entity below one of its owners. */
export interface EntityRow {
  key: string
  id: string
  owner: string | null
  name: string | null
  share: number
}

/** An entity of a project. */
export interface Entity {
  id: string
  name: string
  /**
   * Names of those that own it, from the root; by its largest share if there are several. Empty for a root.
   */
  path: string
  /** What the project owns of it, over all of its owners: 1 is all. */
  share: number
  /** Its name as it is searched: without case and accents. */
  words: string
}

/** Statement that reads all entities in a few rows, since a page has 500 rows at most. */
export const ENTITIES = `SELECT list({
  key: entity_key, id: entity_id, owner: parent_key, name: name, share: ownership_share
}) AS held
FROM (SELECT *, row_number() OVER (ORDER BY name, entity_id, parent_key) // 1000 AS part FROM entities)
GROUP BY part ORDER BY part`

/** The entities with their paths and shares, in the order of their names. */
export function entitiesOf(rows: readonly EntityRow[]): Entity[] {
  const held = new Map<string, EntityRow[]>()
  for (const row of rows) held.set(row.key, [...(held.get(row.key) ?? []), row])
  const shares = new Map<string, number>()

  function shareOf(key: string): number {
    const known = shares.get(key)
    if (known !== undefined) return known
    shares.set(key, 0) // a cycle of owners ends here
    const share = (held.get(key) ?? []).reduce(
      (sum, row) => sum + row.share * (row.owner === null ? 1 : shareOf(row.owner)),
      0,
    )
    shares.set(key, share)
    return share
  }

  function pathOf(key: string): string[] {
    const names: string[] = []
    const seen = new Set([key])
    for (let at = key; ; ) {
      const [largest] = [...(held.get(at) ?? [])].sort((a, b) => b.share - a.share)
      const owner = largest?.owner ?? null
      if (owner === null || seen.has(owner)) return names
      names.unshift(nameOf(held.get(owner)?.[0], owner))
      seen.add(owner)
      at = owner
    }
  }

  const entities = [...held].map(([key, [first]]) => {
    const name = nameOf(first, key)
    return {
      id: first?.id ?? '',
      name,
      path: pathOf(key).join(' › '),
      share: shareOf(key),
      words: plain(name),
    }
  })
  return entities.sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

function nameOf(row: EntityRow | undefined, key: string): string {
  return row?.name ?? key
}

/** The entities whose names have all words of a text; names that begin with the text come first. */
export function search(entities: readonly Entity[], text: string, most: number): Entity[] {
  const wanted = plain(text)
  const words = wanted.split(' ').filter(word => word !== '')
  const ranked: Entity[][] = [[], [], []]
  for (const entity of entities) {
    if (words.every(word => entity.words.includes(word))) {
      const rank = entity.words.startsWith(wanted) ? 0 : ` ${entity.words}`.includes(` ${wanted}`) ? 1 : 2
      ranked[rank]?.push(entity)
    }
    if ((ranked[0]?.length ?? 0) >= most) break
  }
  return ranked.flat().slice(0, most)
}

/** The entity that a text names: by its id, or by a name that no other has. */
export function named(entities: readonly Entity[], text: string): Entity | undefined {
  const wanted = plain(text)
  const found = entities.filter(({ id, words }) => id.toLowerCase() === wanted || words === wanted)
  return found.length === 1 ? found[0] : undefined
}

/** Letters without case and accents, and single blanks. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim()
}
