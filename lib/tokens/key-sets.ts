import { createRemoteJWKSet } from 'jose'
import { SingleFlight } from '../flow/single-flight.js'
import type { Clock } from '../ports.js'
import { type Jwk, readPublicKey, type TokenKey } from './jwk.js'

/** The public keys that verify tokens. */
export interface KeySet {
  /** The key with this `kid`, or null. Rejects when that cannot be told now. */
  find(kid: string, signal: AbortSignal): Promise<TokenKey | null>
}

/** Keys are fetched again after this time, so that a key which its issuer withdraws ends by then. */
const MAX_AGE_MS = 600_000
/** An unknown key id makes the set be fetched once in this time, whatever callers send. */
const COOLDOWN_MS = 30_000
/** A set that could not be fetched is tried again after this time. */
const RETRY_MS = 1_000
const TIMEOUT_MS = 5_000

/** A set of keys that the host has. Throws a TypeError when one of them cannot verify tokens. */
export function givenKeys(keys: readonly Jwk[]): KeySet {
  if (!Array.isArray(keys) || keys.length === 0)
    throw new TypeError('tokenKeys: keys must be a list of public keys, as JSON Web Keys')
  const known = new Map<string, TokenKey>()
  for (const [at, jwk] of keys.entries()) {
    const key = readPublicKey(`tokenKeys: keys[${at}]`, jwk)
    if (known.has(key.kid)) throw new TypeError(`tokenKeys: keys[${at}] has the kid of a key before it`)
    known.set(key.kid, key)
  }
  return { find: async kid => known.get(kid) ?? null }
}

/** A set of keys that its issuer publishes. Throws a TypeError when its URL is not safe. */
export function fetchedKeys(url: string, clock: Clock): KeySet {
  const checked = checkedUrl(url)
  const remote = createRemoteJWKSet(checked, { timeoutDuration: TIMEOUT_MS })
  const flight = new SingleFlight<void>()
  let known = new Map<string, TokenKey>()
  let fetchedAt = Number.NEGATIVE_INFINITY
  let failed: { at: number; cause: Error } | null = null
  // When the clock steps back, nothing is recent: it would stay so until the clock has caught up.
  const isWithin = (at: number, ms: number) => at <= clock.now() && clock.now() < at + ms

  async function fetchKeys(): Promise<void> {
    try {
      await remote.reload()
      known = usableKeys(remote.jwks()?.keys ?? [], known)
      fetchedAt = clock.now()
      failed = null
    } catch (cause) {
      const place = checked.origin + checked.pathname // a query may hold a secret
      const error = new Error(`the key set at ${place} cannot be fetched`, { cause })
      failed = { at: clock.now(), cause: error }
      throw error
    }
  }

  return {
    async find(kid, signal) {
      const isFresh = isWithin(fetchedAt, MAX_AGE_MS)
      const key = known.get(kid)
      if (isFresh && key) return key
      if (failed && isWithin(failed.at, RETRY_MS)) throw failed.cause
      if (!isWithin(fetchedAt, COOLDOWN_MS)) await flight.join('', { signal }, fetchKeys)
      return known.get(kid) ?? null
    },
  }
}

/**
 * The keys of a published set that can verify tokens; others are for something else. A key that is as before stays the
 * same object.
 */
function usableKeys(published: readonly Jwk[], before: ReadonlyMap<string, TokenKey>): Map<string, TokenKey> {
  const usable = new Map<string, TokenKey>()
  for (const jwk of published) {
    let read: TokenKey
    try {
      read = readPublicKey('a published key', jwk)
    } catch {
      continue
    }
    const { kid, algorithm, key } = read
    const same = before.get(kid)
    const isSame = same?.algorithm === algorithm && same.key.equals(key)
    if (!usable.has(kid)) usable.set(kid, isSame ? same : read)
  }
  return usable
}

function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.username || url?.password)
    throw new TypeError('tokenKeys: jwks must have no user or password in it')
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback))
    throw new TypeError(
      'tokenKeys: jwks must be the https URL of a set of keys; http is for this machine alone',
    )
  return url
}
