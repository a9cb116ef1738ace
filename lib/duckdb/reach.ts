import type { PointOfView } from '../engine/port.js'

/**
 * Whose data a process may hold. It serves one reach until it ends: memory that DuckDB has freed still contains
 * old rows, which a statement that reads past the end of a string could return.
 */
export interface Reach {
  /** Key of the organization, which shares connections and memory with the others. */
  organization: string
  /** Names the reach among all reaches of all organizations. */
  key: string
}

/** The reach of statements from a point of view, and of what is built for it: its organization. */
export function reachOf({ organization }: PointOfView): Reach {
  return { organization, key: organization }
}
