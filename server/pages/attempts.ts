import type { Clock } from 'foldgate'
import { digestOf } from '../store/digest.js'

const WINDOW_MS = 15 * 60_000
const MOST_FOR_NAME = 10
/** People of one office share an address. */
const MOST_FROM_ADDRESS = 50
/** Names and addresses that are remembered: a few MiB. Past it those that were tried least recently are forgotten. */
const MOST_REMEMBERED = 20_000

/** Bounds the guessing of passwords; kept in memory. */
export interface Attempts {
  /** Takes one attempt. Gives 0, or how long until there is one again, in milliseconds. */
  take(email: string, address: string): number
  /** The attempt taken last was right: it does not count, and the name starts anew. */
  succeed(email: string, address: string): void
}

interface Window {
  startedAt: number
  taken: number
}

/** In fifteen minutes ten attempts for each name, known or not, and fifty from each address. */
export function loginAttempts(clock: Clock): Attempts {
  const windows = new Map<string, Window>()
  // A digest, for what is typed may be long.
  const nameOf = (email: string) => digestOf(email.trim().toLowerCase())

  /** The window that something is in now, as the one tried last. */
  function windowOf(key: string): Window {
    const now = clock.now()
    const known = windows.get(key)
    const window = known && now - known.startedAt < WINDOW_MS ? known : { startedAt: now, taken: 0 }
    windows.delete(key)
    windows.set(key, window)
    return window
  }
  const waitOf = ({ startedAt, taken }: Window, most: number) =>
    taken < most ? 0 : startedAt + WINDOW_MS - clock.now()

  return {
    take(email, address) {
      const from = windowOf(digestOf(address))
      const refusedMs = waitOf(from, MOST_FROM_ADDRESS)
      // Before the name is remembered: one address that goes on makes nothing of others forgotten.
      if (refusedMs > 0) return refusedMs
      const name = windowOf(nameOf(email))
      for (const [oldest] of windows) {
        if (windows.size <= MOST_REMEMBERED) break
        windows.delete(oldest)
      }
      const waitMs = waitOf(name, MOST_FOR_NAME)
      if (waitMs > 0) return waitMs
      name.taken++
      from.taken++
      return 0
    },
    succeed(email, address) {
      windows.delete(nameOf(email))
      const from = windows.get(digestOf(address))
      if (from) from.taken = Math.max(0, from.taken - 1)
    },
  }
}
