import { sql } from 'kysely'
import type { Store } from '../database/store.js'
import { formatInstant } from '../input/instants.js'
import { inBatches } from './chores.js'
import { inPages } from './in-pages.js'

const RECORDS_PER_PAGE = 1000
/** The embedded store blocks the process meanwhile. */
const RECORDS_PER_TRANSACTION = 500
const DAY_MS = 86_400_000

/** A record of the audit, as it is printed and logged. */
export interface AuditRecord {
  /** Grows with each record. */
  id: number
  /** RFC 3339. */
  at: string
  /** What happened, such as `key.made`. */
  action: string
  /** The address of a user, `command:` or `server:` and a system user, `key:` and an id, or `unknown`. */
  who: string
  /** Address of a client, or host name of a machine; null when unknown. */
  from: string | null
  /** Id of what it happened to. */
  subject: string
  /** Keys of the organizations that it concerns, empty when none. */
  organizations: string[]
  projectId: string | null
  /** What else is known, by the action. */
  details: Record<string, unknown>
}

/** Which records are read; without a field, all are. */
export interface AuditFilter {
  /** Epoch milliseconds; the record of this instant is read. */
  since?: number
  /** Epoch milliseconds; the record of this instant is not read. */
  until?: number
  /** An action such as `key.made`, or a kind of them such as `key`. */
  action?: string
  who?: string
  organization?: string
  project?: string
  /** Only so many, the newest. */
  limit?: number
}

/** Reads records, oldest first. */
export async function* readAudit(store: Store, filter: AuditFilter = {}): AsyncGenerator<AuditRecord, void> {
  const { limit } = filter
  let first = 0
  if (limit !== undefined) {
    const oldest = selectRecords(store, filter)
      .orderBy('sequence', 'desc')
      .limit(1)
      .offset(limit - 1)
    first = (await oldest.executeTakeFirst())?.sequence ?? 0
  }
  yield* inPages<AuditRecord>(RECORDS_PER_PAGE, async after =>
    recordsOf(store, { after: after?.id ?? first - 1, most: RECORDS_PER_PAGE }, filter),
  )
}

/** Reads the first records after an id. */
export async function recordsOf(
  store: Store,
  { after, most }: { after: number; most: number },
  filter: AuditFilter = {},
): Promise<AuditRecord[]> {
  const rows = await selectRecords(store, filter)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(most)
    .execute()
  return rows.map(row => ({
    id: row.sequence,
    at: formatInstant(row.at),
    action: row.action,
    who: row.who,
    from: row.origin,
    subject: row.subject,
    organizations: JSON.parse(row.organizations),
    projectId: row.project_id,
    details: JSON.parse(row.details),
  }))
}

/** The id of the last record; 0 when there is none. */
export async function lastRecord({ db }: Store): Promise<number> {
  const row = await db
    .selectFrom('audit')
    .select(({ fn }) => fn.max('sequence').as('last'))
    .executeTakeFirst()
  return row?.last ?? 0
}

/** Removes the records that are older than `days`. No other code removes records. */
export async function forgetAudit(
  store: Store,
  days: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const before = store.clock.now() - days * DAY_MS
  const forgetSome = async () => {
    const some = store.db.selectFrom('audit').select('sequence').where('at', '<', before)
    const { numDeletedRows } = await store.db
      .deleteFrom('audit')
      .where('sequence', 'in', some.orderBy('at').limit(RECORDS_PER_TRANSACTION))
      .executeTakeFirst()
    return Number(numDeletedRows)
  }
  await inBatches(RECORDS_PER_TRANSACTION, forgetSome, signal)
}

function selectRecords({ db }: Store, { since, until, action, who, organization, project }: AuditFilter) {
  let query = db.selectFrom('audit').selectAll()
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  if (action !== undefined)
    query = query.where(is => is.or([is('action', '=', action), is('action', 'like', `${action}.%`)]))
  if (who !== undefined) query = query.where('who', '=', who)
  if (organization !== undefined) {
    // Whether the JSON list has this member; LIKE would take "_" for any character, and ignore case.
    const member = JSON.stringify(organization)
    query = query.where(sql<boolean>`replace(organizations, ${member}, '') <> organizations`)
  }
  if (project !== undefined) query = query.where('project_id', '=', project)
  return query
}
