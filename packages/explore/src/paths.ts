/** Paths of the query page on its server, for its routes, its markup and its script. */
export const PATHS = {
  page: '/explore',
  /** Creates a key for the user who is logged in. */
  key: '/explore/key',
  /** The saved queries of that user: each is below it by its id, and below that `remove`. */
  queries: '/explore/queries',
  /** Followed by the id of a project: the warnings with which its newest snapshot was sealed. */
  warnings: '/explore/warnings/',
} as const
