import { type Html, html } from './html.js'
import { notice, type Page, tokenField } from './layout.js'
import type { Visit } from './session.js'

/** The page of somebody who is not logged in, or has just failed to. */
export function loginPage(visit: Visit, failed?: { email: string; words: string }): Page {
  const again = failed !== undefined && failed.email !== ''
  return {
    title: failed ? 'Log in: try again' : 'Log in',
    at: 'keys',
    main: html`<div class="narrow">
<h1>Log in</h1>
<p class="lead">to make API keys, see what they are used for, and end them.</p>
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
<p class="hint">No login yet, or a password forgotten? Whoever runs this service gives you one.</p>
</div>`,
  }
}

/** An attribute without a value. */
export function flag(isSet: boolean, name: string): Html {
  return isSet ? html` ${name}` : html``
}
