import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { CallerLimits, KeyPort, ProjectPort } from 'foldgate'
import type { Store } from '../database/store.js'
import { digestOf } from './digest.js'
import { LIMITED_HASH } from './key-rows.js'
import { findProject, listProjects } from './projects.js'
import { suspendedUsers } from './users.js'

const SECRET_BYTES = 48

/**
 * Authenticates keys of the store whose owners are not suspended. A key reads the organizations that
 * were chosen for it and that its owner reads now; it is valid even when there are none. The
 * duration of the lookup depends only on digests, from which no key can be derived, and the final
 * comparison takes constant time.
 */
export function keyPort(store: Store): KeyPort {
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
        .select('keys.limits')
        .where('hash', 'in', [hash, LIMITED_HASH + hash])
        .where('revoked_at', 'is', null)
        .where('keys.user_id', 'not in', suspendedUsers(store))
        .orderBy('memberships.organization_key')
        .execute(),
    { isFirst: true },
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
      const organizations = rows.flatMap(row => row.organization_key ?? [])
      const caller = { keyId: first.id, ownerId: first.user_id, organizations }
      return first.limits === null ? caller : { ...caller, only: JSON.parse(first.limits) as CallerLimits }
    },
  }
}

/** Finds and lists projects of the store. */
export function projectPort(store: Store): ProjectPort {
  const find = whileUnchanged(store, (projectId: string) => findProject(store, projectId))
  return {
    find: projectId => find(projectId),
    list: page => listProjects(store, page),
  }
}

const MOST_KEPT = 1_000

/**
 * Caches reads until the store changes, so that a revocation applies to the next call. What a call reads after its key
 * may be as it was when a key was checked in the same turn of the event loop; `isFirst` is for what it reads first.
 */
export function whileUnchanged<Value>(
  store: Store,
  read: (name: string) => Promise<Value>,
  { isFirst = false } = {},
): (name: string) => Promise<Value> {
  const { versions } = store
  if (!versions) return read
  let known = { version: '', values: new Map<string, Value>() }
  return async name => {
    const now = (isFirst ? null : versions.latest()) ?? (await versions.next())
    if (known.version !== now || known.values.size > MOST_KEPT) known = { version: now, values: new Map() }
    const { values } = known
    const kept = values.get(name)
    if (kept !== undefined) return kept
    const value = await read(name)
    // The store may have changed during the read: then the value is not kept.
    if (versions.now() === now) values.set(name, value)
    return value
  }
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
