import { sql } from 'kysely'
import type { Store } from '../database/store.js'
import { Refusal } from '../input/refusal.js'
import { lockKeys } from './ended-keys.js'
import { countHeld } from './holdings.js'
import { REMOVED_HASH } from './key-rows.js'
import { count, readersOf } from './removal.js'
import { requireUser, tellOfUser, type User } from './users.js'

/** What removing a user removes with them, and counts of what packages hold. */
export interface UserRemoval {
  user: User
  /** Keys that are not revoked yet. */
  keys: number
  sessions: number
  exports: number
  /** Organizations that nobody else reads. */
  lastOf: string[]
}

/**
 * Suspends a user: their sessions end, they cannot log in, and their keys are refused like revoked
 * ones. Throws a Refusal when the user is unknown or already suspended.
 */
export async function suspendUser(store: Store, address: string): Promise<User> {
  return store.transaction(async within => {
    const { id, email, suspendedAt } = await requireUser(within, address)
    if (suspendedAt !== null) throw new Refusal(`${email} is already suspended: nothing to do`)
    const suspended = { user_id: id, suspended_at: within.clock.now() }
    await within.db.insertInto('suspended_users').values(suspended).execute()
    await within.db.deleteFrom('sessions').where('user_id', '=', id).execute()
    await tellOfUser(within, 'suspended', id, { email })
    return requireUser(within, email)
  })
}

/**
 * Ends the suspension of a user, whose keys are valid again. Throws a Refusal when the user is not suspended.
 */
export async function resumeUser(store: Store, address: string): Promise<User> {
  return store.transaction(async within => {
    const { id, email, suspendedAt } = await requireUser(within, address)
    if (suspendedAt === null) throw new Refusal(`${email} is not suspended: nothing to do`)
    await within.db.deleteFrom('suspended_users').where('user_id', '=', id).execute()
    await tellOfUser(within, 'resumed', id, { email })
    return requireUser(within, email)
  })
}

/** Lists what removing a user would remove. Throws a Refusal when the user is unknown. */
export async function userRemoval(store: Store, address: string): Promise<UserRemoval> {
  const user = await requireUser(store, address)
  const { id } = user
  const lastOf: string[] = []
  for (const key of user.organizations) if ((await readersOf(store, key)).length === 1) lastOf.push(key)
  return {
    user,
    keys: await count(store, 'keys', build =>
      build.and([build('user_id', '=', id), build('revoked_at', 'is', null)]),
    ),
    sessions: await count(store, 'sessions', build => build('user_id', '=', id)),
    exports: await count(store, 'exports', build => build('user_id', '=', id)),
    ...(await countHeld(store, { user: id })),
    lastOf,
  }
}

/**
 * Removes a user with everything that is theirs. The ids of their keys stay, without names, so that usage
 * totals stay right. Throws a Refusal when the user is unknown.
 */
export async function removeUser(store: Store, address: string): Promise<UserRemoval> {
  return store.transaction(async within => {
    const goes = await userRemoval(within, address)
    const { db, clock } = within
    const { id, email, organizations } = goes.user
    const now = clock.now()
    await tellOfUser(within, 'removed', id, { email, organizations, keys: goes.keys })
    const keys = () => db.selectFrom('keys').select('keys.id').where('user_id', '=', id)
    await lockKeys(
      within,
      (await keys().execute()).map(key => key.id),
    )
    await db.deleteFrom('key_organizations').where('key_id', 'in', keys()).execute()
    await db
      .updateTable('keys')
      .set(build => ({
        name: '',
        hash: sql<string>`${sql.lit(REMOVED_HASH)} || id`,
        revoked_at: build.fn.coalesce('revoked_at', sql.lit(now)),
        limits: null,
      }))
      .where('user_id', '=', id)
      .execute()
    for (const table of ['sessions', 'memberships', 'suspended_users'] as const)
      await db.deleteFrom(table).where('user_id', '=', id).execute()
    await db
      .updateTable('users')
      .set({ email: `removed ${id}`, password_hash: null })
      .where('id', '=', id)
      .execute()
    await db.insertInto('removed_users').values({ user_id: id, removed_at: now }).execute()
    return goes
  })
}
