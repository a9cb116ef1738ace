import { AnalyticsError } from '../errors.js'
import { RecentMap } from '../flow/recent.js'
import type { BudgetPort, BudgetState, Clock, TakenBudget } from '../ports.js'
import { checkOptions } from '../values/known-options.js'

/** What an organization may take beside its calls. */
export interface BudgetLimits extends Partial<TakenBudget> {
  /** Statements that run or wait at once, in each process. Default: no limit. */
  callsAtOnce?: number
  /** Length of a window, in milliseconds. */
  windowMs: number
}

const NOTHING: TakenBudget = { engineMs: 0, exportRows: 0, exportBytes: 0 }
/** Organizations whose windows are kept; beyond it, the least recently used one is dropped. */
const MAX_WINDOWS = 100_000
const OPTIONS = {
  callsAtOnce: true,
  engineMs: true,
  exportRows: true,
  exportBytes: true,
  windowMs: true,
  clock: true,
}

/**
 * Creates a budget that is the same for each organization, with fixed windows that are counted in the memory of this
 * process. Statements that run are not ended when the budget is used up; the next one is refused.
 *
 * @param options - What an organization may take in a window: `engineMs` of processor time, `exportRows` and
 * `exportBytes` in files. `callsAtOnce` has no window.
 * @returns The port. It does not reject.
 * @throws TypeError when an option does not exist or is not a whole number above 0.
 *
 * @example
 * ```ts
 * const budget = memoryBudget({ callsAtOnce: 8, engineMs: 600_000, windowMs: 3_600_000 })
 * ```
 */
export function memoryBudget(
  options: BudgetLimits & {
    /** Source of the current time. Default: the system clock. */
    clock?: Clock
  },
): BudgetPort {
  checkOptions('memoryBudget', options, OPTIONS)
  const { clock = Date, callsAtOnce, windowMs, ...limits } = options
  for (const [name, value] of Object.entries({ callsAtOnce, windowMs, ...limits }))
    if ((value !== undefined || name === 'windowMs') && !(Number.isSafeInteger(value) && Number(value) > 0))
      throw new TypeError(`budget: ${name} must be a whole number above 0`)
  const windows = new RecentMap<string, { startedAt: number; taken: TakenBudget }>(MAX_WINDOWS)
  const windowOf = (organization: string) => {
    const now = clock.now()
    const known = windows.get(organization)
    // When the clock steps back, a new window starts: the old one would last until the clock has caught up.
    const isRunning = known && now >= known.startedAt && now < known.startedAt + windowMs
    return isRunning ? known : { startedAt: now, taken: NOTHING }
  }
  return {
    async of(organization) {
      const { startedAt, taken } = windowOf(organization)
      const resetMs = startedAt + windowMs - clock.now()
      return { ...(callsAtOnce === undefined ? {} : { callsAtOnce }), limits, taken, windowMs, resetMs }
    },
    spend(organization, more) {
      const { startedAt, taken } = windowOf(organization)
      const sum = {
        engineMs: taken.engineMs + more.engineMs,
        exportRows: taken.exportRows + more.exportRows,
        exportBytes: taken.exportBytes + more.exportBytes,
      }
      windows.set(organization, { startedAt, taken: sum })
    },
  }
}

const WHAT: Readonly<Record<keyof TakenBudget, (limit: number) => string>> = {
  engineMs: limit => `${limit / 1000} seconds of the engine's time`,
  exportRows: limit => `${limit} exported rows`,
  exportBytes: limit => `${limit} exported bytes`,
}

/** Throws when an organization may not run a statement now: `atOnce` run already. */
export function checkBudget(
  { callsAtOnce, limits, taken, windowMs, resetMs }: BudgetState,
  { atOnce, isExport }: { atOnce: number; isExport: boolean },
): void {
  for (const name of ['engineMs', 'exportRows', 'exportBytes'] as const) {
    const limit = limits[name]
    if (limit === undefined || taken[name] < limit || (name !== 'engineMs' && !isExport)) continue
    const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1000))
    throw new AnalyticsError(
      'RATE_LIMITED',
      `The calls over the projects of this organization have together used their ${WHAT[name](limit)} in ` +
        `${windowMs / 1000} seconds. Retry in ${retryAfterSeconds} s.`,
      { data: { retryAfterSeconds } },
    )
  }
  if (callsAtOnce !== undefined && atOnce >= callsAtOnce)
    throw new AnalyticsError(
      'UNAVAILABLE',
      `${callsAtOnce} statements over the projects of this organization run already. Wait for one to end.`,
      { data: { retryAfterSeconds: 1 } },
    )
}
