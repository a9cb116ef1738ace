import { RecentMap } from '../flow/recent.js'
import type { Clock, QuotaLevel, QuotaPort } from '../ports.js'
import { checkOptions } from '../values/known-options.js'
import {
  leftOf,
  limitedHolders,
  payingHolders,
  type QuotaHolder,
  type QuotaLimits,
  tightestState,
} from './quota-levels.js'

/** Maximum number of windows per level; beyond it, the least recently used one is dropped. */
const MAX_WINDOWS = 100_000

const OPTIONS = {
  calls: true,
  callsPerOwner: true,
  callsPerOrganization: true,
  windowMs: true,
  clock: true,
  windows: true,
  onTake: true,
}

/** The current window of a key, an owner or an organization. */
export interface QuotaWindow {
  /** Start of the window, in epoch milliseconds. */
  startedAt: number
  /** Units taken in the window. */
  taken: number
}

/**
 * Creates a quota with fixed windows, counted in the memory of this process: one window per key and, with
 * `callsPerOwner` and `callsPerOrganization`, one per owner and organization. A call takes one unit from its key, from
 * its owner, and from the one of its organizations that has the most left, or none at all. To keep the windows across
 * restarts, store what `onTake` receives and pass it as `windows`.
 *
 * @param options - Calls per window at each level, and the length of a window in milliseconds.
 * @returns The port. Its `take` rejects only with what `onTake` throws.
 * @throws TypeError when an option does not exist, and when a number of calls or `windowMs` is not a whole number above 0.
 *
 * @example
 * ```ts
 * const quota = memoryQuota({ calls: 100, callsPerOwner: 1_000, windowMs: 10_000 })
 * ```
 *
 * @example
 * Windows are kept elsewhere, so that they can be resumed.
 * ```ts
 * const kept = new Map()
 * const quota = memoryQuota({
 *   calls: 100,
 *   windowMs: 10_000,
 *   windows: kept.values(),
 *   onTake: (holder, window) => void kept.set(`${holder.level} ${holder.id}`, [holder, { ...window }]),
 * })
 * ```
 */
export function memoryQuota(
  options: QuotaLimits & {
    /** Source of the current time. Default: the system clock. */
    clock?: Clock
    /** Windows to resume, each with what it belongs to. Default: none. */
    windows?: Iterable<readonly [holder: QuotaHolder, window: QuotaWindow]>
    /** Called with each window that a unit was taken from, and with what it belongs to. */
    onTake?: (holder: QuotaHolder, window: Readonly<QuotaWindow>) => void
  },
): QuotaPort {
  checkOptions('memoryQuota', options, OPTIONS)
  const { clock = Date, onTake = () => {}, windowMs } = options
  for (const name of ['calls', 'callsPerOwner', 'callsPerOrganization', 'windowMs'] as const) {
    const value = options[name]
    if (value === undefined && name.startsWith('callsPer')) continue
    if (!(Number.isSafeInteger(value) && Number(value) > 0))
      throw new TypeError(`quota: ${name} must be a whole number above 0`)
  }
  const windows: Record<QuotaLevel, RecentMap<string, QuotaWindow>> = {
    key: new RecentMap(MAX_WINDOWS),
    owner: new RecentMap(MAX_WINDOWS),
    organization: new RecentMap(MAX_WINDOWS),
  }
  for (const [{ level, id }, window] of options.windows ?? []) windows[level].set(id, { ...window })
  return {
    async take(caller) {
      const now = clock.now()
      const counted = limitedHolders(caller, options).map(holder => {
        const known = windows[holder.level].get(holder.id)
        // When the clock steps back, start a new window: the old one would last until the clock has caught
        // up.
        const isRunning = known && now >= known.startedAt && now < known.startedAt + windowMs
        const { startedAt, taken } = isRunning ? known : { startedAt: now, taken: 0 }
        return { ...holder, startedAt, taken, resetMs: startedAt + windowMs - now }
      })
      const paying = payingHolders(counted)
      const allowed = paying.every(holder => leftOf(holder) > 0)
      for (const holder of allowed ? paying : []) {
        holder.taken += 1
        const { level, id, startedAt, taken } = holder
        const window = { startedAt, taken }
        windows[level].set(id, window)
        onTake({ level, id }, window)
      }
      return tightestState(paying, { allowed, windowMs })
    },
  }
}
