import type { Context } from 'koa'
import { logIn, logOut } from '../store/sessions.js'
import type { Attempts } from './attempts.js'
import type { Notices } from './keys.js'
import { checkLimited } from './limited.js'
import { loginPage } from './login.js'
import type { Once } from './once.js'
import { type PageOptions, type PageRoutes, redirect, show } from './routing.js'
import { isOwnForm, type Visit } from './session.js'

/**
 * Shown for an unknown address, a user without a password and a wrong password alike,
 * so that it reveals no accounts.
 */
const NO_MATCH = 'The e-mail address or password is wrong.'
const OUT_OF_DATE = 'This form was out of date, or your browser blocks cookies for this site: try again.'

/** Logging in and out. */
export function entryRoutes(
  { post, postAsUser, visits }: PageRoutes,
  { store, proxies, onFailedLogin: onFailed }: PageOptions,
  { attempts, notices }: { attempts: Attempts; notices: Once<Notices> },
): void {
  post('/login', async (context, visit, form) => {
    const email = (form.get('email') ?? '').trim()
    const fail = (status: number, words: string) => show(context, loginPage(visit, { email, words }), status)
    if (!isOwnForm(form, visit)) return fail(403, OUT_OF_DATE)
    const outcome = await checkLimited(context, { attempts, proxies, email, wrong: NO_MATCH, onFailed }, () =>
      logIn(store, { email, password: form.get('password') ?? '' }),
    )
    if (!('token' in outcome)) return fail(outcome.status, outcome.words)
    const { token, failed } = outcome
    if (failed) notices.keep(token, { failed })
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
