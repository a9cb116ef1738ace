import { randomBytes, randomUUID } from 'node:crypto'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Schema } from '../database/schema.js'
import type { Store } from '../database/store.js'
import { formatInstant } from '../input/instants.js'
import { checkName, quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { queueEvent } from '../outbox/webhook-events.js'
import { digestOf } from './digest.js'
import { GRANT, requireReader } from './users.js'

/**
 * Prefix of the hash of a removed key, whose row stays because its usage refers
 * to it. No digest begins with it.
 */
export const REMOVED_HASH = 'removed '

/** Prefix of every key, so that a key leaked in a log or a repository can be found. */
const KEY_PREFIX = 'fg_'
const KEY_BYTES = 32
/** Number of keys of a user that are neither revoked nor expired. */
export const MOST_KEYS = 100

/** An API key as stored, without the key itself. Instants are epoch milliseconds. */
export interface ApiKey {
  id: string
  name: string
  /** E-mail address of the owner. */
  user: string
  /** The organizations that were chosen when it was created and are still there. */
  organizations: string[]
  /** Those of them that its owner, and so the key, reads now; none while the owner is suspended. */
  reads: string[]
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /** When its last call or download ended, according to the counters that are written (see `usagePort`). */
  lastUsedAt: number | null
}

/** A new key, with the key itself, which is not stored and cannot be read again. */
export interface CreatedKey extends ApiKey {
  key: string
}

/**
 * Creates a key for organizations that its owner reads now. Throws a Refusal when the owner is unknown or
 * does not read an organization, when the expiry is in the past, and when the owner has 100 active keys.
 */
export async function createKey(
  store: Store,
  wanted: { user: string; organizations: readonly string[]; name?: string; expiresAt?: number },
): Promise<CreatedKey> {
  const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url')
  const now = store.clock.now()
  if (wanted.expiresAt !== undefined && wanted.expiresAt <= now)
    throw new Refusal(`${formatInstant(wanted.expiresAt)} is in the past: name a time in the future`)
  const id = randomUUID()
  const name = checkName(wanted.name ?? 'API key', 'key')
  await store.transaction(async within => {
    const asked = { address: wanted.user, organizations: wanted.organizations }
    const { user: owner, organizations } = await requireReader(within, asked, GRANT)
    if ((await countKeys(within, { email: owner.email, state: 'active' })) >= MOST_KEYS)
      throw new Refusal(
        `${owner.email} has ${MOST_KEYS} active keys, and can have no more: revoke one first, on the page of keys or with ` +
          '"foldgate key revoke"',
      )
    await within.db
      .insertInto('keys')
      .values({
        id,
        user_id: owner.id,
        name,
        hash: digestOf(key),
        created_at: now,
        expires_at: wanted.expiresAt ?? null,
        revoked_at: null,
      })
      .execute()
    await within.db
      .insertInto('key_organizations')
      .values(organizations.map(each => ({ key_id: id, organization_key: each })))
      .execute()
  })
  return { ...(await requireKey(store, id)), key }
}

/** Lists all keys, or those of the user with this address, oldest first. */
export function listKeys(store: Store, email?: string): Promise<ApiKey[]> {
  return readKeys(store, query => (email === undefined ? query : query.where('users.email', '=', email)))
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

/** Revokes the selected keys that are not revoked yet, and queues an event for each. Returns their number. */
export async function revokeKeys(
  within: Store,
  which: (build: ExpressionBuilder<Schema, 'keys'>) => Expression<SqlBool>,
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
    await queueEvent(within, { event: 'key.revoked', subject: id, userId, at: now, data })
  }
  return revoked.length
}

/** Returns a key by id. Throws a Refusal when it is unknown. */
export async function requireKey(store: Store, id: string): Promise<ApiKey> {
  const [key] = await readKeys(store, query => query.where('keys.id', '=', id.toLowerCase()))
  if (!key) throw new Refusal(`There is no key with the id ${quoted(id)}: see "foldgate key list"`)
  return key
}

function selectKeys({ db }: Store) {
  return (
    db
      .selectFrom('keys')
      .innerJoin('users', 'users.id', 'keys.user_id')
      // Without any organization, if those that it was created for were removed.
      .leftJoin('key_organizations', 'key_organizations.key_id', 'keys.id')
      .leftJoin('suspended_users', 'suspended_users.user_id', 'keys.user_id')
      .leftJoin('memberships', join =>
        join
          .onRef('memberships.user_id', '=', 'keys.user_id')
          .onRef('memberships.organization_key', '=', 'key_organizations.organization_key'),
      )
      .select(['keys.id', 'keys.name', 'users.email', 'keys.created_at', 'expires_at', 'revoked_at'])
      .select([
        'key_organizations.organization_key as chosen',
        'memberships.organization_key as read',
        'suspended_at',
      ])
      .select(build =>
        build
          .selectFrom('usage')
          .whereRef('usage.key_id', '=', 'keys.id')
          .select(({ fn }) => fn.max<number | null>('last_at').as('last_at'))
          .as('last_used_at'),
      )
      .where('keys.hash', 'not like', `${REMOVED_HASH}%`)
  )
}

type SelectedKeys = ReturnType<typeof selectKeys>

async function readKeys(store: Store, those: (query: SelectedKeys) => SelectedKeys): Promise<ApiKey[]> {
  const rows = await those(selectKeys(store))
    .orderBy('keys.created_at')
    .orderBy('keys.id')
    .orderBy('chosen')
    .execute()
  const keys = new Map<string, ApiKey>()
  for (const row of rows) {
    const key = keys.get(row.id) ?? {
      id: row.id,
      name: row.name,
      user: row.email,
      organizations: [],
      reads: [],
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      lastUsedAt: row.last_used_at,
    }
    if (row.chosen !== null) key.organizations.push(row.chosen)
    if (row.read !== null && row.suspended_at === null) key.reads.push(row.read)
    keys.set(row.id, key)
  }
  return [...keys.values()]
}
