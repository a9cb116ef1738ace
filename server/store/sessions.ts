import { randomBytes } from 'node:crypto'
import { digestOf } from './digest.js'
import { verifyPassword } from './passwords.js'
import { Refusal } from './refusal.js'
import type { Store } from './store.js'
import { checkEmail, findUser, type User } from './users.js'

/** A session that is not used for so long ends. */
const SESSION_IDLE_MS = 2 * 3_600_000
/** A session ends so long after the login, used or not. */
const SESSION_MS = 12 * 3_600_000
/** A use is written when the last one written is older: not every look at a page is worth a write. */
const SEEN_EVERY_MS = 60_000
const TOKEN_BYTES = 32

/** A text that nobody guesses, for a browser to hold. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/**
 * Opens a session and gives its token, or null when there is no such user, they have no password or it is another one:
 * all take as long. With too many logins waiting it is a refusal.
 */
export async function logIn(store: Store, given: { email: string; password: string }): Promise<string | null> {
  const readLogin = async (within: Store) =>
    await within.db
      .selectFrom('users')
      .select(['id', 'password_hash'])
      .where('email', '=', addressOf(given.email))
      .executeTakeFirst()
  const login = await readLogin(store)
  if (!(await verifyPassword(given.password, login?.password_hash ?? null))) return null
  const token = newToken()
  return store.transaction(async within => {
    const now = within.clock.now()
    const still = await readLogin(within)
    // Checking takes a while: a password that has changed meanwhile has ended the sessions that there were.
    if (!still || still.password_hash !== login?.password_hash) return null
    await within.db
      .deleteFrom('sessions')
      .where(build =>
        build.or([build('created_at', '<=', now - SESSION_MS), build('seen_at', '<=', now - SESSION_IDLE_MS)]),
      )
      .execute()
    await within.db
      .insertInto('sessions')
      .values({ hash: digestOf(token), user_id: still.id, created_at: now, seen_at: now })
      .execute()
    return token
  })
}

/** Who is logged in with this token, or null when nobody is any more. Being asked keeps the session from idling out. */
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
    .executeTakeFirst()
  if (!session) return null
  if (now - session.seen_at >= SEEN_EVERY_MS)
    await store.db.updateTable('sessions').set({ seen_at: now }).where('hash', '=', hash).execute()
  return findUser(store, session.email)
}

/** Ends the session of this token, if there is one. */
export async function logOut(store: Store, token: string): Promise<void> {
  await store.db.deleteFrom('sessions').where('hash', '=', digestOf(token)).execute()
}

/** The address as users have it; what is none is nobody's. */
function addressOf(text: string): string {
  try {
    return checkEmail(text)
  } catch (error) {
    if (error instanceof Refusal) return ''
    throw error
  }
}
