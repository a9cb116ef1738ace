import { timingSafeEqual } from 'node:crypto'
import type { KeyPort, ProjectPort } from 'foldgate'
import { digestOf } from './digest.js'
import { findProject, listProjects } from './projects.js'
import type { Store } from './store.js'

/**
 * Keys of the store. A key reads what was chosen for it and its owner reads now; one that is left with nothing is
 * still a key. How long the store looks tells of digests alone, which lead nobody to a key, and the last word has a
 * comparison in constant time.
 */
export function keyPort(store: Store): KeyPort {
  return {
    async authenticate(key) {
      const hash = digestOf(key)
      const rows = await store.db
        .selectFrom('keys')
        .leftJoin('key_organizations', 'key_organizations.key_id', 'keys.id')
        .leftJoin('memberships', join =>
          join
            .onRef('memberships.user_id', '=', 'keys.user_id')
            .onRef('memberships.organization_key', '=', 'key_organizations.organization_key'),
        )
        .select(['keys.id', 'keys.user_id', 'keys.hash', 'memberships.organization_key'])
        .where('hash', '=', hash)
        .where('revoked_at', 'is', null)
        .where(build => build.or([build('expires_at', 'is', null), build('expires_at', '>', store.clock.now())]))
        .orderBy('memberships.organization_key')
        .execute()
      const [first] = rows
      if (!first || !timingSafeEqual(Buffer.from(first.hash), Buffer.from(hash))) return null
      const organizations = rows.flatMap(row => row.organization_key ?? [])
      return { keyId: first.id, ownerId: first.user_id, organizations }
    },
  }
}

/** Projects of the store. */
export function projectPort(store: Store): ProjectPort {
  return {
    find: projectId => findProject(store, projectId),
    list: page => listProjects(store, page),
  }
}
