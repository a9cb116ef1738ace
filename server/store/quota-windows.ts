import type { QuotaPort } from 'foldgate'
import {
  type CountedHolder,
  type LimitedHolder,
  leftOf,
  limitedHolders,
  payingHolders,
  type QuotaLevel,
  type QuotaLimits,
  SingleFlight,
  tightestState,
} from 'foldgate/internal'
import { type RawBuilder, sql } from 'kysely'
import { EMBEDDED } from '../database/dialect.js'
import { nowIn, type Store } from '../database/store.js'
import { inBatches } from './chores.js'

/** How often a call is tried again while windows are added or end. */
const RETRIES = 3

/**
 * Windows are removed when they ended this long ago: other servers may have longer ones until all are restarted, and
 * clocks may be set back.
 */
const KEPT_MS = 86_400_000
/** With the time of a call in between, a window that was added for it is not removed. */
const ADDED_AS_OLD_MS = KEPT_MS / 2
const WINDOWS_PER_STATEMENT = 1000

/** A window in the store, with the time of the store. */
interface Found {
  level: QuotaLevel
  id: string
  started_at: number
  taken: number
  now: number
}

/**
 * A quota that several servers share. One statement takes the units of a call in the store, by the
 * store's clock, so that their calls together never exceed it. A unit is not refunded, even if its
 * server dies before it answers.
 */
export function sharedQuota(store: Store, limits: QuotaLimits, clock: () => RawBuilder<number>): QuotaPort {
  const { windowMs } = limits
  const lock = store.dialect === EMBEDDED ? sql`` : sql`for update`
  const taking = new SingleFlight<{ windows: Found[]; units: number }>()
  /** Calls that wait for the statement of others with the same holders, to take their units together. */
  const waiting = new Map<string, number>()

  /**
   * Takes a unit together with the calls that have waited as well. Returns the windows as they were after this
   * one; none if not all of them can have theirs.
   */
  async function takeTogether(holders: readonly LimitedHolder[]): Promise<Found[]> {
    const group = JSON.stringify(holders)
    const before = waiting.get(group) ?? 0
    waiting.set(group, before + 1)
    const { windows, units } = await taking.joinNext(group, {}, async () => {
      const units = waiting.get(group) ?? 1
      waiting.delete(group)
      return { windows: await takeUnits(holders, units), units }
    })
    return windows.map(window => ({ ...window, taken: window.taken - units + before + 1 }))
  }

  /** Takes the units if each level has as many left; otherwise returns nothing. */
  async function takeUnits(holders: readonly LimitedHolder[], units: number): Promise<Found[]> {
    const wanted = holders.map(
      ({ level, id, limit }, place) =>
        sql`(${level}, cast(${id} as text), ${sql.lit(limit)}, ${sql.lit(place)})`,
    )
    const levels = new Set(holders.map(({ level }) => level)).size
    // `held` locks the windows of all holders in one order, which keeps two calls from blocking each
    // other for good, and reads them as the previous call left them. All are there, so the insert
    // is an update, but one that does not look at them as they were when the statement began. A time
    // less than one window before the stored start belongs to a call that another call overtook, so
    // it counts in the stored window.
    const { rows } = await sql<Found>`
      with wanted (level, id, most, place) as (values ${sql.join(wanted)}),
      moment (at) as (select ${clock()}),
      held as (
        select level, id, started_at, taken from call_windows
        where ${theWindowsOf(holders)}
        order by level, id ${lock}
      ),
      counted as (
        select held.level, held.id, most, place, at,
          held.started_at > at - ${sql.lit(windowMs)} and held.started_at < at + ${sql.lit(windowMs)} as running,
          held.started_at, held.taken
        from held join wanted on wanted.level = held.level and wanted.id = held.id cross join moment
      ),
      current as (
        select level, id, most, place,
          case when running then started_at else at end as started_at, case when running then taken else 0 end as taken
        from counted
      ),
      paying as (
        select * from (
          select *, row_number() over (partition by level order by taken - most, started_at, place) as turn from current
        ) as ordered where turn = 1
      )
      insert into call_windows (level, id, started_at, taken) select level, id, started_at, taken + ${sql.lit(units)} from paying
      where (select count(*) from held) = ${sql.lit(holders.length)}
        and (select count(*) from paying where taken + ${sql.lit(units)} <= most) = ${sql.lit(levels)}
      on conflict (level, id) do update set started_at = excluded.started_at, taken = excluded.taken
      returning level, id, started_at, taken, ${clock()} as now`.execute(store.db)
    return rows
  }

  async function readWindows(holders: readonly LimitedHolder[]): Promise<Found[]> {
    const { rows } = await sql<Found>`
      select level, id, started_at, taken, ${clock()} as now from call_windows
      where ${theWindowsOf(holders)}`.execute(store.db)
    return rows
  }

  /** Adds the windows of these holders that are missing, for {@link takeUnits} to lock. */
  async function addWindows(holders: readonly LimitedHolder[]): Promise<void> {
    const ended = sql<number>`${clock()} - ${sql.lit(windowMs + ADDED_AS_OLD_MS)}`
    await store.db
      .insertInto('call_windows')
      .values(holders.map(({ level, id }) => ({ level, id, started_at: ended, taken: 0 })))
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }

  function counted(
    holders: readonly LimitedHolder[],
    windows: readonly Found[],
    isTaken: boolean,
  ): CountedHolder[] {
    return holders.flatMap(holder => {
      const found = windows.find(({ level, id }) => level === holder.level && id === holder.id)
      if (!found) return []
      const { started_at, taken, now } = found
      const isRunning = isTaken || Math.abs(now - started_at) < windowMs
      if (!isRunning) return { ...holder, taken: 0, resetMs: windowMs }
      return { ...holder, taken, resetMs: Math.min(windowMs, Math.max(0, started_at + windowMs - now)) }
    })
  }

  return {
    async take(caller) {
      const holders = limitedHolders(caller, limits)
      // Of several organizations, another one may pay for each call.
      const isAlike = holders.filter(({ level }) => level === 'organization').length <= 1
      let isTogether = isAlike
      for (let time = 0; ; time++) {
        const taken = await (isTogether ? takeTogether(holders) : takeUnits(holders, 1))
        if (taken.length > 0) return tightestState(counted(holders, taken, true), { allowed: true, windowMs })
        const found = await readWindows(holders)
        if (found.length < holders.length) await addWindows(holders)
        isTogether = isAlike && found.length < holders.length // or there are too few calls for all
        const paying = payingHolders(counted(holders, found, false))
        // Windows were missing, or one has ended in the meantime.
        const mayTake = found.length < holders.length || paying.every(holder => leftOf(holder) > 0)
        if (!mayTake || time === RETRIES)
          return { ...tightestState(paying, { allowed: false, windowMs }), remaining: 0 }
      }
    },
  }
}

