/**
 * What the reference server finds in this package: the query page in its own layout, for the users of the server.
 *
 * @module foldgate-explore/server
 * @internal
 */

import type { PageAddition } from 'foldgate-server/parts'
import { addQueryPage, LINK } from './server/routes.js'

export const addition = { addPages: addQueryPage, link: LINK } satisfies PageAddition
