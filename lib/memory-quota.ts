import type { Clock, QuotaPort } from './ports.js'
import { RecentMap } from './recent.js'

/** Maximum number of keys with a window; beyond it, the least recently used key is dropped. */
const MAX_KEYS = 100_000

/** The current window of a key. */
export interface QuotaWindow {
  /** Start of the window, in epoch milliseconds. */
  startedAt: number
  /** Units taken in the window. */
  taken: number
}

/**
 * Creates a quota with one fixed window per key, counted in the memory of this process. To keep the windows across
 * restarts, store what `onTake` receives and pass it as `windows`. Throws a TypeError when `calls` or `windowMs` is not
 * a whole number above 0.
 *
 * @example
 * ```ts
 * const quota = memoryQuota({ calls: 100, windowMs: 10_000 })
 * ```
 */
export function memoryQuota(options: {
  /** Calls per window. */
  calls: number
  /** Length of a window, in milliseconds. */
  windowMs: number
  /** Source of the current time. Default: the system clock. */
  clock?: Clock
  /** Windows to resume, by the id of their key. Default: none. */
  windows?: Iterable<readonly [keyId: string, window: QuotaWindow]>
  /** Called with the window of a key after a unit was taken. */
  onTake?: (keyId: string, window: Readonly<QuotaWindow>) => void
}): QuotaPort {
  const { calls, windowMs, clock = Date, onTake = () => {} } = options
  if (!(Number.isSafeInteger(calls) && calls > 0)) throw new TypeError('quota: calls must be a whole number above 0')
  if (!(Number.isSafeInteger(windowMs) && windowMs > 0))
    throw new TypeError('quota: windowMs must be a whole number above 0')
  const windows = new RecentMap<string, QuotaWindow>(MAX_KEYS)
  for (const [keyId, window] of options.windows ?? []) windows.set(keyId, { ...window })
  return {
    async take(keyId) {
      const now = clock.now()
      const known = windows.get(keyId)
      // When the clock steps back, start a new window: the old one would last until the clock has caught up.
      const running = known && now >= known.startedAt && now < known.startedAt + windowMs
      const window = running ? known : { startedAt: now, taken: 0 }
      const allowed = window.taken < calls
      if (allowed) window.taken += 1
      windows.set(keyId, window)
      if (allowed) onTake(keyId, window)
      const resetMs = window.startedAt + windowMs - now
      // A resumed window may have more units taken than `calls` allows.
      const remaining = Math.max(0, calls - window.taken)
      return { allowed, limit: calls, remaining, windowMs, resetMs }
    },
  }
}
