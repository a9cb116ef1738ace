import { type Html, html } from 'foldgate/internal'
import {
  COPY_ASSET,
  copyButton,
  day,
  notice,
  type Organization,
  organization,
  type ServerPage,
  type ServerWords,
  tokenField,
  type Visit,
} from 'foldgate-server/parts'
import { type CreatedWebhook, MOST_WEBHOOKS, type Webhook } from '../webhooks.js'
import { type FilledWebhook, webhookForm } from './form.js'

const FULL = `You have ${MOST_WEBHOOKS} webhooks, and can have no more: remove one first.`

/** Messages that are shown once, above the list. */
export interface WebhookNotices {
  hasRemoved?: true
  /** The form was refused because the user has the maximum number of webhooks. */
  isFull?: true
}

/** The page of a user's webhooks. With `filled`, it shows the rejected form again with its problems. */
export function webhooksPage(
  visit: Visit,
  { webhooks, organizations }: { webhooks: readonly Webhook[]; organizations: readonly Organization[] },
  words: ServerWords,
  { filled, hasRemoved, isFull }: WebhookNotices & { filled?: FilledWebhook } = {},
): ServerPage {
  return {
    title: filled ? 'Webhooks: not created' : 'Webhooks',
    at: 'webhooks',
    visit,
    main: html`${hasRemoved && notice('done', 'The webhook is removed: nothing more is sent to it.')}
<div class="columns">
<section class="held" aria-labelledby="held">
<div class="title"><h1 id="held">Webhooks</h1><a class="button jump" href="#create">Create a webhook</a></div>
<p class="lead">A webhook notifies your receiver of events, as long as you have access to the organization. It sends ids and
times; your receiver reads the numbers with a key.</p>
${
  webhooks.length > 0
    ? html`<ul class="keys">${webhooks.toReversed().map(each => card(visit, each))}</ul>`
    : html`<p class="card empty">You have no webhook yet.</p>`
}
</section>
<section class="card create" id="create" aria-labelledby="create-title">
<h2 id="create-title">Create a webhook</h2>
${filled && notice('error', isFull ? FULL : 'No webhook was created: correct the marked fields.')}
${webhookForm(visit, organizations, words, filled)}
</section>
</div>`,
  }
}

/** The button that switches a webhook on again. */
export function enableForm(visit: Visit, { id, url }: Webhook): Html {
  return html`<form class="row" method="post" action="/webhooks/${id}/enable">
${tokenField(visit)}
<button type="submit">Switch on again<span class="unseen"> ${url}</span></button>
</form>`
}

function card(visit: Visit, webhook: Webhook): Html {
  const { id, url, events, organizations, createdAt, disabledAt, disabledFor } = webhook
  return html`<li class="card key${disabledAt !== null && ' over'}">
<div class="head">
<div class="about"><h2 class="name"><bdi>${url}</bdi></h2>
${disabledAt !== null && html`<span class="badge">Switched off</span>`}</div>
</div>
<dl class="facts">
<div class="wide"><dt>Organizations</dt><dd>${organizations.map(each => organization(each, webhook))}</dd></div>
<div class="wide"><dt>Events</dt><dd>${events.map(each => html`<code class="chip">${each}</code> `)}</dd></div>
<div><dt>Created</dt><dd>${day(createdAt)}</dd></div>
${disabledAt !== null && html`<div class="wide"><dt>Switched off</dt><dd>${day(disabledAt)}: ${disabledFor}</dd></div>`}
</dl>
${disabledAt !== null && enableForm(visit, webhook)}
<p class="row"><a class="button small" href="/webhooks/${id}">Deliveries<span class="unseen"> to ${url}</span></a>
<a class="button small" href="/webhooks/${id}/remove">Remove<span class="unseen"> ${url}</span></a></p>
</li>`
}

/** The page that shows the secret of a new webhook, once. */
export function webhookCreatedPage(visit: Visit, { id, url, secret }: CreatedWebhook): ServerPage {
  return {
    title: 'Your new webhook',
    visit,
    at: 'webhooks',
    runs: { head: html`<script src="${COPY_ASSET.path}" defer></script>`, connects: false },
    main: html`<div class="middle">
<h1>Your new webhook</h1>
<p class="lead">Events are sent to <bdi>${url}</bdi> from now on. Copy the signing secret now: it is shown only once.</p>
<div class="card stack">
<div class="field">
<label for="secret">Signing secret</label>
<div class="copy"><textarea class="secret" id="secret" readonly rows="2" autocomplete="off" spellcheck="false">${secret}</textarea>
${copyButton('secret', 'Copy secret')}</div>
<p class="hint">Your receiver verifies with it that an event comes from this service, with any library of Standard
Webhooks.</p>
</div>
</div>
<p>Store it with your other secrets. If you lose it or someone else sees it, remove the webhook and create another.</p>
<p><a class="button main" href="/webhooks/${id}">I have copied it</a></p>
</div>`,
  }
}

/** Replaces {@link webhookCreatedPage} once the secret has been shown or a minute has passed. */
export function secretNotShownPage(visit: Visit, { id, url }: Webhook): ServerPage {
  return {
    title: 'Not shown again',
    at: 'webhooks',
    visit,
    main: html`<div class="middle">
<h1>This secret is not shown again</h1>
<p class="lead">The secret of a webhook is shown once, right after it is created. If you did not copy that of
<bdi>${url}</bdi>, remove the webhook and create another.</p>
<p class="row"><a class="button main" href="/webhooks">Back to your webhooks</a>
<a class="button" href="/webhooks/${id}/remove">Remove it</a></p>
</div>`,
  }
}

/** Asks for confirmation before a webhook is removed. */
export function removeWebhookPage(visit: Visit, { id, url, organizations }: Webhook): ServerPage {
  return {
    title: 'Remove this webhook?',
    at: 'webhooks',
    visit,
    main: html`<div class="middle">
<h1>Remove this webhook?</h1>
<div class="card stack">
<h2 class="name"><bdi>${url}</bdi></h2>
<dl class="facts">
<div><dt>Organizations</dt><dd>${organizations.map(each => html`<code class="chip">${each}</code> `)}</dd></div>
</dl>
<p>From then on, nothing is sent to it, and what waits is cancelled. This cannot be undone.</p>
<form class="row" method="post" action="/webhooks/${id}/remove">
${tokenField(visit)}
<button class="danger" type="submit">Remove webhook</button>
<a class="button" href="/webhooks">Keep it</a>
</form>
</div>
</div>`,
  }
}
