/** What the page says where catalogues differ. */
export interface PageWords {
  /** To visitors who have not given a key. */
  welcome: { title: string; lead: string }
  /** About projects without analytics. */
  states: { computing: string; notComputed: string }
  /** About relations by their kind. */
  kinds: { fold: string; table: string }
}

const WITH_TREE: PageWords = {
  welcome: {
    title: 'Ask your assessments anything',
    lead: 'tables, charts and maps, computed for the point of view that you choose',
  },
  states: { computing: 'being assessed', notComputed: 'not assessed' },
  kinds: { fold: 'for your point of view', table: 'as stored' },
}

const PLAIN: PageWords = {
  welcome: { title: 'Ask your data anything', lead: 'tables, charts and maps' },
  states: { computing: 'being prepared', notComputed: 'without data' },
  kinds: { fold: 'from the tables', table: 'as stored' },
}

/** The words for a catalogue: without a tree of ownership, they are about data and snapshots. */
export function wordsOf(hasPointOfView: boolean): PageWords {
  return hasPointOfView ? WITH_TREE : PLAIN
}
