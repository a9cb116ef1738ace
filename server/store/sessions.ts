import { randomBytes } from 'node:crypto'
import type { Store } from '../database/store.js'
import { Refusal } from '../input/refusal.js'
import { digestOf } from './digest.js'
import { holdings, removedField } from './holdings.js'
import { revokeKeys } from './keys.js'
import { hashPassword, verifyPassword } from './passwords.js'
import { checkEmail, findUser, requireUser, suspendedUsers, tellOfUser, type User } from './users.js'

/** A session ends when it has not been used for this long. */
const SESSION_IDLE_MS = 2 * 3_600_000
/** A session ends this long after the login, even if it is in use. */
const SESSION_MS = 12 * 3_600_000
/** A page view is written only when the last written one is at least this old. */
const SEEN_EVERY_MS = 60_000
const TOKEN_BYTES = 32

/** Creates a random token for a browser to keep. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/**
 * Opens a session and returns its token, or null when the user is unknown or suspended, has no password or
 * gave a wrong one; all of these take equally long. Throws a Refusal when too many logins are waiting.
 */
export async function logIn(
  store: Store,
  given: { email: string; password: string },
): Promise<string | null> {
  const readLogin = async (within: Store) =>
    await within.db
      .selectFrom('users')
      .select(['id', 'email', 'password_hash'])
      .where('email', '=', addressOf(given.email))
      .where('id', 'not in', suspendedUsers(within))
      .executeTakeFirst()
  const login = await readLogin(store)
  if (!(await verifyPassword(given.password, login?.password_hash ?? null))) return null
  const token = newToken()
  return store.transaction(async within => {
    const now = within.clock.now()
    const still = await readLogin(within)
    // Checking takes a while: a password that was changed in the meantime must not open a session.
    if (!still || still.password_hash !== login?.password_hash) return null
    await within.db
      .deleteFrom('sessions')
      .where(build =>
        build.or([
          build('created_at', '<=', now - SESSION_MS),
          build('seen_at', '<=', now - SESSION_IDLE_MS),
        ]),
      )
      .execute()
    await within.db
      .insertInto('sessions')
      .values({ hash: digestOf(token), user_id: still.id, created_at: now, seen_at: now })
      .execute()
    const { id: userId, email: who } = still
    await within.tell({ type: 'login', subject: userId, at: now, concerns: { userId }, data: {}, who })
    return token
  })
}

/** What ends together with the old password, in addition to the sessions: keys, and holdings by their fields. */
export interface AlsoEnd {
  keys?: boolean
  [field: string]: boolean | undefined
}

/** The number of keys that were revoked with a password, and of holdings that were removed. */
export interface EndedAccess {
  revokedKeys: number
  [removed: string]: number
}

/** Sets the password of a user and ends all their sessions. */
export async function setPassword(
  store: Store,
  address: string,
  password: string,
  also: AlsoEnd = {},
): Promise<{ user: User; ended: EndedAccess }> {
  const { id, email } = await requireUser(store, address)
  const password_hash = await hashPassword(password)
  return store.transaction(async within => {
    await within.db.updateTable('users').set({ password_hash }).where('id', '=', id).execute()
    await within.db.deleteFrom('sessions').where('user_id', '=', id).execute()
    await tellOfUser(within, 'password-changed', id, { email })
    const ended = await endOwned(within, id, also)
    return { user: await requireUser(within, email), ended }
  })
}

/**
 * Changes the password of a user who knows the current one, ends all their sessions, and returns the token of
 * a new one. Returns null, and changes nothing, when the current password is wrong. Throws a Refusal when the
 * new password is too short or too long, and when too many passwords are being checked.
 */
export async function changePassword(
  store: Store,
  { userId, current, next, also = {} }: { userId: string; current: string; next: string; also?: AlsoEnd },
): Promise<{ token: string; ended: EndedAccess } | null> {
  const readLogin = (within: Store) =>
    within.db
      .selectFrom('users')
      .select(['email', 'password_hash'])
      .where('id', '=', userId)
      .where('id', 'not in', suspendedUsers(within))
      .executeTakeFirst()
  const known = await readLogin(store)
  if (!(await verifyPassword(current, known?.password_hash ?? null)) || !known) return null
  const password_hash = await hashPassword(next)
  const token = newToken()
  return store.transaction(async within => {
    // Checking takes a while: a password that an administrator has set meanwhile must stay.
    if ((await readLogin(within))?.password_hash !== known.password_hash) return null
    const now = within.clock.now()
    await within.db.updateTable('users').set({ password_hash }).where('id', '=', userId).execute()
    await within.db.deleteFrom('sessions').where('user_id', '=', userId).execute()
    await within.db
      .insertInto('sessions')
      .values({ hash: digestOf(token), user_id: userId, created_at: now, seen_at: now })
      .execute()
    await tellOfUser(within, 'password-changed', userId, { email: known.email })
    return { token, ended: await endOwned(within, userId, also) }
  })
}

/** Ends keys and holdings of a user. Holdings go first, since those that stay hear of the keys. */
async function endOwned(within: Store, userId: string, also: AlsoEnd): Promise<EndedAccess> {
  const removed: [field: string, count: number][] = []
  for (const holding of await holdings())
    if (holding.removeOf)
      removed.push([removedField(holding), also[holding.field] ? await holding.removeOf(within, userId) : 0])
  const revokedKeys = also.keys ? await revokeKeys(within, build => build('user_id', '=', userId)) : 0
  return { revokedKeys, ...Object.fromEntries(removed) }
}

/**
 * Returns the user of a session, or null when it is unknown or has ended. Each
 * call counts as use of the session.
 */
export async function readSession(store: Store, token: string): Promise<User | null> {
  const now = store.clock.now()
  const hash = digestOf(token)
  const session = await store.db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['email', 'seen_at'])
    .where('hash', '=', hash)
    .where('sessions.created_at', '>', now - SESSION_MS)
    .where('seen_at', '>', now - SESSION_IDLE_MS)
    .where('sessions.user_id', 'not in', suspendedUsers(store))
    .executeTakeFirst()
  if (!session) return null
  if (now - session.seen_at >= SEEN_EVERY_MS)
    await store.db.updateTable('sessions').set({ seen_at: now }).where('hash', '=', hash).execute()
  return findUser(store, session.email)
}

/** Ends the session of a token, if there is one. */
export async function logOut(store: Store, token: string): Promise<void> {
  await store.transaction(async within => {
    const ended = await within.db
      .deleteFrom('sessions')
      .where('hash', '=', digestOf(token))
      .returning('user_id')
      .executeTakeFirst()
    if (!ended) return
    const { user_id: userId } = ended
    const at = within.clock.now()
    await within.tell({ type: 'logout', subject: userId, at, concerns: { userId }, data: {} })
  })
}

/** Returns the address in lower case, or an empty string, which matches no user, when it is invalid. */
function addressOf(text: string): string {
  try {
    return checkEmail(text)
  } catch (error) {
    if (error instanceof Refusal) return ''
    throw error
  }
}
