import type { Clock } from 'foldgate'
import { digestOf } from '../store/digest.js'

const WINDOW_MS = 15 * 60_000
const MOST_FOR_NAME = 10
/** People of one office share a network. */
const MOST_FROM_NETWORK = 50
/** Beyond the attempts for a name, from anywhere, each takes this long, and twice as long as the one before. */
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 8_000
/** Windows that are remembered: a few MiB. Past it those that were tried least recently are forgotten. */
const MOST_REMEMBERED = 20_000

/** What an attempt is told: to come back later, or to wait first. */
export interface Turn {
  /** 0, or how long until there is an attempt again, milliseconds. */
  refusedMs: number
  /** How long to wait before the password is looked at, milliseconds. */
  delayMs: number
}

/** Attempts with a wrong password since the last right one. */
export interface FailedAttempts {
  count: number
  /** Epoch milliseconds. */
  lastAt: number
}

/** Bounds the guessing of passwords; kept in memory. */
export interface Attempts {
  /** Takes one attempt. */
  take(email: string, network: string): Turn
  /** The attempt taken last was wrong. */
  fail(email: string): void
  /** The attempt taken last was right: it does not count, the name starts anew, and its owner is told of the others. */
  succeed(email: string, network: string): FailedAttempts | null
}

interface Window {
  startedAt: number
  taken: number
}

/**
 * In fifteen minutes ten attempts for each name, known or not, from each network, and fifty from each network. Guesses
 * from many networks slow the attempts for their name down, and lock nobody out who has the right password.
 */
export function loginAttempts(clock: Clock): Attempts {
  const windows = new Map<string, Window>()
  const failed = new Map<string, FailedAttempts>()
  // A digest, for what is typed may be long.
  const nameOf = (email: string) => digestOf(email.trim().toLowerCase())
  const pairOf = (email: string, network: string) => `${nameOf(email)} ${digestOf(network)}`

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
  const refused = (refusedMs: number) => ({ refusedMs, delayMs: 0 })

  return {
    take(email, network) {
      const from = windowOf(digestOf(network))
      const ofNetworkMs = waitOf(from, MOST_FROM_NETWORK)
      // Before the name is remembered: one network that goes on makes nothing of others forgotten.
      if (ofNetworkMs > 0) return refused(ofNetworkMs)
      const pair = windowOf(pairOf(email, network))
      const name = windowOf(nameOf(email))
      forget(windows)
      const ofPairMs = waitOf(pair, MOST_FOR_NAME)
      if (ofPairMs > 0) return refused(ofPairMs)
      const over = name.taken - MOST_FOR_NAME
      for (const window of [pair, name, from]) window.taken++
      return { refusedMs: 0, delayMs: over < 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** over) }
    },
    fail(email) {
      const { count } = failed.get(nameOf(email)) ?? { count: 0 }
      failed.delete(nameOf(email))
      failed.set(nameOf(email), { count: count + 1, lastAt: clock.now() })
      forget(failed)
    },
    succeed(email, network) {
      windows.delete(nameOf(email))
      windows.delete(pairOf(email, network))
      const from = windows.get(digestOf(network))
      if (from) from.taken = Math.max(0, from.taken - 1)
      const others = failed.get(nameOf(email)) ?? null
      failed.delete(nameOf(email))
      return others
    },
  }
}

function forget(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    if (map.size <= MOST_REMEMBERED) return
    map.delete(oldest)
  }
}
