import type { CallerLimits } from 'foldgate'
import type { Store } from '../database/store.js'

/**
 * Prefix of the hash of a removed key, whose row stays because its usage refers
 * to it. No digest begins with it.
 */
export const REMOVED_HASH = 'removed '

/**
 * Prefix of the hash of a key with limits. Servers before 0.2 find no such key: they know no limits, and may run beside
 * newer ones for a while.
 */
export const LIMITED_HASH = 'limited '

/** An API key as stored, without the key itself. Instants are epoch milliseconds. */
export interface ApiKey {
  id: string
  name: string
  /** E-mail address of the owner. */
  user: string
  /** The organizations that were chosen when it was created and are still there. */
  organizations: string[]
  /** The organizations of these that its owner, and so the key, reads now; none while the owner is suspended. */
  reads: string[]
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /** When its last call or download ended, according to the counters that are written (see `usagePort`). */
  lastUsedAt: number | null
  /** What the key can do at most; null when it has no limits. */
  limits: CallerLimits | null
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
      .select([
        'keys.id',
        'keys.name',
        'users.email',
        'keys.created_at',
        'expires_at',
        'revoked_at',
        'limits',
      ])
      .select([
        'key_organizations.organization_key as chosen',
        'memberships.organization_key as read',
        'suspended_at',
      ])
      .select(build =>
        build.fn
          .coalesce(
            build
              .selectFrom('usage')
              .whereRef('usage.key_id', '=', 'keys.id')
              .select(({ fn }) => fn.max<number | null>('last_at').as('last_at')),
            'keys.last_used_at',
          )
          .as('last_used_at'),
      )
      .where('keys.hash', 'not like', `${REMOVED_HASH}%`)
  )
}

/** A query of keys, to which conditions are added. */
export type SelectedKeys = ReturnType<typeof selectKeys>

/** Reads some keys, oldest first. */
export async function readKeys(
  store: Store,
  those: (query: SelectedKeys) => SelectedKeys,
): Promise<ApiKey[]> {
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
      limits: row.limits === null ? null : (JSON.parse(row.limits) as CallerLimits),
    }
    if (row.chosen !== null) key.organizations.push(row.chosen)
    if (row.read !== null && row.suspended_at === null) key.reads.push(row.read)
    keys.set(row.id, key)
  }
  return [...keys.values()]
}
