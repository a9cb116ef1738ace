import type { QuotaPort, QuotaState } from '../ports.js'
import {
  type Check,
  type ContractOptions,
  contract,
  must,
  mustBe,
  mustEndWhenAborted,
  type Subject,
  together,
  wanted,
} from './contract.js'

/** The quota that the port must apply during a check. */
export interface Quota {
  /** Calls per window. */
  calls: number
  /** Length of a window, in milliseconds. */
  windowMs: number
}

/** A quota port to check, of which no units were taken. */
export interface QuotaSubject extends Subject<QuotaPort> {
  /** Ids of two keys. */
  keyIds: readonly [string, string]
  /** Lets `ms` milliseconds pass, by advancing the clock of the port or by waiting. */
  pass(ms: number): Promise<void> | void
}

const QUOTA: Quota = { calls: 5, windowMs: 2_000 }

/**
 * Returns the checks that a `QuotaPort` must pass. Each check makes its own subject with `makeSubject` when it runs;
 * `makeSubject` receives the quota to apply.
 *
 * @example
 * ```ts
 * const checks = quotaPortContract(({ calls, windowMs }) => {
 *   let at = 0
 *   const port = memoryQuota({ calls, windowMs, clock: { now: () => at } })
 *   return { port, keyIds: ['one', 'another'], pass: ms => void (at += ms) }
 * })
 * for (const { name, run } of checks) it(name, run)
 * ```
 */
export function quotaPortContract(
  makeSubject: (quota: Quota) => QuotaSubject | Promise<QuotaSubject>,
  options: ContractOptions = {},
): Check[] {
  return contract(() => makeSubject(QUOTA), CHECKS, options)
}

async function take(port: QuotaPort, keyId: string): Promise<QuotaState> {
  const state = await port.take(keyId, wanted())
  const { limit, windowMs, resetMs } = state
  must(
    limit === QUOTA.calls && windowMs === QUOTA.windowMs,
    `take() told of ${limit} calls in ${windowMs} ms`,
    `tell of the quota, which is ${QUOTA.calls} calls in ${QUOTA.windowMs} ms`,
  )
  must(
    resetMs >= 0 && resetMs <= windowMs,
    `take() told of ${resetMs} ms until the window ends`,
    'tell of 0 to windowMs',
  )
  return state
}

async function mustLeave(port: QuotaPort, keyId: string, allowed: boolean, remaining: number): Promise<QuotaState> {
  const state = await take(port, keyId)
  mustBe('take()', { allowed: state.allowed, remaining: state.remaining }, { allowed, remaining })
  return state
}

async function spend(port: QuotaPort, keyId: string): Promise<void> {
  for (let left = QUOTA.calls - 1; left >= 0; left--) await mustLeave(port, keyId, true, left)
}

const CHECKS = {
  async 'counts down to nothing and allows no more'({ port, keyIds: [keyId] }: QuotaSubject) {
    await spend(port, keyId)
    for (let time = 0; time < 3; time++) await mustLeave(port, keyId, false, 0)
  },

  async 'counts each key for itself'({ port, keyIds: [first, second] }: QuotaSubject) {
    await spend(port, first)
    await mustLeave(port, second, true, QUOTA.calls - 1)
    await mustLeave(port, first, false, 0)
  },

  async 'allows as many of the calls at once as there are left'({ port, keyIds: [keyId] }: QuotaSubject) {
    const states = await together(Array.from({ length: 20 }, () => take(port, keyId)))
    const allowed = states.filter(state => state.allowed).length
    must(allowed === QUOTA.calls, `20 calls of take() at once allowed ${allowed}`, `allow ${QUOTA.calls}`)
  },

  async 'begins anew when the window is over, and not before'({ port, keyIds: [keyId], pass }: QuotaSubject) {
    await spend(port, keyId)
    await pass(QUOTA.windowMs / 4)
    const { resetMs } = await mustLeave(port, keyId, false, 0)
    const most = QUOTA.windowMs * 0.75 + 1
    must(
      resetMs > 0 && resetMs <= most,
      `take() told of ${resetMs} ms until the window ends`,
      `tell of at most ${most}`,
    )
    await pass(resetMs + 1)
    await mustLeave(port, keyId, true, QUOTA.calls - 1)
  },

  async 'lets no call hang whose answer is no longer wanted'({ port, keyIds: [first, second] }: QuotaSubject) {
    await mustEndWhenAborted(signal => port.take(first, signal))
    await mustLeave(port, second, true, QUOTA.calls - 1)
  },
}
