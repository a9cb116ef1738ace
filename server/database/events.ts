import type { Kysely } from 'kysely'
import type { Actor } from '../operation/actor.js'
import type { StoreSchema } from './schema.js'

/** Something that happened in a store, which the audit records and packages hear of. */
export interface StoreEvent {
  type: string
  /** Id of what it happened to. */
  subject: string
  /** Epoch milliseconds. */
  at: number
  /** Whom it concerns: the readers of an organization, a single user by the id, or the operator alone. */
  concerns: { organization: string } | { userId: string } | { operator: true }
  /**
   * What the audit records, and webhooks are sent of what they receive: small, and without secrets. Records are found by
   * the `projectId` and the `organizations` in it; without these, by those of the key of the `keyId` in it, or of the user.
   */
  data: object
  /** Who did it. Default: the user whom the current code runs for, or else the process. */
  who?: string
  /** From where. Default: the address of the client of the current request, or else the host name. */
  from?: string | null
}

/** What records are found by. */
interface Named {
  organizations?: readonly string[]
  projectId?: string
  keyId?: string
}

/** Records an event in the audit, in the transaction of what happened. */
export async function recordEvent(
  db: Kysely<StoreSchema>,
  { type: action, subject, at, concerns, data }: StoreEvent,
  { who, from: origin }: Actor,
): Promise<void> {
  const named = data as Named
  const organizations = await organizationsOf(db, concerns, named)
  const details = 'userId' in concerns ? { ...concerns, ...data } : data
  await db
    .insertInto('audit')
    .values({
      at,
      action,
      who,
      origin,
      subject,
      organizations: JSON.stringify(organizations),
      project_id: named.projectId ?? null,
      details: JSON.stringify(details),
    })
    .execute()
}

async function organizationsOf(
  db: Kysely<StoreSchema>,
  concerns: StoreEvent['concerns'],
  { organizations, keyId }: Named,
): Promise<readonly string[]> {
  if ('organization' in concerns) return [concerns.organization]
  if (organizations !== undefined || 'operator' in concerns) return organizations ?? []
  const found =
    keyId === undefined
      ? db.selectFrom('memberships').select('organization_key').where('user_id', '=', concerns.userId)
      : db.selectFrom('key_organizations').select('organization_key').where('key_id', '=', keyId)
  const rows: { organization_key: string }[] = await found.execute()
  return rows.map(row => row.organization_key).sort()
}
