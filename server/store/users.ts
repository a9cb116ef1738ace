import { randomUUID } from 'node:crypto'
import type { Store } from '../database/store.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { requireOrganizations } from './organizations.js'
import { hashPassword } from './passwords.js'

/** A user, who owns keys, and the organizations that they read now. */
export interface User {
  id: string
  /** Lower case. */
  email: string
  organizations: string[]
  /** Whether they can log in while they are not suspended. */
  hasPassword: boolean
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds; null when the user is not suspended. */
  suspendedAt: number | null
}

/** Returns the address in lower case. Throws a Refusal when it is not an e-mail address. */
export function checkEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)*$/u.test(email)) return email
  throw new Refusal(`${quoted(text)} is not an e-mail address: write it as name@example.org`)
}

/**
 * Adds a user who reads these organizations. Throws a Refusal when the address is
 * taken or an organization unknown.
 */
export async function addUser(
  store: Store,
  user: { email: string; organizations: readonly string[]; password?: string },
): Promise<User> {
  const email = checkEmail(user.email)
  const row = {
    id: randomUUID(),
    email,
    password_hash: user.password === undefined ? null : await hashPassword(user.password),
    created_at: store.clock.now(),
  }
  return store.transaction(async within => {
    const organizations = await requireOrganizations(within, user.organizations)
    const { numInsertedOrUpdatedRows: added } = await within.db
      .insertInto('users')
      .values(row)
      .onConflict(conflict => conflict.doNothing())
      .executeTakeFirst()
    if (!added)
      throw new Refusal(`The user ${email} already exists: use "foldgate user grant" to let them read more`)
    await addMemberships(within, row.id, organizations)
    await tellOfUser(within, 'made', row.id, { email, organizations })
    return requireUser(within, email)
  })
}

/** Lets a user read these organizations in addition to those that they read already. */
export async function grantOrganizations(
  store: Store,
  email: string,
  keys: readonly string[],
): Promise<User> {
  return store.transaction(async within => {
    const { id } = await requireUser(within, email)
    const organizations = await requireOrganizations(within, keys)
    await addMemberships(within, id, organizations)
    await tellOfUser(within, 'granted', id, { email, organizations })
    return requireUser(within, email)
  })
}

/**
 * Takes organizations from a user, and so from their keys. Throws a Refusal when the user does not read one.
 */
export async function revokeOrganizations(
  store: Store,
  email: string,
  keys: readonly string[],
): Promise<User> {
  return store.transaction(async within => {
    const { user, organizations } = await requireReader(within, { address: email, organizations: keys })
    await within.db
      .deleteFrom('memberships')
      .where('user_id', '=', user.id)
      .where('organization_key', 'in', organizations)
      .execute()
    await tellOfUser(within, 'revoked', user.id, { email, organizations })
    return requireUser(within, email)
  })
}

/**
 * Gives a user another address, with which they log in from now on. Throws a
 * Refusal when another user has it.
 */
export async function renameUser(store: Store, address: string, next: string): Promise<User> {
  const email = checkEmail(next)
  return store.transaction(async within => {
    const { id, email: before } = await requireUser(within, address)
    const other = await findUser(within, email)
    if (other && other.id !== id)
      throw new Refusal(`The user ${email} already exists: choose another address`)
    await within.db.updateTable('users').set({ email }).where('id', '=', id).execute()
    await tellOfUser(within, 'renamed', id, { email, before })
    return requireUser(within, email)
  })
}

/** Tells of what happened to a user, with their address as it is now. */
export async function tellOfUser(
  within: Store,
  what: 'made' | 'granted' | 'revoked' | 'renamed' | 'suspended' | 'resumed' | 'removed' | 'password-changed',
  userId: string,
  data: { email: string; organizations?: readonly string[] } & Record<string, unknown>,
): Promise<void> {
  const at = within.clock.now()
  await within.tell({ type: `user.${what}`, subject: userId, at, concerns: { userId }, data })
}

/** Returns a user by address. Throws a Refusal when the user is unknown. */
export async function requireUser(store: Store, address: string): Promise<User> {
  const email = checkEmail(address)
  const user = await findUser(store, email)
  if (!user)
    throw new Refusal(
      `There is no user ${email}: see "foldgate user list", or add one with "foldgate user add"`,
    )
  return user
}

/** Returns a user by address, as {@link checkEmail} returns it, or null. */
export async function findUser(store: Store, email: string): Promise<User | null> {
  const [user] = await readUsers(store, email)
  return user ?? null
}

/** Lists all users, sorted by address. */
export function listUsers(store: Store): Promise<User[]> {
  return readUsers(store, null)
}

/** Selects the ids of the users who are suspended. */
export function suspendedUsers({ db }: Store) {
  return db.selectFrom('suspended_users').select('suspended_users.user_id')
}

/** Selects the ids of the users who were removed. */
export function removedUsers({ db }: Store) {
  return db.selectFrom('removed_users').select('removed_users.user_id')
}

/**
 * Returns a user, and the organizations without duplicates. Throws a Refusal, which ends with `advice`, when
 * the user or an organization is unknown and when the user does not read one.
 */
export async function requireReader(
  store: Store,
  { address, organizations: keys }: { address: string; organizations: readonly string[] },
  advice = '',
): Promise<{ user: User; organizations: string[] }> {
  const user = await requireUser(store, address)
  const organizations = await requireOrganizations(store, keys)
  const foreign = organizations.find(key => !user.organizations.includes(key))
  if (foreign === undefined) return { user, organizations }
  const reads = user.organizations.length === 0 ? 'nothing' : user.organizations.join(', ')
  throw new Refusal(
    `${user.email} does not read the organization ${quoted(foreign)} (they read ${reads})${advice}`,
  )
}

/** What an administrator can do about a {@link requireReader} that refuses. */
export const GRANT = ': grant it first with "foldgate user grant"'

async function addMemberships(store: Store, userId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await store.db
    .insertInto('memberships')
    .values(keys.map(key => ({ user_id: userId, organization_key: key })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

async function readUsers(store: Store, email: string | null): Promise<User[]> {
  const rows = await store.db
    .selectFrom('users')
    .leftJoin('memberships', 'memberships.user_id', 'users.id')
    .leftJoin('suspended_users', 'suspended_users.user_id', 'users.id')
    .select(['id', 'email', 'password_hash', 'created_at', 'organization_key', 'suspended_at'])
    .where('users.id', 'not in', removedUsers(store))
    .$if(email !== null, query => query.where('email', '=', email))
    .orderBy('email')
    .orderBy('organization_key')
    .execute()
  const users = new Map<string, User>()
  for (const row of rows) {
    const { id, created_at: createdAt } = row
    const user = users.get(id) ?? {
      id,
      email: row.email,
      organizations: [],
      hasPassword: row.password_hash !== null,
      createdAt,
      suspendedAt: row.suspended_at,
    }
    if (row.organization_key !== null) user.organizations.push(row.organization_key)
    users.set(id, user)
  }
  return [...users.values()]
}
