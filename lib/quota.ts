import type { Clock, QuotaPort } from './ports.js'

/** Keys that are remembered; the window of the one seen least recently is forgotten first. */
const MAX_KEYS = 100_000

/** A window of fixed length a key, counted in this process. */
export function memoryQuota(options: { calls: number; windowMs: number; clock?: Clock }): QuotaPort {
  const { calls, windowMs, clock = Date } = options
  if (!(Number.isSafeInteger(calls) && calls > 0)) throw new TypeError('quota: calls must be a whole number above 0')
  if (!(Number.isSafeInteger(windowMs) && windowMs > 0))
    throw new TypeError('quota: windowMs must be a whole number above 0')
  const windows = new Map<string, { startedAt: number; taken: number }>()
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
      const resetMs = window.startedAt + windowMs - now
      return { allowed, limit: calls, remaining: calls - window.taken, windowMs, resetMs }
    },
  }
}
