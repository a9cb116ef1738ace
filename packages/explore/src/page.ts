import { type Html, html } from '../pages/html.js'
import { type Page, tokenField } from '../pages/layout.js'
import type { Visit } from '../pages/session.js'
import type { Words } from '../settings/words.js'
import type { Organization } from '../store/organizations.js'
import { pathOf } from './bundled.js'
import { id } from './element-ids.js'
import { PATHS } from './paths.js'
import { workspace, workspaceBar } from './workspace.js'

const HEAD = html`<link rel="stylesheet" href="${pathOf('style.css')}">
<script type="module" src="${pathOf('main.js')}"></script>`

/**
 * The query page. A logged-in user can create a key there that reads these organizations. Its forms are
 * disabled until the script takes them over: the browser itself would send them somewhere else.
 */
export function explorePage(visit: Visit, organizations: readonly Organization[], words: Words): Page {
  return {
    title: 'Query',
    visit,
    at: 'explore',
    runs: { head: HEAD, connects: true },
    bar: workspaceBar(words),
    main: html`<h1 class="unseen">Query</h1>
<noscript><p class="notice error">This page needs JavaScript. Without it, call the API:
<a href="/public/v1/description.json">its description</a> says how.</p></noscript>
${access(visit, organizations, words)}
${workspace(visit, words)}`,
  }
}

function access(visit: Visit, organizations: readonly Organization[], { welcome }: Words): Html {
  return html`<section id="${id('key-ask-section')}" class="access" aria-labelledby="${id('access-title')}">
<div class="welcome">
<h2 id="${id('access-title')}">${welcome.title}</h2>
<p class="lead">Write SQL, or start from a worked question. With an API key you see a first result at once:
${welcome.lead}. Every query can be copied as a call for your own programs.</p>
</div>
<fieldset id="${id('key-ask')}" class="ask" disabled>
<form id="${id('key-form')}" class="card">
<label for="${id('key')}">API key</label>
<div class="row"><input id="${id('key')}" class="secret" type="password" autocomplete="off"
 autocapitalize="none" spellcheck="false"
 aria-describedby="${id('key-hint')} ${id('key-problem')}">
<button class="main" type="submit">Use key</button></div>
<label class="choice"><input type="checkbox" id="${id('key-shown')}"><span>Show it</span></label>
<p class="problem" id="${id('key-problem')}" role="alert" hidden></p>
<p class="hint" id="${id('key-hint')}">Kept only in this tab, until you close it or forget the key.</p>
</form>
${visit.user ? spotKey(visit, organizations) : elsewhere()}
</fieldset>
</section>`
}

function elsewhere(): Html {
  return html`<p class="other">No key? <a href="/" target="_blank"
 rel="noopener">Log in and create one</a> <span class="soft">(in
another tab)</span>.</p>`
}

function spotKey(visit: Visit, organizations: readonly Organization[]): Html {
  if (organizations.length === 0)
    return html`<p class="other">You do not have access to any organization, so your keys could not read anything.</p>`
  const names = organizations.map(({ name }, at) => html`${at > 0 && ', '}<bdi>${name}</bdi>`)
  return html`<form id="${id('make-key')}" class="other card" method="post" action="${PATHS.key}">
${tokenField(visit)}
<p>No key at hand? Create one now: it can read ${names}, expires after 7 days and is listed with
<a href="/" target="_blank" rel="noopener">your keys</a>.</p>
<button type="submit">Create a key</button>
</form>`
}
