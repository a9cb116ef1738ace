import type { Clock } from 'foldgate'
import { RecentMap } from 'foldgate/internal'
import { digestOf } from '../store/digest.js'

const WINDOW_MS = 15 * 60_000
const MOST_FOR_NAME = 10
/** Higher than per name, since people in one office share a network. */
const MOST_FROM_NETWORK = 50
/**
 * Delay of the first attempt beyond `MOST_FOR_NAME` for a name, from any network; it
 * doubles with each further one.
 */
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 8_000
/**
 * Windows kept in memory, a few MiB in total. Beyond this number, the least recently tried ones are dropped.
 */
const MOST_REMEMBERED = 20_000

/** Whether an attempt is refused, or delayed before its password is checked. */
export interface AttemptTurn {
  /** Milliseconds until the next attempt is allowed; 0 if this one is. */
  refusedMs: number
  /** Milliseconds to wait before checking the password. */
  delayMs: number
}

/** Wrong passwords given for a name since the last right one. */
export interface FailedAttempts {
  count: number
  /** Epoch milliseconds. */
  lastAt: number
}

/** Limits password guessing; its state is in memory only. */
export interface Attempts {
  /** Counts one attempt, unless it is refused. */
  take(email: string, network: string): AttemptTurn
  /** Records that the password was wrong. */
  fail(email: string): void
  /**
   * Records that the password was right: refunds the attempt, resets the name,
   * and returns its earlier failures.
   */
  succeed(email: string, network: string): FailedAttempts | null
}

interface Window {
  startedAt: number
  taken: number
}

/**
 * Per 15 minutes, allows 10 attempts per name (known or not) and network, and 50 per network.
 * Guesses from many networks only delay further attempts for the name, so they cannot lock out a
 * user who has the right password.
 */
export function loginAttempts(clock: Clock): Attempts {
  const windows = new RecentMap<string, Window>(MOST_REMEMBERED)
  const failed = new RecentMap<string, FailedAttempts>(MOST_REMEMBERED)
  // Digests have a fixed length; a typed name may be long.
  const nameOf = (email: string) => digestOf(email.trim().toLowerCase())
  const pairOf = (email: string, network: string) => `${nameOf(email)} ${digestOf(network)}`

  /** The current window of a key, marked as the most recently tried. */
  function windowOf(key: string): Window {
    const now = clock.now()
    const known = windows.get(key)
    const window = known && now - known.startedAt < WINDOW_MS ? known : { startedAt: now, taken: 0 }
    windows.set(key, window)
    return window
  }
  const waitOf = ({ startedAt, taken }: Window, most: number) =>
    taken < most ? 0 : startedAt + WINDOW_MS - clock.now()
  const refused = (refusedMs: number) => ({ refusedMs, delayMs: 0 })

  return {
    take(email, network) {
      const from = windowOf(digestOf(network))
      const ofNetworkMs = waitOf(from, MOST_FROM_NETWORK)
      // Checked before the name is stored, so that a refused network cannot push the windows of others out.
      if (ofNetworkMs > 0) return refused(ofNetworkMs)
      const pair = windowOf(pairOf(email, network))
      const name = windowOf(nameOf(email))
      const ofPairMs = waitOf(pair, MOST_FOR_NAME)
      if (ofPairMs > 0) return refused(ofPairMs)
      const over = name.taken - MOST_FOR_NAME
      for (const window of [pair, name, from]) window.taken++
      return { refusedMs: 0, delayMs: over < 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** over) }
    },
    fail(email) {
      const { count } = failed.get(nameOf(email)) ?? { count: 0 }
      failed.set(nameOf(email), { count: count + 1, lastAt: clock.now() })
    },
    succeed(email, network) {
      windows.delete(nameOf(email))
      windows.delete(pairOf(email, network))
      const from = windows.get(digestOf(network))
      if (from) from.taken = Math.max(0, from.taken - 1)
      return failed.delete(nameOf(email)) ?? null
    },
  }
}
