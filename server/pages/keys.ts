import { type Html, html } from 'foldgate/internal'
import type { KnownRowLimits } from '../input/row-limits.js'
import type { ApiKey } from '../store/key-rows.js'
import { MOST_KEYS } from '../store/keys.js'
import type { Organization } from '../store/organizations.js'
import type { DayUsage } from '../store/usage.js'
import type { FailedAttempts } from './attempts.js'
import { counted, day, minute } from './dates.js'
import { createForm, type Filled } from './key-form.js'
import { limitFacts } from './key-limits.js'
import { notice, type ServerPage } from './layout.js'
import type { Visit } from './session.js'
import { usageChart } from './usage-chart.js'

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS
const FULL = `You have ${MOST_KEYS} active keys, and can have no more: revoke one first.`

/** What the key page of a user shows. */
export interface Holdings {
  /** Keys that are neither revoked nor expired, of this page of several, newest first. */
  active: readonly ApiKey[]
  activeCount: number
  /** From 1 to `pages`. */
  page: number
  pages: number
  /** The newest of those that are revoked or expired. */
  ended: readonly ApiKey[]
  endedCount: number
  /** Usage per key and day. */
  usage: readonly DayUsage[]
  /** Organizations that the user can read now. */
  organizations: readonly Organization[]
  /** Row limits of the catalogue. */
  rowLimits: KnownRowLimits
  baseUrl: string
  /** Epoch milliseconds. */
  now: number
}

/** Messages that are shown once, on the page after a login or a change of the password. */
export interface Notices {
  failed?: FailedAttempts
  /** Says what ended with the old password. */
  newPassword?: string
}

/** The key page of a user. With `filled`, it shows the rejected form again with its problems. */
export function keysPage(
  visit: Visit,
  held: Holdings,
  more: Notices & { filled?: Filled; isFull?: true; revoked?: ApiKey } = {},
): ServerPage {
  const { active: open, ended, endedCount } = held
  const { filled, isFull, revoked, failed, newPassword } = more
  return {
    title: filled ? 'API keys: not created' : 'API keys',
    at: 'keys',
    visit,
    main: html`${failed && notice('error', failedWords(failed))}${
      newPassword && notice('done', newPassword)
    }${revoked && notice('done', html`“<bdi>${revoked.name}</bdi>” is revoked: calls with it are now refused.`)}
<div class="columns">
<section class="held" aria-labelledby="held">
<div class="title"><h1 id="held">API keys</h1><a class="button jump" href="#create">Create a key</a></div>
<p class="lead">Every call to <code>${held.baseUrl}/public/v1/api/</code> needs one. A key can read the organizations chosen
for it, as long as you have access to them.</p>
${open.length > 0 ? list(open, held) : empty(ended.length > 0, held.organizations.length > 0)}
${held.pages > 1 && pageLinks(held)}
${
  ended.length > 0 &&
  html`<details class="ended"><summary>${counted(endedCount, 'inactive key')}</summary>${
    endedCount > ended.length && html`<p>The newest ${ended.length} are shown.</p>`
  }${list(ended, held)}</details>`
}
</section>
<section class="card create" id="create" aria-labelledby="create-title">
<h2 id="create-title">Create a key</h2>
${filled && notice('error', isFull ? FULL : 'No key was created: correct the marked fields.')}
${createForm(visit, held, filled)}
</section>
</div>`,
  }
}

function pageLinks({ page, pages, activeCount }: Holdings): Html {
  return html`<p class="row">Page ${page} of ${pages}, with ${counted(activeCount, 'active key')}.
${page > 1 && html`<a class="button small" href="/?page=${page - 1}">Newer keys</a>`}
${page < pages && html`<a class="button small" href="/?page=${page + 1}">Older keys</a>`}</p>`
}

function failedWords({ count, lastAt }: FailedAttempts): Html {
  return html`Since you last logged in, ${counted(count, 'login attempt')} with your address failed, the last on
${minute(lastAt)}. If that was not you, make sure that your password is hard to guess.`
}

/** Whether a key is revoked or expired. */
export function hasEnded({ expiresAt, revokedAt }: ApiKey, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now)
}

function empty(hadSome: boolean, canCreate: boolean): Html {
  const ready = 'Create one to make your first call.'
  return html`<p class="card empty">${hadSome ? 'You have no active key.' : 'You have no key yet.'} ${canCreate && ready}</p>`
}

function list(keys: readonly ApiKey[], held: Holdings): Html {
  return html`<ul class="keys">${keys.map(key => card(key, held))}</ul>`
}

function card(key: ApiKey, { usage, now }: Holdings): Html {
  const isOpen = !hasEnded(key, now)
  return html`<li class="card key${!isOpen && ' over'}">
<div class="head">
<div class="about"><h2 class="name"><bdi>${key.name}</bdi></h2>
${badge(key, now)}</div>
${isOpen && html`<a class="button small" href="/keys/${key.id}/revoke">Revoke<span class="unseen"> ${key.name}</span></a>`}
</div>
<dl class="facts">
<div class="wide"><dt>Organizations</dt><dd>${key.organizations.map(each => organization(each, key))}</dd></div>
${limitFacts(key.limits)}
<div><dt>Created</dt><dd>${day(key.createdAt)}</dd></div>
<div><dt>${key.expiresAt !== null && key.expiresAt <= now ? 'Expired' : 'Expires'}</dt>
<dd>${key.expiresAt === null ? 'Never' : day(key.expiresAt)}</dd></div>
${key.revokedAt !== null && html`<div><dt>Revoked</dt><dd>${day(key.revokedAt)}</dd></div>`}
<div><dt>Last used</dt><dd>${key.lastUsedAt === null ? 'Never' : minute(key.lastUsedAt)}</dd></div>
</dl>
${usageChart(
  usage.filter(({ keyId }) => keyId === key.id),
  now,
)}
</li>`
}

function badge({ expiresAt, revokedAt }: ApiKey, now: number): Html | null {
  if (revokedAt !== null) return html`<span class="badge">Revoked</span>`
  if (expiresAt === null) return null
  if (expiresAt <= now) return html`<span class="badge">Expired</span>`
  if (expiresAt - now > SOON_MS) return null
  return html`<span class="badge soon">Expires in ${counted(Math.ceil((expiresAt - now) / DAY_MS), 'day')}</span>`
}

/** An organization that was chosen for a key or for what a package holds, marked if its owner no longer reads it. */
export function organization(each: string, { reads }: { reads: readonly string[] }): Html {
  if (reads.includes(each)) return html`<code class="chip">${each}</code> `
  return html`<span class="lost"><code class="chip">${each}</code> no longer readable</span> `
}
