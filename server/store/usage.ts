import type { UsagePort } from 'foldgate'
import { type Kysely, sql } from 'kysely'
import type { StoreSchema } from '../database/schema.js'
import type { Store } from '../database/store.js'
import { COUNTED, USAGE_OF } from '../database/usage-tables.js'
import { writeBehind } from '../database/write-behind.js'
import { formatDay } from '../input/instants.js'
import type { Report } from '../operation/log.js'
import { inPages } from './in-pages.js'
import { requireKey } from './keys.js'

const DAY_MS = 86_400_000
const COUNTERS_PER_PAGE = 5000
/** The method that a {@link UsagePort} receives for a download. */
const DOWNLOAD = 'download'
/** In place of the name of a key. */
const TOKENS = 'tokens'

/** Calls of one method. */
export interface MethodUsage {
  calls: number
  /** The calls of these that failed. */
  failed: number
}

/** Whether an id is not that of a key, which is a UUID, but that of tokens: a list in JSON. */
export function isOfTokens(id: string): boolean {
  return id.startsWith('[')
}

/** What a key was used for on one day, or on days of a month that were rolled up. */
export interface DayUsage extends MethodUsage {
  /** Id of the key, or the organizations of tokens as JSON. */
  keyId: string
  /** `tokens` for these; null when the owner of the key was removed. */
  keyName: string | null
  /** `YYYY-MM-DD` in UTC, or `YYYY-MM` for the sum of days of a month that were rolled up. */
  day: string
  /** By method; calls of unknown methods count as `unknown`. */
  methods: Record<string, MethodUsage>
  /** Rows answered and exported. */
  rows: number
  /** Bytes of the rows answered and of the files exported. */
  bytes: number
  downloads: number
  /** Bytes of the files downloaded. */
  downloadBytes: number
}

type UsageRow = StoreSchema['usage']

/**
 * Counts calls and downloads in the store, by key, day, method, outcome and project, and the same of each relation that
 * they read. The counters are written behind: a server that is killed loses those of its last second, and calls are
 * answered even when the store cannot be written to.
 */
export function usagePort(store: Store, report: Report): UsagePort & { close(): Promise<void> } {
  const counters = writeBehind<UsageRow>(store, {
    what: 'usage',
    report,
    write: addUsage,
    merge: sumOf,
  })
  return {
    record({ keyId, method, outcome, organization, projectId, relations, at, ...told }) {
      const { wait = 0, build = 0, query = 0 } = told.phasesMs
      const counter = {
        key_id: keyId,
        day: formatDay(at),
        method,
        outcome,
        organization: organization ?? '',
        project_id: organization === null ? '' : (projectId ?? ''), // else anything that a caller sent
        calls: 1,
        rows: told.rows,
        bytes: told.bytes,
        wait_ms: Math.round(wait),
        build_ms: Math.round(build),
        run_ms: Math.round(query),
        engine_ms: Math.round(told.processorMs),
        last_at: at,
      }
      for (const relation of ['', ...relations]) {
        const row = { ...counter, relation }
        counters.put(usageId(row), row)
      }
    },
    close: () => counters.close(),
  }
}

/** What a counter is of, as a text. */
export function usageId(row: UsageRow): string {
  return JSON.stringify(USAGE_OF.map(name => row[name]))
}

/** Two counters of the same as one. */
export function sumOf(one: UsageRow, other: UsageRow): UsageRow {
  const sums = Object.fromEntries(COUNTED.map(name => [name, one[name] + other[name]]))
  return { ...one, ...sums, last_at: Math.max(one.last_at, other.last_at) }
}

/** Adds counters to those in the store. */
export async function addUsage(db: Kysely<StoreSchema>, counters: UsageRow[]): Promise<void> {
  await db
    .insertInto('usage')
    .values(counters)
    .onConflict(conflict =>
      conflict.columns([...USAGE_OF]).doUpdateSet(build => ({
        ...Object.fromEntries(
          COUNTED.map(name => [name, build(`usage.${name}`, '+', build.ref(`excluded.${name}`))]),
        ),
        // Another server may already have written a later instant.
        last_at: build
          .case()
          .when('excluded.last_at', '>', build.ref('usage.last_at'))
          .then(build.ref('excluded.last_at'))
          .else(build.ref('usage.last_at'))
          .end(),
      })),
    )
    .execute()
}

/** Which usage: of the last `days` days, today included, of one key, of some keys (by their ids) or of all. */
export interface UsageQuery {
  key?: string
  keys?: readonly string[]
  days: number
}

