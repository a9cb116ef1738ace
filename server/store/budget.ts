import type { BudgetLimits, BudgetPort, TakenBudget } from 'foldgate'
import { type RawBuilder, sql } from 'kysely'
import { nowIn, type Store } from '../database/store.js'

/** The settings of the budget of each organization: 0 for no limit. */
export interface BudgetSettings {
  callsAtOnce: number
  budgetWindowMs: number
  budgetEngineMs: number
  budgetExportRows: number
  budgetExportBytes: number
}

const COUNTED = ['engineMs', 'exportRows', 'exportBytes'] as const satisfies readonly (keyof TakenBudget)[]

/** The limits of the settings; null when there are none. */
export function budgetLimits(settings: BudgetSettings): BudgetLimits | null {
  const { callsAtOnce, budgetWindowMs: windowMs } = settings
  const { budgetEngineMs: engineMs, budgetExportRows: exportRows, budgetExportBytes: exportBytes } = settings
  const limits = Object.entries({ callsAtOnce, engineMs, exportRows, exportBytes }).filter(
    ([, most]) => most > 0,
  )
  return limits.length === 0 ? null : { ...Object.fromEntries(limits), windowMs }
}

/**
 * The budget of organizations, counted in the store beside the windows of quotas, so that it outlives a restart and is that
 * of all servers of the store. `callsAtOnce` is for each server.
 */
export function budgetPort(store: Store, { callsAtOnce, windowMs, ...limits }: BudgetLimits): BudgetPort {
  const now = () => nowIn(store)
  const wanted = COUNTED.filter(name => limits[name] !== undefined)
  const nothing = { engineMs: 0, exportRows: 0, exportBytes: 0 }
  /** Whether a window that began then still runs. A window of the future has the time of a clock that was wrong. */
  const runs = (startedAt: RawBuilder<unknown>, at: RawBuilder<number>) =>
    sql<boolean>`(${startedAt} > ${at} - ${sql.lit(windowMs)} and ${startedAt} < ${at} + ${sql.lit(windowMs)})`

  return {
    async of(organization) {
      const atOnce = callsAtOnce === undefined ? {} : { callsAtOnce }
      const state = { ...atOnce, limits, windowMs }
      if (wanted.length === 0) return { ...state, taken: nothing, resetMs: windowMs }
      const rows = await store.db
        .selectFrom('call_windows')
        .select(['level', 'taken', sql<number>`started_at + ${sql.lit(windowMs)} - ${now()}`.as('left')])
        .where('level', 'in', wanted)
        .where('id', '=', organization)
        .where(runs(sql`started_at`, now()))
        .execute()
      const taken = Object.fromEntries(rows.map(({ level, taken }) => [level, Number(taken)]))
      const ends = rows.map(({ left }) => Math.min(windowMs, Number(left)))
      return { ...state, taken: { ...nothing, ...taken }, resetMs: Math.max(0, ...ends) || windowMs }
    },
    async spend(organization, taken) {
      // All three, so that their windows begin and end together.
      const rows = wanted.map(
        level =>
          sql`(${level}, cast(${organization} as text), ${now()}, ${sql.lit(Math.round(taken[level]))})`,
      )
      if (rows.length === 0) return
      const isRunning = runs(sql`call_windows.started_at`, sql`excluded.started_at`)
      await sql`
        insert into call_windows (level, id, started_at, taken) values ${sql.join(rows)}
        on conflict (level, id) do update set
          taken = case when ${isRunning} then call_windows.taken + excluded.taken else excluded.taken end,
          started_at = case when ${isRunning} then call_windows.started_at else excluded.started_at end
      `.execute(store.db)
    },
  }
}
