import { setTimeout as delayed } from 'node:timers/promises'
import type { Context } from 'koa'
import { ifRefused } from '../input/refusal.js'
import type { FailedLogin } from '../store/failed-logins.js'
import { networkOf } from './address.js'
import type { Attempts, FailedAttempts } from './attempts.js'
import { counted } from './dates.js'

const MINUTE_MS = 60_000
const BUSY_SECONDS = 5
const BUSY = 'Too many passwords are being checked right now: try again in a moment.'

/** Outcome of a limited check: the token of a new session and earlier failures, or why there is none. */
export type LoginOutcome =
  | { token: string; failed: FailedAttempts | null }
  | { status: number; words: string }

/**
 * Checks the password of a user unless there have been too many attempts, some of them after a
 * delay, and counts this one. `check` returns the token of a new session, or null when the
 * password is wrong, which `wrong` says. `onFailed` is called when it is, and when there were too many attempts.
 */
export async function checkLimited(
  context: Context,
  {
    attempts,
    proxies,
    email,
    wrong,
    onFailed = () => {},
  }: {
    attempts: Attempts
    proxies: number
    email: string
    wrong: string
    onFailed?: ((failed: FailedLogin) => void) | undefined
  },
  check: () => Promise<string | null>,
): Promise<LoginOutcome> {
  const network = networkOf(context, proxies)
  const { refusedMs, delayMs } = attempts.take(email, network)
  if (refusedMs > 0) {
    onFailed({ email, network, isRefused: true })
    context.set('Retry-After', String(Math.ceil(refusedMs / 1000)))
    const minutes = counted(Math.ceil(refusedMs / MINUTE_MS), 'minute')
    return { status: 429, words: `Too many attempts: try again in ${minutes}.` }
  }
  if (delayMs > 0) await delayed(delayMs)
  const token = await check().catch(ifRefused(undefined))
  if (token === undefined) {
    context.set('Retry-After', String(BUSY_SECONDS))
    return { status: 503, words: BUSY }
  }
  if (token !== null) return { token, failed: attempts.succeed(email, network) }
  attempts.fail(email)
  onFailed({ email, network, isRefused: false })
  return { status: 403, words: wrong }
}
