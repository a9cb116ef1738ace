import { checkPassword } from '../store/passwords.js'
import { changePassword, type Ended } from '../store/sessions.js'
import type { Attempts } from './attempts.js'
import { checked } from './fields.js'
import type { Notices } from './keys.js'
import { checkLimited } from './limited.js'
import type { Once } from './once.js'
import { type PasswordProblem, passwordPage } from './password.js'
import { type PageOptions, type PageRoutes, redirect, show } from './routing.js'

const WRONG = 'This is not your current password.'

/** Routes on which users change their own password. A wrong current password counts as a failed login. */
export function passwordRoutes(
  { getAsUser, postAsUser, visits }: PageRoutes,
  { store, proxies, onFailedLogin = () => {} }: PageOptions,
  { attempts, notices }: { attempts: Attempts; notices: Once<Notices> },
): void {
  getAsUser('/password', async (context, visit) => show(context, passwordPage(visit)))

  postAsUser('/password', async (context, visit, form) => {
    const [current, next, again] = ['current', 'new', 'again'].map(name => form.get(name) ?? '') as [
      string,
      string,
      string,
    ]
    const also = { keys: form.get('keys') === 'on', webhooks: form.get('webhooks') === 'on' }
    const problem = problemOf(next, again)
    if (problem) return show(context, passwordPage(visit, { also, problem }), 422)
    const { id: userId, email } = visit.user
    let ended: Ended = { revokedKeys: 0, removedWebhooks: 0 }
    const outcome = await checkLimited(context, { attempts, proxies, email, wrong: WRONG }, async () => {
      const changed = await changePassword(store, { userId, current, next, also })
      ended = changed?.ended ?? ended
      return changed?.token ?? null
    })
    if (!('token' in outcome)) {
      const { status, words } = outcome
      if (status !== 503) onFailedLogin()
      return show(
        context,
        passwordPage(visit, { also, problem: { field: words === WRONG ? 'current' : null, words } }),
        status,
      )
    }
    const { token, failed } = outcome
    notices.keep(token, { newPassword: ended, ...(failed ? { failed } : {}) })
    // A fresh token: whoever has copied the cookie of this session is logged out too.
    visits.keep(context, token)
    redirect(context, '/')
  })
}

/** The problem of a new password, or null. */
function problemOf(next: string, again: string): PasswordProblem | null {
  const { problem } = checked(() => checkPassword(next))
  if (problem !== undefined) return { field: 'new', words: problem }
  return next === again ? null : { field: 'again', words: 'The two new passwords differ: type them again.' }
}
