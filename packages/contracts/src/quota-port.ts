import type { Caller, QuotaPort, QuotaState } from 'foldgate'
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

/** The quota of a key that the port must apply during a check. */
export interface Quota {
  /** Calls per window. */
  calls: number
  /** Length of a window, in milliseconds. */
  windowMs: number
}

/** A quota port to check, of which no units were taken. */
export interface QuotaSubject extends Subject<QuotaPort> {
  /**
   * Two callers with neither key, owner nor organization in common. If the port limits owners or
   * organizations, it must allow them at least as many calls as a key.
   */
  callers: readonly [Caller, Caller]
  /** Lets `ms` milliseconds pass, by advancing the clock of the port or by waiting. */
  pass(ms: number): Promise<void> | void
}

const QUOTA: Quota = { calls: 5, windowMs: 2_000 }

/**
 * Returns the checks that a `QuotaPort` must pass. Each check makes its own subject with `makeSubject` when it runs;
 * `makeSubject` receives the quota to apply.
 *
 * @param makeSubject - Makes a port that applies the quota which it is given, two `callers` with neither key, owner nor
 * organization in common, and `pass(ms)`, which lets time pass. It may have `close()`, which the check calls at its
 * end.
 * @param options - How long a call may take before it counts as hanging: `patienceMs`, default 10,000 ms.
 * @returns The checks, to be registered with a test runner. `run` rejects with an error that says what the subject did
 * and what it should do.
 *
 * @example
 * ```ts
 * const checks = quotaPortContract(({ calls, windowMs }) => {
 *   let at = 0
 *   const port = memoryQuota({ calls, windowMs, clock: { now: () => at } })
 *   const caller = (keyId: string) => ({ keyId, ownerId: `owner of ${keyId}`, organizations: [] })
 *   return { port, callers: [caller('one'), caller('another')], pass: ms => void (at += ms) }
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

async function take(port: QuotaPort, caller: Caller): Promise<QuotaState> {
  const state = await port.take(caller, wanted())
  const { limit, windowMs, resetMs } = state
  must(
    limit === QUOTA.calls && windowMs === QUOTA.windowMs,
    `take() reported a quota of ${limit} calls in ${windowMs} ms`,
    `report the quota, which is ${QUOTA.calls} calls in ${QUOTA.windowMs} ms`,
  )
  must(
    resetMs >= 0 && resetMs <= windowMs,
    `take() reported ${resetMs} ms until the window ends`,
    'report 0 to windowMs',
  )
  return state
}

async function mustLeave(
  port: QuotaPort,
  caller: Caller,
  allowed: boolean,
  remaining: number,
): Promise<QuotaState> {
  const state = await take(port, caller)
  mustBe('take()', { allowed: state.allowed, remaining: state.remaining }, { allowed, remaining })
  return state
}

async function spend(port: QuotaPort, caller: Caller): Promise<void> {
  for (let left = QUOTA.calls - 1; left >= 0; left--) await mustLeave(port, caller, true, left)
}

const CHECKS = {
  async 'counts down to nothing and allows no more'({ port, callers: [caller] }: QuotaSubject) {
    await spend(port, caller)
    for (let time = 0; time < 3; time++) await mustLeave(port, caller, false, 0)
  },

  async 'counts each key for itself'({ port, callers: [first, second] }: QuotaSubject) {
    await spend(port, first)
    await mustLeave(port, second, true, QUOTA.calls - 1)
    await mustLeave(port, first, false, 0)
  },

  async 'allows as many of the calls at once as there are left'({ port, callers: [caller] }: QuotaSubject) {
    const states = await together(Array.from({ length: 20 }, () => take(port, caller)))
    const allowed = states.filter(state => state.allowed).length
    must(allowed === QUOTA.calls, `20 calls of take() at once allowed ${allowed}`, `allow ${QUOTA.calls}`)
  },

  async 'begins anew when the window is over, and not before'({
    port,
    callers: [caller],
    pass,
  }: QuotaSubject) {
    await spend(port, caller)
    await pass(QUOTA.windowMs / 4)
    const { resetMs } = await mustLeave(port, caller, false, 0)
    const most = QUOTA.windowMs * 0.75 + 1
    must(
      resetMs > 0 && resetMs <= most,
      `take() reported ${resetMs} ms until the window ends`,
      `report at most ${most}`,
    )
    await pass(resetMs + 1)
    await mustLeave(port, caller, true, QUOTA.calls - 1)
  },

  async 'lets no call hang when its answer is no longer wanted'({
    port,
    callers: [first, second],
  }: QuotaSubject) {
    await mustEndWhenAborted(signal => port.take(first, signal))
    await mustLeave(port, second, true, QUOTA.calls - 1)
  },
}