/** As {@link usageOf}, for usage that fits into memory. */
export async function readUsage(store: Store, query: UsageQuery): Promise<DayUsage[]> {
  const days: DayUsage[] = []
  for await (const day of usageOf(store, query)) days.push(day)
  return days
}

/**
 * Reads usage: one record per key and day of use, earliest day first. Of days that were rolled up, a record has the sum
 * of the month that they are in, all of it. Throws a Refusal when the key is unknown.
 */
export async function* usageOf(store: Store, query: UsageQuery): AsyncGenerator<DayUsage, void> {
  const key = query.key === undefined ? null : await knownKey(store, query.key)
  if (query.keys?.length === 0) return // PostgreSQL does not accept an empty list
  let current: DayUsage | null = null
  for await (const counter of countersOf(store, { ...query, key })) {
    if (current?.keyId !== counter.key_id || current.day !== counter.day) {
      if (current) yield current
      const name = isOfTokens(counter.key_id) ? TOKENS : counter.name
      current = unused(counter.key_id, counter.removed_at === null ? name : null, counter.day)
    }
    addTo(current, counter)
  }
  if (current) yield current
}

/** Reads counters by day and key: there may be millions. */
function countersOf(
  { db, clock }: Store,
  { key, keys, days }: { key: string | null; keys?: readonly string[]; days: number },
) {
  const counters = db
    .selectFrom('usage')
    .leftJoin('keys', 'keys.id', 'usage.key_id')
    .leftJoin('removed_users', 'removed_users.user_id', 'keys.user_id')
    .select([...USAGE_OF, 'keys.name', 'removed_at', 'calls', 'rows', 'bytes'])
    .where('relation', '=', '')
    .where(since(days, clock.now()))
    .$if(key !== null, rows => rows.where('key_id', '=', key ?? ''))
    .$if(keys !== undefined, rows => rows.where('key_id', 'in', keys ?? []))
    .orderBy('day')
    .orderBy('key_id')
    .orderBy('method')
    .orderBy('outcome')
    .orderBy('organization')
    .orderBy('project_id')
    .limit(COUNTERS_PER_PAGE)
  return inPages<Awaited<ReturnType<typeof counters.execute>>[number]>(COUNTERS_PER_PAGE, after => {
    if (!after) return counters.execute()
    const { day, key_id, method, outcome, organization, project_id } = after
    const row = sql<boolean>`(day, key_id, method, outcome, organization, project_id)`
    const last = sql.join([day, key_id, method, outcome, organization, project_id])
    return counters.where(sql<boolean>`${row} > (${last})`).execute()
  })
}

/** The condition on rows of the last days, and of the month that they begin in. */
export function since(days: number, now: number) {
  const firstDay = lastDays(days, now)[0] ?? ''
  const firstMonth = firstDay.slice(0, 'YYYY-MM'.length)
  return sql<boolean>`(day >= ${firstDay} or day = ${firstMonth})`
}

/** Returns the id of a key, which may be gone but for its usage, or of tokens. Throws a Refusal when it is unknown. */
export async function knownKey(store: Store, id: string): Promise<string> {
  if (isOfTokens(id)) return id
  const row = await store.db
    .selectFrom('keys')
    .select('id')
    .where('id', '=', id.toLowerCase())
    .executeTakeFirst()
  return row?.id ?? (await requireKey(store, id)).id
}

/** Returns the last `count` days as `YYYY-MM-DD`, earliest first; the last is the day of `now`. */
export function lastDays(count: number, now: number): string[] {
  return Array.from({ length: count }, (_, at) => formatDay(now - (count - 1 - at) * DAY_MS))
}

function unused(keyId: string, keyName: string | null, day: string): DayUsage {
  return {
    keyId,
    keyName,
    day,
    calls: 0,
    failed: 0,
    methods: {},
    rows: 0,
    bytes: 0,
    downloads: 0,
    downloadBytes: 0,
  }
}

function addTo(
  usage: DayUsage,
  { method, outcome, calls, rows, bytes }: Pick<UsageRow, 'method' | 'outcome' | 'calls' | 'rows' | 'bytes'>,
): void {
  if (method === DOWNLOAD) {
    usage.downloads += calls
    usage.downloadBytes += bytes
    return
  }
  const failed = outcome === 'OK' ? 0 : calls
  const known = usage.methods[method] ?? { calls: 0, failed: 0 }
  usage.methods[method] = { calls: known.calls + calls, failed: known.failed + failed }
  usage.calls += calls
  usage.failed += failed
  usage.rows += rows
  usage.bytes += bytes
}
