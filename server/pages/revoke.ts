import type { ApiKey } from '../store/keys.js'
import { minute } from './dates.js'
import { html } from './html.js'
import { type Page, tokenField } from './layout.js'
import type { Visit } from './session.js'

/** Asks for confirmation before a key is revoked. */
export function revokePage(visit: Visit, { id, name, organizations, lastUsedAt }: ApiKey): Page {
  return {
    title: 'Revoke this key?',
    at: 'keys',
    visit,
    main: html`<div class="middle">
<h1>Revoke this key?</h1>
<div class="card stack">
<h2 class="name"><bdi>${name}</bdi></h2>
<dl class="facts">
<div><dt>Organizations</dt><dd>${organizations.map(each => html`<code class="chip">${each}</code> `)}</dd></div>
<div><dt>Last used</dt><dd>${lastUsedAt === null ? 'Never' : minute(lastUsedAt)}</dd></div>
</dl>
<p>From then on, every call and download with this key is refused. This cannot be undone.</p>
<form class="row" method="post" action="/keys/${id}/revoke">
${tokenField(visit)}
<button class="danger" type="submit">Revoke key</button>
<a class="button" href="/">Keep it</a>
</form>
</div>
</div>`,
  }
}
