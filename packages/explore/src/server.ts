/**
 * What the reference server finds in this package: the query page in its own layout, with keys and saved queries for the users
 * of the server.
 *
 * @module foldgate-explore/server
 * @internal
 */

import type { PageAddition, StoreAddition } from 'foldgate-server/parts'
import { addQueryPage, LINK } from './server/routes.js'
import { countSavedQueries, forgetUser } from './server/saved-queries.js'
import { createSavedQueries } from './server/tables.js'

export const addition: PageAddition & StoreAddition = {
  migrations: [{ name: 'foldgate-explore/0001-saved-queries', up: createSavedQueries }],
  async hear(within, { type, subject }) {
    if (type === 'user.removed') await forgetUser(within, subject)
  },
  holding: {
    field: 'savedQueries',
    one: 'saved query',
    several: 'saved queries',
    goesWith: ['user', 'projects'],
    count: countSavedQueries,
  },
  addPages: addQueryPage,
  link: LINK,
  opening: (project, key) => `${LINK.path}#${new URLSearchParams({ project, key })}`,
}
