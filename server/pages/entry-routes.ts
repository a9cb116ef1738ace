import { setTimeout as delayed } from 'node:timers/promises'
import type { Context } from 'koa'
import { ifRefused } from '../store/refusal.js'
import { logIn, logOut } from '../store/sessions.js'
import { networkOf } from './address.js'
import { type FailedAttempts, loginAttempts } from './attempts.js'
import { counted } from './dates.js'
import { type Exchange, type PageOptions, redirect, show } from './exchange.js'
import { loginPage } from './login.js'
import type { Once } from './once.js'
import { isOwnForm, type Visit } from './session.js'

const MINUTE_MS = 60_000
const BUSY_SECONDS = 5
/** The same for an unknown address, a user without a password and a wrong password, so that it reveals no accounts. */
const NO_MATCH = 'The e-mail address or password is wrong.'
const OUT_OF_DATE = 'This form was out of date, or your browser blocks cookies for this site: try again.'
const BUSY = 'Too many people are logging in right now: try again in a moment.'

/** Logging in and out. */
export function entryRoutes(
  { post, postAsUser, visits }: Exchange,
  { store, proxies }: PageOptions,
  notices: Once<FailedAttempts>,
): void {
  const attempts = loginAttempts(store.clock)

  post('/login', async (context, visit, form) => {
    const email = (form.get('email') ?? '').trim()
    const fail = (status: number, words: string) => show(context, loginPage(visit, { email, words }), status)
    if (!isOwnForm(form, visit)) return fail(403, OUT_OF_DATE)
    const network = networkOf(context, proxies)
    const { refusedMs, delayMs } = attempts.take(email, network)
    if (refusedMs > 0) {
      context.set('Retry-After', String(Math.ceil(refusedMs / 1000)))
      const minutes = counted(Math.ceil(refusedMs / MINUTE_MS), 'minute')
      return fail(429, `Too many attempts: try again in ${minutes}.`)
    }
    if (delayMs > 0) await delayed(delayMs)
    const token = await logIn(store, { email, password: form.get('password') ?? '' }).catch(ifRefused(undefined))
    if (token === undefined) {
      context.set('Retry-After', String(BUSY_SECONDS))
      return fail(503, BUSY)
    }
    if (token === null) {
      attempts.fail(email)
      return fail(403, NO_MATCH)
    }
    const failed = attempts.succeed(email, network)
    if (failed) notices.keep(token, failed)
    await enter(context, visit, token)
  })

  /** Ends the visit's previous session and sets a fresh token, which prevents session fixation. */
  async function enter(context: Context, visit: Visit, token: string): Promise<void> {
    await logOut(store, visit.token)
    visits.keep(context, token)
    redirect(context, '/')
  }

  postAsUser('/logout', async (context, visit) => {
    await logOut(store, visit.token)
    visits.keep(context, null)
    redirect(context, '/')
  })
}
