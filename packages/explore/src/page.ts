import { type Html, html } from 'foldgate/internal'
import { bundled } from './bundled.js'
import { id } from './element-ids.js'
import type { KeyOffer, Offers } from './offers.js'
import { type PageWords, wordsOf } from './words.js'
import { tokenField, workspace, workspaceBar } from './workspace.js'

/** Where the page is, and for whom. */
export interface PagePlace {
  /** Path at which the API is mounted; empty at the root. */
  mount: string
  /** Whether callers choose a point of view. */
  hasPointOfView: boolean
  /** What the host has for the visitor. */
  offers: Offers
}

/** The parts of the page, for a layout. */
export interface PageParts {
  /** Elements for the head: the styles of the page, beside those of all pages, and its script. */
  head: Html
  /** What the header has beside the name. */
  bar: Html
  main: Html
}

/**
 * The query page. Its forms are disabled until the script takes them over: the browser itself would send them somewhere
 * else.
 */
export function queryPage({ mount, hasPointOfView, offers }: PagePlace): PageParts {
  const { pathOf } = bundled()
  const words = wordsOf(hasPointOfView)
  return {
    head: html`<link rel="stylesheet" href="${mount}${pathOf('style.css')}">
<script type="module" src="${mount}${pathOf('main.js')}"></script>`,
    bar: workspaceBar(words, hasPointOfView),
    main: html`<h1 class="unseen">Query</h1>
<noscript><p class="notice error">This page needs JavaScript. Without it, call the API:
<a href="${mount}/public/v1/description.json">its description</a> says how.</p></noscript>
${access(offers, words)}
${workspace(mount, offers, words)}`,
  }
}

function access({ account, keys }: Offers, { welcome }: PageWords): Html {
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
<p id="${id('key-came')}" role="status" hidden>This key came with the link. Use it if you trust whoever sent you the link.</p>
<p class="problem" id="${id('key-problem')}" role="alert" hidden></p>
<p class="hint" id="${id('key-hint')}">Kept only in this tab, until you close it or forget the key.</p>
</form>
${keys ? spotKey(keys, account) : account !== undefined && elsewhere(account)}
</fieldset>
</section>`
}

function elsewhere(account: string): Html {
  return html`<p class="other">No key? <a href="${account}" target="_blank"
 rel="noopener">Log in and create one</a> <span class="soft">(in
another tab)</span>.</p>`
}

function spotKey({ path, token, reads, days }: KeyOffer, account: string | undefined): Html {
  if (reads.length === 0)
    return html`<p class="other">You do not have access to any organization, so your keys could not read anything.</p>`
  const names = reads.map((name, at) => html`${at > 0 && ', '}<bdi>${name}</bdi>`)
  const told = [
    html`can read ${names}`,
    days !== undefined && html`expires after ${days} days`,
    account !== undefined &&
      html`is listed with <a href="${account}" target="_blank" rel="noopener">your keys</a>`,
  ].filter(each => each !== false)
  return html`<form id="${id('make-key')}" class="other card" method="post" action="${path}">
${tokenField(token)}
<p>No key at hand? Create one now: it ${told.map((each, at) => [at > 0 && (at < told.length - 1 ? ', ' : ' and '), each])}.</p>
<button type="submit">Create a key</button>
</form>`
}