/**
 * Removes windows that ended a day ago. Windows that a call is taking units from are left: waiting for them could
 * block both for good. A call whose windows are removed adds them again, see {@link sharedQuota}.
 */
export async function forgetWindows(
  { db, dialect, clock }: Store,
  windowMs: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const now = nowIn({ dialect, clock })
  const isOver = sql<boolean>`started_at <= ${now} - ${sql.lit(windowMs + KEPT_MS)}`
  let after = { level: '', id: '' }
  const forgetSome = async () => {
    const isAfter = sql<boolean>`(level, id) > (${after.level}, ${after.id})`
    const some = db.selectFrom('call_windows').select(['level', 'id']).where(isAfter)
    const page = await some.orderBy('level').orderBy('id').limit(WINDOWS_PER_STATEMENT).execute()
    after = page.at(-1) ?? after
    const ended = some
      .where(sql<boolean>`(level, id) <= (${after.level}, ${after.id})`)
      .where(isOver)
      .$if(dialect !== EMBEDDED, rows => rows.forUpdate().skipLocked())
    await db
      .deleteFrom('call_windows')
      .where(({ eb, refTuple }) => eb(refTuple('level', 'id'), 'in', ended as never))
      .execute()
    return page.length
  }
  await inBatches(WINDOWS_PER_STATEMENT, forgetSome, signal)
}

function theWindowsOf(holders: readonly LimitedHolder[]): RawBuilder<boolean> {
  return sql`(${sql.join(
    holders.map(({ level, id }) => sql`(level = ${level} and id = ${id})`),
    sql` or `,
  )})`
}
