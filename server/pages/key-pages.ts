import { type Html, html } from 'foldgate/internal'
import { warningOfValues } from '../input/key-limits.js'
import type { ApiKey } from '../store/key-rows.js'
import type { CreatedKey } from '../store/keys.js'
import { COPY_ASSET } from './assets.js'
import { minute } from './dates.js'
import { limitFacts } from './key-limits.js'
import { type ServerPage, tokenField } from './layout.js'
import type { Visit } from './session.js'

/** The page that shows a new key, once. */
export function createdPage(visit: Visit, { key, name, limits }: CreatedKey, baseUrl: string): ServerPage {
  const warning = warningOfValues(limits)
  const curl = `curl -X POST ${baseUrl}/public/v1/api/projects/list -H 'Authorization: Bearer ${key}'`
  return {
    title: 'Your new key',
    visit,
    at: 'keys',
    runs: { head: html`<script src="${COPY_ASSET.path}" defer></script>`, connects: false },
    main: html`<div class="middle">
<h1>Your new key</h1>
<p class="lead">“<bdi>${name}</bdi>” is ready. Copy the key now: it is shown only once.</p>
<div class="card stack">
<div class="field">
<label for="key">Key</label>
<div class="copy"><textarea class="secret" id="key" readonly rows="2" autocomplete="off" spellcheck="false">${key}</textarea>
${copyButton('key', 'Copy key')}</div>
</div>
${
  (limits?.methods === undefined || limits.methods.includes('projects/list')) &&
  html`<div class="field">
<label for="curl">Try it in a terminal</label>
<div class="copy"><textarea class="secret" id="curl" readonly rows="3" autocomplete="off" spellcheck="false">${curl}</textarea>
${copyButton('curl', 'Copy command')}</div>
<p class="hint">Lists the projects that the key can read.</p>
</div>`
}
</div>
${warning && html`<p>${warning}</p>`}
<p>Store it with your other secrets. If you lose it or someone else sees it, revoke it and create another.</p>
<p><a class="button main" href="/">I have copied it</a></p>
</div>`,
  }
}

/** Replaces {@link createdPage} once the key has been shown or a minute has passed. */
export function notShownPage(visit: Visit, { id, name }: ApiKey): ServerPage {
  return {
    title: 'Not shown again',
    at: 'keys',
    visit,
    main: html`<div class="middle">
<h1>This key is not shown again</h1>
<p class="lead">A key is shown once, right after it is created. If you did not copy “<bdi>${name}</bdi>”, revoke it and
create another.</p>
<p class="row"><a class="button main" href="/">Back to your keys</a> <a class="button" href="/keys/${id}/revoke">Revoke
it</a></p>
</div>`,
  }
}

/** A button that copies a field; it is hidden without JavaScript. */
export function copyButton(field: string, words: string): Html {
  return html`<button type="button" data-copies="${field}" data-says="${field}-said" hidden>${words}</button>
<span class="said" id="${field}-said" role="status"></span>`
}

/** Asks for confirmation before a key is revoked. */
export function revokePage(
  visit: Visit,
  { id, name, organizations, lastUsedAt, limits }: ApiKey,
): ServerPage {
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
${limitFacts(limits)}
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
