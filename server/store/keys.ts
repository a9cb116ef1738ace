import { randomBytes, randomUUID } from 'node:crypto'
import type { CallerLimits } from 'foldgate'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { StoreSchema } from '../database/schema.js'
import type { Store } from '../database/store.js'
import { formatInstant } from '../input/instants.js'
import { checkName, quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { digestOf } from './digest.js'
import { inPages } from './in-pages.js'
import { type ApiKey, LIMITED_HASH, REMOVED_HASH, readKeys } from './key-rows.js'
import { refuseUnread } from './projects.js'
import { GRANT, requireReader } from './users.js'

/** Prefix of every key, so that a key leaked in a log or a repository can be found. */
const KEY_PREFIX = 'fg_'
const KEY_BYTES = 32
const TAG_CHARACTERS = 6
/** Number of keys of a user that are neither revoked nor expired. */
export const MOST_KEYS = 100
const KEYS_PER_PAGE = 1000

/** A new key, with the key itself, which is not stored and cannot be read again. */
export interface CreatedKey extends ApiKey {
  key: string
}

/**
 * Creates a key for organizations that its owner reads now. Throws a Refusal when the owner is unknown or
 * does not read an organization, when the expiry is in the past, when the limits name a project that the key could not
 * read, and when the owner has 100 active keys.
 */
export async function createKey(
  store: Store,
  wanted: {
    user: string
    organizations: readonly string[]
    name?: string
    expiresAt?: number
    limits?: CallerLimits | null
  },
): Promise<CreatedKey> {
  const now = store.clock.now()
  if (wanted.expiresAt !== undefined && wanted.expiresAt <= now)
    throw new Refusal(`${formatInstant(wanted.expiresAt)} is in the past: name a time in the future`)
  const id = randomUUID()
  const name = checkName(wanted.name ?? 'API key', 'key')
  const limits = wanted.limits ?? null
  const secret = randomBytes(KEY_BYTES).toString('base64url')
  let key = ''
  await store.transaction(async within => {
    const asked = { address: wanted.user, organizations: wanted.organizations }
    const { user: owner, organizations } = await requireReader(within, asked, GRANT)
    if ((await countKeys(within, { email: owner.email, state: 'active' })) >= MOST_KEYS)
      throw new Refusal(
        `${owner.email} has ${MOST_KEYS} active keys, and can have no more: revoke one first, on the page of keys or with ` +
          '"foldgate key revoke"',
      )
    await refuseUnread(within, limits?.projects ?? [], organizations)
    key = `${KEY_PREFIX}${tagOf(organizations)}_${secret}`
    await within.db
      .insertInto('keys')
      .values({
        id,
        user_id: owner.id,
        name,
        hash: limits === null ? digestOf(key) : LIMITED_HASH + digestOf(key),
        limits: limits && JSON.stringify(limits),
        created_at: now,
        expires_at: wanted.expiresAt ?? null,
        revoked_at: null,
      })
      .execute()
    await within.db
      .insertInto('key_organizations')
      .values(organizations.map(each => ({ key_id: id, organization_key: each })))
      .execute()
    const { id: userId, email } = owner
    const expiresAt = wanted.expiresAt === undefined ? null : formatInstant(wanted.expiresAt)
    const data = { keyId: id, name, email, organizations, limits, expiresAt }
    await within.tell({ type: 'key.made', subject: id, at: now, concerns: { userId }, data })
  })
  return { ...(await requireKey(store, id)), key }
}

/**
 * The part of a key by which the proxies of `deploy/` choose a server: the keys of an organization share it, so one server
 * builds its relations. It is public, and the same whenever a key is made: derived from the first of the organizations.
 */
function tagOf(organizations: readonly string[]): string {
  const [first = ''] = organizations.toSorted()
  const number = BigInt(`0x${digestOf(first)}`) % 36n ** BigInt(TAG_CHARACTERS)
  return number.toString(36).padStart(TAG_CHARACTERS, '0')
}

/** Lists all keys, or those of the user with this address, oldest first. */
export function listKeys(store: Store, email?: string): Promise<ApiKey[]> {
  return readKeys(store, query => (email === undefined ? query : query.where('users.email', '=', email)))
}

/** Reads all keys, oldest first. */
export function keysInOrder(store: Store): AsyncGenerator<ApiKey, void> {
  return inPages(KEYS_PER_PAGE, after => {
    const page = store.db
      .selectFrom('keys')
      .select('keys.id')
      .where('keys.hash', 'not like', `${REMOVED_HASH}%`)
      .$if(after !== undefined, query =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('keys.created_at', 'keys.id'), '>', tuple(after?.createdAt ?? 0, after?.id ?? '')),
        ),
      )
      .orderBy('keys.created_at')
      .orderBy('keys.id')
      .limit(KEYS_PER_PAGE)
    return readKeys(store, query => query.where('keys.id', 'in', page))
  })
}

