import type { Store } from '../database/store.js'
import { checkName, quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'

/** An organization; callers see its key as `organization`. */
export interface Organization {
  key: string
  name: string
  /** Epoch milliseconds. */
  createdAt: number
}

/** Returns the key. Throws a Refusal when it cannot be the key of an organization. */
export function checkOrganizationKey(key: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(key)) return key
  throw new Refusal(
    `${quoted(key)} cannot be the key of an organization: use letters, digits, ".", "_" and "-", at most 64, ` +
      'a letter or digit first',
  )
}

/** Adds an organization. Throws a Refusal when the key is taken. */
export async function addOrganization(
  store: Store,
  organization: { key: string; name: string },
): Promise<Organization> {
  const row = {
    key: checkOrganizationKey(organization.key),
    name: checkName(organization.name, 'organization'),
    created_at: store.clock.now(),
  }
  await store.transaction(async within => {
    const { numInsertedOrUpdatedRows: added } = await within.db
      .insertInto('organizations')
      .values(row)
      .onConflict(conflict => conflict.doNothing())
      .executeTakeFirst()
    if (!added) throw new Refusal(`The organization ${quoted(row.key)} already exists: choose another key`)
    await tellOf(within, 'made', row)
  })
  return { key: row.key, name: row.name, createdAt: row.created_at }
}

/** Gives an organization another display name. Throws a Refusal when it is unknown. */
export async function renameOrganization(store: Store, key: string, text: string): Promise<Organization> {
  const name = checkName(text, 'organization')
  return store.transaction(async within => {
    await within.db.updateTable('organizations').set({ name }).where('key', '=', key).execute()
    const organization = await requireOrganization(within, key)
    await tellOf(within, 'renamed', organization)
    return organization
  })
}

async function tellOf(within: Store, what: 'made' | 'renamed', organization: { key: string; name: string }) {
  const { key, name } = organization
  const concerns = { organization: key }
  await within.tell({
    type: `organization.${what}`,
    subject: key,
    at: within.clock.now(),
    concerns,
    data: { name },
  })
}

/** Returns an organization by key. Throws a Refusal when it is unknown. */
export async function requireOrganization(store: Store, key: string): Promise<Organization> {
  const [organization] = await listOrganizations(store, await requireOrganizations(store, [key]))
  if (!organization) throw new Error(`the organization ${key} is there, but cannot be read`)
  return organization
}

/** Lists all organizations, or those in `keys`, sorted by key. */
export async function listOrganizations(store: Store, keys?: readonly string[]): Promise<Organization[]> {
  if (keys?.length === 0) return []
  const rows = await store.db
    .selectFrom('organizations')
    .selectAll()
    .$if(keys !== undefined, query => query.where('key', 'in', keys ?? []))
    .orderBy('key')
    .execute()
  return rows.map(row => ({ key: row.key, name: row.name, createdAt: row.created_at }))
}

/** Returns `keys` without duplicates. Throws a Refusal when one names no organization. */
export async function requireOrganizations(store: Store, keys: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(keys)]
  if (wanted.length === 0) return [] // PostgreSQL does not accept an empty list
  const rows = await store.db.selectFrom('organizations').select('key').where('key', 'in', wanted).execute()
  const unknown = wanted.find(key => !rows.some(row => row.key === key))
  if (unknown !== undefined) {
    throw new Refusal(
      `There is no organization ${quoted(unknown)}: see "foldgate organization list", or add it with ` +
        '"foldgate organization add"',
    )
  }
  return wanted
}
