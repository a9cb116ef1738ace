import type { Catalogue } from 'foldgate'

/** What pages and commands call things. */
export interface ServerWords {
  /** Whether people know of assessments, in which snapshots are sealed. */
  hasAssessments: boolean
  /** Whether callers choose a point of view. */
  hasPointOfView: boolean
}

/** The words for a catalogue: without a tree of ownership, they are about data and snapshots. */
export function wordsOf({ hierarchy }: Pick<Catalogue, 'hierarchy'>): ServerWords {
  const hasTree = hierarchy !== null
  return { hasAssessments: hasTree, hasPointOfView: hasTree }
}