/** The keys of a user that are active, or that are revoked or expired. */
export interface KeysOfUser {
  /** E-mail address of the owner. */
  email: string
  state: 'active' | 'ended'
}

/** Lists some of the keys of a user, newest first: at most `most`, after the first `skip`. */
export async function listSomeKeys(
  store: Store,
  of: KeysOfUser,
  { skip = 0, most }: { skip?: number; most: number },
): Promise<ApiKey[]> {
  const some = keysOf(store, of)
    .select('keys.id')
    .orderBy('keys.created_at', 'desc')
    .orderBy('keys.id', 'desc')
    .limit(most)
    .offset(skip)
  return (await readKeys(store, query => query.where('keys.id', 'in', some))).reverse()
}

/** Counts the keys of a user. */
export async function countKeys(store: Store, of: KeysOfUser): Promise<number> {
  const counted = keysOf(store, of).select(({ fn }) => fn.countAll<number>().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

/** Returns a key of a user by id, or null. */
export async function findKeyOf(store: Store, email: string, id: string): Promise<ApiKey | null> {
  const found = await readKeys(store, query =>
    query.where('keys.id', '=', id).where('users.email', '=', email),
  )
  return found[0] ?? null
}

function keysOf({ db, clock }: Store, { email, state }: KeysOfUser) {
  const now = clock.now()
  return db
    .selectFrom('keys')
    .innerJoin('users', 'users.id', 'keys.user_id')
    .where('users.email', '=', email)
    .where('keys.hash', 'not like', `${REMOVED_HASH}%`)
    .where(is => {
      const active = is.and([
        is('revoked_at', 'is', null),
        is.or([is('expires_at', 'is', null), is('expires_at', '>', now)]),
      ])
      return state === 'active' ? active : is.not(active)
    })
}

/**
 * Revokes a key at once and for good; no effect on a revoked key. Throws a Refusal when the id is unknown.
 */
export async function revokeKey(store: Store, id: string): Promise<ApiKey> {
  return store.transaction(async within => {
    await revokeKeys(within, build => build('keys.id', '=', id.toLowerCase()))
    return requireKey(within, id)
  })
}

/** Revokes the selected keys that are not revoked yet, and tells of each. Returns their number. */
export async function revokeKeys(
  within: Store,
  which: (build: ExpressionBuilder<StoreSchema, 'keys'>) => Expression<SqlBool>,
): Promise<number> {
  const now = within.clock.now()
  const revoked = await within.db
    .updateTable('keys')
    .set({ revoked_at: now })
    .where(build => which(build))
    .where('revoked_at', 'is', null)
    .returning(['id', 'user_id'])
    .execute()
  for (const { id, user_id: userId } of revoked) {
    const data = { keyId: id, revokedAt: formatInstant(now) }
    await within.tell({ type: 'key.revoked', subject: id, at: now, concerns: { userId }, data })
  }
  return revoked.length
}

/** Returns a key by id. Throws a Refusal when it is unknown. */
export async function requireKey(store: Store, id: string): Promise<ApiKey> {
  const [key] = await readKeys(store, query => query.where('keys.id', '=', id.toLowerCase()))
  if (!key) throw new Refusal(`There is no key with the id ${quoted(id)}: see "foldgate key list"`)
  return key
}
