import { sql } from 'kysely'
import type { Store } from '../database/store.js'
import { knownKey, since } from './usage.js'

/** What usage can be added up by. */
export const USAGE_GROUPS = ['organization', 'owner', 'key', 'project', 'query', 'relation'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** The usage of an organization, an owner, a key, a project, a named query or a relation. */
export interface UsageSum {
  /**
   * Key of the organization, address of the owner, id of the key or of the project, name and version of the query, or
   * name of the relation. The organizations of tokens, as JSON, stand for their owner and key. Empty for calls that have
   * none; null for owners who were removed.
   */
  id: string | null
  calls: number
  /** The calls of these that failed. */
  failed: number
  /** Rows answered and exported. */
  rows: number
  /** Bytes of the rows answered and of the files exported. */
  bytes: number
  downloads: number
  /** Bytes of the files downloaded. */
  downloadBytes: number
  /** Milliseconds that calls waited for a connection. */
  waitMs: number
  /** Milliseconds that calls waited for relations to be built. */
  buildMs: number
  /** Milliseconds that statements ran. */
  runMs: number
  /** Processor time of the engine, in milliseconds. */
  engineMs: number
}

const IDS: Readonly<Record<UsageGroup, ReturnType<typeof sql<string>>>> = {
  organization: sql`organization`,
  owner: sql`case when key_id like '[%' then key_id else users.email end`,
  key: sql`key_id`,
  project: sql`project_id`,
  query: sql`method`,
  relation: sql`relation`,
}

/**
 * Adds usage up over the last `days` days, today included, with the month that they begin in where days were rolled up;
 * what took the engine most comes first. Of one key alone, if it is given; throws a Refusal when that is unknown.
 */
export async function sumUsage(
  store: Store,
  { by, days, key: asked }: { by: UsageGroup; days: number; key?: string },
): Promise<UsageSum[]> {
  const { db, clock } = store
  const key = asked === undefined ? null : await knownKey(store, asked)
  const id = IDS[by]
  const calls = sql<number>`case when method = 'download' then 0 else calls end`
  const ofCalls = (what: string) =>
    sql<number>`case when method = 'download' then 0 else ${sql.ref(what)} end`
  const total = (value: ReturnType<typeof sql<number>>) => sql<number>`cast(sum(${value}) as bigint)`
  const rows = await db
    .selectFrom('usage')
    .leftJoin('keys', 'keys.id', 'usage.key_id')
    .leftJoin('removed_users', 'removed_users.user_id', 'keys.user_id')
    .leftJoin('users', join =>
      join.onRef('users.id', '=', 'keys.user_id').on('removed_users.user_id', 'is', null),
    )
    .select([
      id.as('id'),
      total(calls).as('calls'),
      total(sql`case when outcome = 'OK' then 0 else ${calls} end`).as('failed'),
      total(ofCalls('usage.rows')).as('rows'),
      total(ofCalls('usage.bytes')).as('bytes'),
      total(sql`usage.calls - ${calls}`).as('downloads'),
      total(sql`usage.bytes - ${ofCalls('usage.bytes')}`).as('downloadBytes'),
      total(sql`wait_ms`).as('waitMs'),
      total(sql`build_ms`).as('buildMs'),
      total(sql`run_ms`).as('runMs'),
      total(sql`engine_ms`).as('engineMs'),
    ])
    .where(since(days, clock.now()))
    .where('relation', by === 'relation' ? '<>' : '=', '')
    .$if(by === 'query', counters => counters.where('method', 'like', 'queries/%'))
    .$if(key !== null, counters => counters.where('key_id', '=', key ?? ''))
    .groupBy(id)
    .orderBy('engineMs', 'desc')
    .orderBy('calls', 'desc')
    .orderBy('id')
    .execute()
  return rows
}
