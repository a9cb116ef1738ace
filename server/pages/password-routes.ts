import type { Holding } from '../database/store.js'
import { holdings, removedField } from '../store/holdings.js'
import { checkPassword } from '../store/passwords.js'
import { type AlsoEnd, changePassword, type EndedAccess } from '../store/sessions.js'
import type { Attempts } from './attempts.js'
import { counted } from './dates.js'
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
  { store, proxies, onFailedLogin: onFailed }: PageOptions,
  { attempts, notices }: { attempts: Attempts; notices: Once<Notices> },
): void {
  const endable = async () => (await holdings()).filter(({ removeOf }) => removeOf)

  getAsUser('/password', async (context, visit) => show(context, passwordPage(visit, await endable())))

  postAsUser('/password', async (context, visit, form) => {
    const [current, next, again] = ['current', 'new', 'again'].map(name => form.get(name) ?? '') as [
      string,
      string,
      string,
    ]
    const held = await endable()
    const also: AlsoEnd = { keys: form.get('keys') === 'on' }
    for (const { field } of held) also[field] = form.get(field) === 'on'
    const problem = problemOf(next, again)
    if (problem) return show(context, passwordPage(visit, held, { also, problem }), 422)
    const { id: userId, email } = visit.user
    let ended: EndedAccess = { revokedKeys: 0 }
    const outcome = await checkLimited(
      context,
      { attempts, proxies, email, wrong: WRONG, onFailed },
      async () => {
        const changed = await changePassword(store, { userId, current, next, also })
        ended = changed?.ended ?? ended
        return changed?.token ?? null
      },
    )
    if (!('token' in outcome)) {
      const { status, words } = outcome
      return show(
        context,
        passwordPage(visit, held, { also, problem: { field: words === WRONG ? 'current' : null, words } }),
        status,
      )
    }
    const { token, failed } = outcome
    notices.keep(token, { newPassword: wordsOfEnded(ended, held), ...(failed ? { failed } : {}) })
    // A fresh token: anybody with a copy of the cookie of this session is logged out too.
    visits.keep(context, token)
    redirect(context, '/')
  })
}

function wordsOfEnded(ended: EndedAccess, held: readonly Holding[]): string {
  const { revokedKeys } = ended
  const keys = revokedKeys > 0 ? ` ${counted(revokedKeys, 'key')} revoked.` : ''
  const removed = held
    .map(each => [ended[removedField(each)] ?? 0, each.one, each.several] as const)
    .map(each => (each[0] > 0 ? ` ${counted(...each)} removed.` : ''))
  return `Your password is changed. Everywhere else, you are logged out.${keys}${removed.join('')}`
}

/** The problem of a new password, or null. */
function problemOf(next: string, again: string): PasswordProblem | null {
  const { problem } = checked(() => checkPassword(next))
  if (problem !== undefined) return { field: 'new', words: problem }
  return next === again ? null : { field: 'again', words: 'The two new passwords differ: type them again.' }
}
