import type { Clock, QuotaPort } from './ports.js'

/** Keys that are remembered; the window of the one seen least recently is forgotten first. */
const MAX_KEYS = 100_000

/** The window that a key is in. */
export interface QuotaWindow {
  /** Epoch milliseconds. */
  startedAt: number
  /** Units taken in it. */
  taken: number
}

/**
 * A window of fixed length a key, counted in this process. A host whose windows are to outlive the process keeps what
 * `onTake` tells it and hands it over again as `windows`. Calls or a length that is no whole number above 0 throws a
 * TypeError.
 *
 * @example
 * ```ts
 * const quota = memoryQuota({ calls: 100, windowMs: 10_000 })
 * ```
 */
export function memoryQuota(options: {
  /** Calls that a window holds. */
  calls: number
  /** Length of a window, milliseconds. */
  windowMs: number
  /** Default: the system's clock. */
  clock?: Clock
  /** Windows to go on with, by key. Default: none. */
  windows?: Iterable<readonly [keyId: string, window: QuotaWindow]>
  /** Called with the window of a key whenever a unit was taken. */
  onTake?: (keyId: string, window: Readonly<QuotaWindow>) => void
}): QuotaPort {
  const { calls, windowMs, clock = Date, onTake = () => {} } = options
  if (!(Number.isSafeInteger(calls) && calls > 0)) throw new TypeError('quota: calls must be a whole number above 0')
  if (!(Number.isSafeInteger(windowMs) && windowMs > 0))
    throw new TypeError('quota: windowMs must be a whole number above 0')
  const windows = new Map<string, QuotaWindow>()
  for (const [keyId, window] of options.windows ?? []) windows.set(keyId, { ...window })
  return {
    async take(keyId) {
      const now = clock.now()
      const known = windows.get(keyId)
      // A clock that steps back starts a new window rather than one that lasts until it has caught up.
      const running = known && now >= known.startedAt && now < known.startedAt + windowMs
      const window = running ? known : { startedAt: now, taken: 0 }
      const allowed = window.taken < calls
      if (allowed) window.taken += 1
      windows.delete(keyId)
      windows.set(keyId, window)
      if (windows.size > MAX_KEYS) windows.delete(windows.keys().next().value as string)
      if (allowed) onTake(keyId, window)
      const resetMs = window.startedAt + windowMs - now
      // A window from before may have had more calls.
      const remaining = Math.max(0, calls - window.taken)
      return { allowed, limit: calls, remaining, windowMs, resetMs }
    },
  }
}
