import { type Html, html } from 'foldgate/internal'
import type { Holding } from '../database/store.js'
import { MIN_CHARACTERS } from '../store/passwords.js'
import type { AlsoEnd } from '../store/sessions.js'
import { notice, type ServerPage, tokenField } from './layout.js'
import { flag } from './login.js'
import type { UserVisit } from './routing.js'

/**
 * The problem of a form that changes a password: its field, or null when it concerns none, and the message.
 */
export interface PasswordProblem {
  field: 'current' | 'new' | 'again' | null
  words: string
}

/** The page on which users change their own password, and may end these holdings with it. */
export function passwordPage(
  visit: UserVisit,
  held: readonly Holding[],
  { problem, also = {} }: { problem?: PasswordProblem | null; also?: AlsoEnd } = {},
): ServerPage {
  return {
    title: problem ? 'Change your password: not changed' : 'Change your password',
    visit,
    main: html`<div class="narrow">
<h1>Change your password</h1>
<p class="lead">You stay logged in here. Everywhere else, you are logged out. Your ${['keys', ...held.map(({ several }) => several)].join(' and ')} keep working
unless you end them too.</p>
<form class="card stack" method="post" action="/password">
${problem?.field === null && notice('error', problem.words)}
${tokenField(visit)}
<input hidden name="username" autocomplete="username" value="${visit.user.email}" readonly>
${field('current', 'Current password', 'current-password', problem)}
${field('new', 'New password', 'new-password', problem, `At least ${MIN_CHARACTERS} characters.`)}
${field('again', 'New password, again', 'new-password', problem)}
<fieldset class="field">
<legend>If somebody else knows your password</legend>
<label class="choice"><input type="checkbox" name="keys"${flag(also.keys === true, 'checked')}>
<span>Revoke all my keys</span></label>
${held.map(
  ({ field, several }) => html`<label class="choice"><input type="checkbox" name="${field}"${flag(
    also[field] === true,
    'checked',
  )}>
<span>Remove all my ${several}</span></label>
`,
)}</fieldset>
<button class="main" type="submit">Change password</button>
<a class="button" href="/">Cancel</a>
</form>
</div>`,
  }
}

function field(
  name: 'current' | 'new' | 'again',
  label: string,
  autocomplete: string,
  problem?: PasswordProblem | null,
  hint?: string,
): Html {
  const words = problem?.field === name ? problem.words : undefined
  const described = [hint && `${name}-hint`, words && `${name}-problem`].filter(Boolean).join(' ')
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="${autocomplete}" required${
    described !== '' && html` aria-describedby="${described}"`
  }${words && html` aria-invalid="true"`}${flag(words !== undefined, 'autofocus')}>
${words && html`<p class="problem" id="${name}-problem">${words}</p>`}
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`
}
