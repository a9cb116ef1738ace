import { type Html, html } from 'foldgate/internal'
import { notice, type ServerPage, tokenField } from './layout.js'
import type { Visit } from './session.js'

/** The login page; `failed` has the address and the message of a failed attempt. */
export function loginPage(visit: Visit, failed?: { email: string; words: string }): ServerPage {
  const again = failed !== undefined && failed.email !== ''
  return {
    title: failed ? 'Log in: try again' : 'Log in',
    at: 'keys',
    main: html`<div class="narrow">
<h1>Log in</h1>
<p class="lead">Create API keys, see how they are used and revoke them.</p>
<form class="card stack" method="post" action="/login">
${failed && notice('error', failed.words)}
${tokenField(visit)}
<div class="field">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false"
 maxlength="254" required value="${failed?.email}"${flag(!again, 'autofocus')}>
</div>
<div class="field">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${flag(again, 'autofocus')}>
</div>
<button class="main" type="submit">Log in</button>
</form>
<p class="hint">No account yet, or forgot your password? Ask the administrator of this service.</p>
</div>`,
  }
}

/** A boolean attribute, or nothing. */
export function flag(isSet: boolean, name: string): Html {
  return isSet ? html` ${name}` : html``
}
