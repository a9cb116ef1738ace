import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { CallerLimits, KeyPort, ProjectPort } from 'foldgate'
import { whileUnchanged } from '../database/changes.js'
import type { Store } from '../database/store.js'
import { digestOf } from './digest.js'
import { LIMITED_HASH } from './key-rows.js'
import { findProject, listProjects } from './projects.js'
import { suspendedUsers } from './users.js'

const SECRET_BYTES = 48
/** Pages of projects that are kept, and the most projects and organizations of one together. */
const MOST_PAGES = 1_000
const MOST_LISTED = 200

type ListRequest = Parameters<ProjectPort['list']>[0]

/**
 * Authenticates keys of the store whose owners are not suspended. A key reads the organizations that
 * were chosen for it and that its owner reads now; it is valid even when there are none. The
 * duration of the lookup depends only on digests, from which no key can be derived, and the final
 * comparison takes constant time. `onFirstUse` takes the ids of keys of which no use is recorded yet.
 */
export function keyPort(store: Store, onFirstUse: (keyId: string) => void = () => {}): KeyPort {
  const read = whileUnchanged(
    store,
    (hash: string) =>
      store.db
        .selectFrom('keys')
        .leftJoin('key_organizations', 'key_organizations.key_id', 'keys.id')
        .leftJoin('memberships', join =>
          join
            .onRef('memberships.user_id', '=', 'keys.user_id')
            .onRef('memberships.organization_key', '=', 'key_organizations.organization_key'),
        )
        .select(['keys.id', 'keys.user_id', 'keys.hash', 'keys.expires_at', 'memberships.organization_key'])
        .select(['keys.limits', 'keys.first_used_at'])
        .where('hash', 'in', [hash, LIMITED_HASH + hash])
        .where('revoked_at', 'is', null)
        .where('keys.user_id', 'not in', suspendedUsers(store))
        .orderBy('memberships.organization_key')
        .execute(),
    // A key that is unknown is looked for each time: it tells no id that changes when there is one.
    { idsOf: ([first]) => (first ? [first.id, first.user_id] : null) },
  )
  return {
    async authenticate(key) {
      const hash = digestOf(key)
      const rows = await read(hash)
      const [first] = rows
      if (!first) return null
      // A key whose limits were lost is not open.
      const expected = first.limits === null ? hash : LIMITED_HASH + hash
      if (
        first.hash.length !== expected.length ||
        !timingSafeEqual(Buffer.from(first.hash), Buffer.from(expected))
      )
        return null
      if (first.expires_at !== null && first.expires_at <= store.clock.now()) return null
      if (first.first_used_at === null) onFirstUse(first.id)
      const organizations = rows.flatMap(row => row.organization_key ?? [])
      const caller = { keyId: first.id, ownerId: first.user_id, organizations }
      return first.limits === null ? caller : { ...caller, only: JSON.parse(first.limits) as CallerLimits }
    },
  }
}

/** Finds and lists projects of the store. */
export function projectPort(store: Store): ProjectPort {
  const find = whileUnchanged(store, (projectId: string) => findProject(store, projectId), {
    idsOf: (_, projectId) => [projectId],
  })
  const list = whileUnchanged(store, (page: string) => listProjects(store, JSON.parse(page)), {
    idsOf: (projects, page) => {
      const { organizations } = JSON.parse(page) as ListRequest
      if (organizations.length + projects.length > MOST_LISTED) return null
      return [...organizations, ...projects.map(({ projectId }) => projectId)]
    },
    most: MOST_PAGES,
  })
  return { find: projectId => find(projectId), list: page => list(JSON.stringify(page)) }
}

/** Returns the secrets that sign cursors and links, newest first. Creates one when there is none. */
export async function signingSecrets(store: Store): Promise<string[]> {
  return store.transaction(async within => {
    const rows = await within.db.selectFrom('secrets').select('value').orderBy('created_at', 'desc').execute()
    if (rows.length > 0) return rows.map(row => row.value)
    const value = randomBytes(SECRET_BYTES).toString('base64url')
    await within.db
      .insertInto('secrets')
      .values({ id: randomUUID(), value, created_at: store.clock.now() })
      .execute()
    return [value]
  })
}
