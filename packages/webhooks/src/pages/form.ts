import { type Html, html } from 'foldgate/internal'
import {
  checked,
  described,
  flag,
  newToken,
  type Organization,
  organizationChoices,
  problem,
  problemOfOrganizations,
  type ServerWords,
  tokenField,
  type User,
  type Visit,
  wrong,
} from 'foldgate-server/parts'
import { eventsOf, type WebhookEvent } from '../outbox/webhook-events.js'
import { checkReceiver } from '../sending/receiver.js'

/** The form as it was submitted, with the problem of each invalid field. */
export interface FilledWebhook {
  url: string
  organizations: readonly string[]
  events: readonly string[]
  problems: { url?: string; organizations?: string; events?: string }
}

/** The webhook that a valid form describes. */
export interface WantedWebhook {
  url: string
  organizations: string[]
  events: WebhookEvent[]
}

/**
 * Parses the form: the submitted fields, with their problems, and the webhook to create,
 * or null when there are problems.
 */
export function readWebhookForm(
  form: URLSearchParams,
  user: User,
  { allowed, words }: { allowed: readonly string[]; words: ServerWords },
): { filled: FilledWebhook; wanted: WantedWebhook | null } {
  const typed = form.get('url')?.trim() ?? ''
  const organizations = [...new Set(form.getAll('organization'))]
  const chosen = form.getAll('event')
  const events = [...eventsOf(words).keys()].filter(event => chosen.includes(event))
  const problems: FilledWebhook['problems'] = {}
  const url = checked(() => checkReceiver(typed, allowed).href)
  if (url.problem !== undefined) problems.url = url.problem
  const unread = problemOfOrganizations(organizations, user)
  if (unread) problems.organizations = unread
  if (events.length === 0) problems.events = 'Choose at least one event.'
  const filled = { url: typed, organizations, events, problems }
  if (url.value === undefined || Object.keys(problems).length > 0) return { filled, wanted: null }
  return { filled, wanted: { url: url.value, organizations, events } }
}

/** The form that creates a webhook for some of these organizations. */
export function webhookForm(
  visit: Visit,
  organizations: readonly Organization[],
  words: ServerWords,
  { url, organizations: chosen, events, problems }: FilledWebhook = nothing(words),
): Html {
  if (organizations.length === 0) {
    return html`<p>You do not have access to any organization, so there are no events to receive. Ask the administrator
of this service for access.</p>`
  }
  const [first] = Object.keys(problems)
  return html`<form class="stack" method="post" action="/webhooks">
${tokenField(visit)}
<input type="hidden" name="once" value="${newToken()}">
<div class="field">
<label for="url">URL</label>
<input id="url" name="url" type="url" maxlength="2000" required autocomplete="off" value="${url}"
 aria-describedby="url-hint${problems.url && ' url-problem'}"${wrong(problems.url, first === 'url')}>
${problem('url', problems.url)}
<p class="hint" id="url-hint">Where your receiver listens, such as https://hooks.example.org/foldgate.</p>
</div>
${organizationChoices('Organizations whose events it receives', organizations, {
  chosen,
  words: problems.organizations,
  isFirst: first === 'organizations',
})}
<fieldset class="field"${described(problems.events && 'event-problem')}>
<legend>Events</legend>
${problem('event', problems.events)}
<div class="choices">
${[...eventsOf(words)].map(
  ([each, about], at) => html`<label class="choice"><input type="checkbox" name="event" value="${each}"${flag(
    events.includes(each),
    'checked',
  )}${at === 0 && wrong(problems.events, first === 'events')}>
<span>${about} <code>${each}</code></span></label>`,
)}
</div>
</fieldset>
<button class="main" type="submit">Create webhook</button>
</form>`
}

function nothing(words: ServerWords): FilledWebhook {
  return { url: '', organizations: [], events: [...eventsOf(words).keys()], problems: {} }
}
