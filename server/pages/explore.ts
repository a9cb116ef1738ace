import type { Organization } from '../store/organizations.js'
import { asset } from './assets.js'
import { EXPLORE_STYLE } from './explore-style.js'
import { type Html, html } from './html.js'
import { type Page, tokenField } from './layout.js'
import { MODULES, modulePath, PLOT_STYLE } from './modules.js'
import type { Visit } from './session.js'
import { workspace } from './workspace.js'

/** Path that the page posts to when it creates a key. */
export const SPOT_KEY_PATH = '/explore/key'
const MAIN = 'main.js'
const LIBRARY = 'uplot.js'

export const EXPLORE_STYLE_ASSET = asset('css', 'text/css; charset=utf-8', PLOT_STYLE + EXPLORE_STYLE)

// The modules import each other in a chain, so the page preloads them; the plot library loads with the first chart.
const PRELOADED = MODULES.filter(({ path }) => ![MAIN, LIBRARY].some(name => path === modulePath(name)))
const HEAD = html`<link rel="stylesheet" href="${EXPLORE_STYLE_ASSET.path}">
${PRELOADED.map(({ path }) => html`<link rel="modulepreload" href="${path}">`)}
<script type="module" src="${modulePath(MAIN)}"></script>`

/**
 * The query page. A logged-in user can create a key there that reads these organizations. Its forms are disabled until
 * the script takes them over: the browser itself would send them somewhere else.
 */
export function explorePage(visit: Visit, organizations: readonly Organization[]): Page {
  return {
    title: 'Query',
    visit,
    at: 'explore',
    runs: { head: HEAD, connects: true },
    main: html`<div class="explore">
<div><h1>Query</h1>
<p class="lead">Query assessed projects in SQL, browse the rows and download them as a file.</p></div>
<noscript><p class="notice error">This page needs JavaScript. Without it, call the API:
<a href="/public/v1/description.json">its description</a> says how.</p></noscript>
<section class="card access" aria-labelledby="access-title">
<h2 id="access-title" class="unseen">Key</h2>
<fieldset id="key-ask" class="ask" disabled>
<form id="key-form">
<div class="field">
<label for="key">API key</label>
<div class="row"><input id="key" class="secret" type="password" autocomplete="off" autocapitalize="none" spellcheck="false"
 aria-describedby="key-hint key-problem">
<label class="choice"><input type="checkbox" id="key-shown"><span>Show it</span></label>
<button class="main" type="submit">Use key</button></div>
<p class="problem" id="key-problem" role="alert" hidden></p>
<p class="hint" id="key-hint">Kept only in this tab, until you close it or forget the key.</p>
</div>
</form>
${visit.user ? spotKey(visit, organizations) : elsewhere()}
</fieldset>
<div id="key-held" class="row" hidden>
<p>A key is in use. It is kept only in this tab.</p>
<button class="small" type="button" id="forget">Forget key</button>
</div>
<div id="made" class="field" hidden>
<label for="made-key">Your new key</label>
<textarea class="secret" id="made-key" readonly rows="1" autocomplete="off" spellcheck="false"></textarea>
<p class="hint">Already in use here. Copy it now if you need it elsewhere too: it is shown only once.</p>
</div>
</section>
${workspace()}
</div>`,
  }
}

function elsewhere(): Html {
  return html`<p class="other">No key? <a href="/" target="_blank" rel="noopener">Log in and create one</a> <span class="soft">(in
another tab)</span>.</p>`
}

function spotKey(visit: Visit, organizations: readonly Organization[]): Html {
  if (organizations.length === 0)
    return html`<p class="other">You do not have access to any organization, so your keys could not read anything.</p>`
  const names = organizations.map(({ name }, at) => html`${at > 0 && ', '}<bdi>${name}</bdi>`)
  return html`<form id="make-key" class="other" method="post" action="${SPOT_KEY_PATH}">
${tokenField(visit)}
<p>No key at hand? Create one now: it can read ${names}, expires after 7 days and is listed with
<a href="/" target="_blank" rel="noopener">your keys</a>.</p>
<button type="submit">Create a key</button>
</form>`
}
