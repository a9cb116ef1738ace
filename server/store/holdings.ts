import type { Going, Holding, Store, StoreAddition } from '../database/store.js'
import { additions } from '../input/installed.js'

/** Counts by the `field` of a holding. */
export type HeldCounts = Readonly<Record<string, number>>

/** What installed packages hold, in the order of the words for it. */
export async function holdings(): Promise<Holding[]> {
  const held = (await additions<StoreAddition>()).flatMap(({ holding }) => holding ?? [])
  return held.toSorted((one, other) => (one.several < other.several ? -1 : 1))
}

/** Counts what packages hold that goes with a removal. */
export async function countHeld(store: Store, going: Going): Promise<HeldCounts> {
  const counts: Record<string, number> = {}
  for (const { field, goesWith, count } of await holdings())
    if (goesWith.some(kind => kind in going)) counts[field] = await count(store, going)
  return counts
}

/** The field of an answer that counts what was removed of a holding, such as `removedThings` of `things`. */
export function removedField({ field }: Holding): string {
  return `removed${field.slice(0, 1).toUpperCase()}${field.slice(1)}`
}
