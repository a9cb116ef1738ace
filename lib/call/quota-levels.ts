import { AnalyticsError } from '../errors.js'
import type { Caller, QuotaLevel, QuotaState } from '../ports.js'

/** What a quota allows per window. */
export interface QuotaLimits {
  /** Calls per key. */
  calls: number
  /** Calls of all keys of an owner together. Default: no limit. */
  callsPerOwner?: number
  /** Calls of all keys that read an organization together. Default: no limit. */
  callsPerOrganization?: number
  /** Length of a window, in milliseconds. */
  windowMs: number
}

/** What units are counted for: a key, an owner or an organization. */
export interface QuotaHolder {
  /** What it is. */
  level: QuotaLevel
  /** Id of the key or of the owner, or key of the organization. */
  id: string
}

/** A holder and the calls that it has per window. */
export interface LimitedHolder extends QuotaHolder {
  /** Calls per window. */
  limit: number
}

/** A holder and its window at this moment. */
export interface CountedHolder extends LimitedHolder {
  /** Units taken in the window. */
  taken: number
  /** Time until the window ends, in milliseconds. */
  resetMs: number
}

/**
 * Lists the holders of a caller that have a limit, those of a narrow level first. The quota of the caller lowers the
 * limit of its key.
 *
 * @example
 * ```ts
 * import { limitedHolders } from 'foldgate/internal'
 *
 * const caller = { keyId: 'one', ownerId: 'ada', organizations: ['north'] }
 * const holders = limitedHolders(caller, { calls: 600, callsPerOwner: 6_000, windowMs: 60_000 })
 * ```
 */
export function limitedHolders(caller: Caller, limits: QuotaLimits): LimitedHolder[] {
  const { calls, callsPerOwner, callsPerOrganization } = limits
  const { keyId, quota = calls } = caller
  const holders: LimitedHolder[] = [{ level: 'key', id: keyId, limit: Math.min(calls, quota) }]
  if (callsPerOwner !== undefined) holders.push({ level: 'owner', id: caller.ownerId, limit: callsPerOwner })
  if (callsPerOrganization !== undefined)
    for (const id of new Set(caller.organizations))
      holders.push({ level: 'organization', id, limit: callsPerOrganization })
  return holders
}

/**
 * Picks the holders that a call takes a unit from: the key, its owner, and the organization that has the most
 * units left; among several, the one whose window ends first, then the first one.
 *
 * @example
 * ```ts
 * import { leftOf, payingHolders } from 'foldgate/internal'
 *
 * const holder = { level: 'key', id: 'one', limit: 5, taken: 2, resetMs: 100 } as const
 * const allowed = payingHolders([holder]).every(each => leftOf(each) > 0)
 * ```
 */
export function payingHolders<Holder extends CountedHolder>(holders: readonly Holder[]): Holder[] {
  const organizations = holders.filter(({ level }) => level === 'organization')
  const [richest] = organizations.sort(
    (one, other) => leftOf(other) - leftOf(one) || one.resetMs - other.resetMs,
  )
  const others = holders.filter(({ level }) => level !== 'organization')
  return richest ? [...others, richest] : others
}

/**
 * The state to tell a caller: that of the holder with the fewest units left, of the narrowest level among
 * several.
 *
 * @example
 * ```ts
 * import { tightestState } from 'foldgate/internal'
 *
 * const holder = { level: 'key', id: 'one', limit: 5, taken: 2, resetMs: 100 } as const
 * const state = tightestState([holder], { allowed: true, windowMs: 60_000 })
 * ```
 */
export function tightestState(
  holders: readonly CountedHolder[],
  { allowed, windowMs }: { allowed: boolean; windowMs: number },
): QuotaState {
  const tightest = holders.reduce((one, other) => (leftOf(other) < leftOf(one) ? other : one))
  const { level, limit, resetMs } = tightest
  return { allowed, level, limit, remaining: leftOf(tightest), windowMs, resetMs }
}

/**
 * The units that a holder has left. A window that was resumed may have more units taken than the limit
 * allows.
 *
 * @example
 * ```ts
 * import { leftOf } from 'foldgate/internal'
 *
 * const holder = { level: 'key', id: 'one', limit: 5, taken: 2, resetMs: 100 } as const
 * const isSpent = leftOf(holder) === 0
 * ```
 */
export function leftOf({ limit, taken }: CountedHolder): number {
  return Math.max(0, limit - taken)
}

const SPENT: Readonly<Record<QuotaLevel, string>> = {
  key: 'The key has used its',
  owner: 'The keys of this owner have together used their',
  organization: 'The keys of every organization that this key reads have together used their',
}

/** The failure of a call for which a limit has no unit left. */
export function rateLimited({ level = 'key', limit, windowMs, resetMs }: QuotaState): AnalyticsError {
  const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1000))
  const message = `${SPENT[level]} ${limit} calls in ${windowMs / 1000} seconds. Retry in ${retryAfterSeconds} s.`
  return new AnalyticsError('RATE_LIMITED', message, { data: { retryAfterSeconds } })
}
