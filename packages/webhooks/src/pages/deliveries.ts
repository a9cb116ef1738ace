import { type Html, html } from 'foldgate/internal'
import { counted, minute, notice, type ServerPage, tokenField, type Visit } from 'foldgate-server/parts'
import { MOST_PENDING } from '../outbox/bounds.js'
import type { Delivery } from '../outbox/deliveries.js'
import type { Webhook } from '../webhooks.js'
import { enableForm } from './webhooks.js'

/** Number of deliveries that the page shows. */
export const MOST_SHOWN = 50

const STATES: Readonly<Record<Delivery['state'], string>> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
  cancelled: 'Cancelled',
  dropped: 'Dropped',
}

/** The page of what was sent to a webhook, newest first. */
export function deliveriesPage(
  visit: Visit,
  { webhook, deliveries, dropped }: { webhook: Webhook; deliveries: readonly Delivery[]; dropped: number },
  refused?: string,
): ServerPage {
  const { id, url, disabledAt, disabledFor } = webhook
  return {
    title: 'Deliveries',
    at: 'webhooks',
    visit,
    main: html`<div class="middle">
<h1>Deliveries</h1>
<p class="lead">What was sent to <bdi>${url}</bdi> in the last 30 days, at most ${MOST_SHOWN}, newest first.</p>
${refused && notice('error', `${refused}.`)}
${
  dropped > 0 &&
  notice(
    'error',
    `In the last 30 days, ${dropped.toLocaleString('en')} of its deliveries were dropped, the oldest first: at most ${MOST_PENDING.webhook} may be ` +
      `pending for a webhook, ${MOST_PENDING.user.toLocaleString('en')} for all webhooks of a user, and ` +
      `${MOST_PENDING.host.toLocaleString('en')} for one host.`,
  )
}
${
  disabledAt === null
    ? html`<form class="row" method="post" action="/webhooks/${id}/test">
${tokenField(visit)}
<button type="submit">Send a test</button>
<a class="button" href="/webhooks/${id}">Reload</a>
<a class="button" href="/webhooks">Back to your webhooks</a>
</form>`
    : html`<p>It is switched off, so nothing is sent: ${disabledFor}.</p>
${enableForm(visit, webhook)}
<p class="row"><a class="button" href="/webhooks">Back to your webhooks</a></p>`
}
${
  deliveries.length > 0
    ? html`<ul class="keys">${deliveries.map(delivery)}</ul>`
    : html`<p class="card empty">Nothing was sent yet.</p>`
}
</div>`,
  }
}

function delivery({ id, event, createdAt, state, attempts, nextAt, outcome }: Delivery): Html {
  return html`<li class="card key">
<div class="head"><div class="about"><h2 class="name"><code>${event}</code></h2>
<span class="badge${state === 'failed' && ' soon'}">${STATES[state]}</span></div></div>
<dl class="facts">
<div><dt>Happened</dt><dd>${minute(createdAt)}</dd></div>
<div><dt>Sent</dt><dd>${counted(attempts, 'time', 'times')}</dd></div>
${outcome !== null && html`<div><dt>Last outcome</dt><dd>${outcome}</dd></div>`}
${attempts > 0 && nextAt !== null && html`<div><dt>Next attempt</dt><dd>${minute(nextAt)}</dd></div>`}
<div class="wide"><dt>Id</dt><dd><code>${id}</code></dd></div>
</dl>
</li>`
}
