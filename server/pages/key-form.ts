import type { CallerLimits } from 'foldgate'
import { type Html, html } from 'foldgate/internal'
import type { KnownNames } from '../input/key-limits.js'
import { checkName } from '../input/names.js'
import type { KnownRowLimits } from '../input/row-limits.js'
import type { Organization } from '../store/organizations.js'
import { newToken } from '../store/sessions.js'
import type { User } from '../store/users.js'
import { checked, described, organizationChoices, problem, problemOfOrganizations, wrong } from './fields.js'
import { type FilledLimits, limitFields, NO_LIMITS, readLimitFields } from './key-limits.js'
import { tokenField } from './layout.js'
import { flag } from './login.js'
import type { Visit } from './session.js'

const DAY_MS = 86_400_000

/** Lifetimes that the form offers, in milliseconds; null means that the key does not expire. */
const LIFETIMES: Readonly<Record<string, { words: string; ms: number | null }>> = {
  '7d': { words: '7 days', ms: 7 * DAY_MS },
  '30d': { words: '30 days', ms: 30 * DAY_MS },
  '90d': { words: '90 days', ms: 90 * DAY_MS },
  '365d': { words: '1 year', ms: 365 * DAY_MS },
  never: { words: 'Until revoked', ms: null },
}
const FIRST_CHOICE = '90d'

/** The form as it was submitted, with the problem of each invalid field. */
export interface Filled {
  name: string
  organizations: readonly string[]
  lifetime: string
  limits: FilledLimits
  problems: { name?: string; organizations?: string; lifetime?: string }
}

/** The key that a valid form describes. */
export interface Wanted {
  name: string
  organizations: string[]
  /** Epoch milliseconds. */
  expiresAt?: number
  limits: CallerLimits | null
}

/**
 * Parses the form: the submitted fields, with their problems, and the key to create,
 * or null when there are problems.
 */
export function readKeyForm(
  form: URLSearchParams,
  user: User,
  now: number,
  known?: KnownNames,
): { filled: Filled; wanted: Wanted | null } {
  const typed = form.get('name') ?? ''
  const organizations = [...new Set(form.getAll('organization'))]
  const lifetime = form.get('lifetime') ?? ''
  const problems: Filled['problems'] = {}
  const { limits, ...filledLimits } = readLimitFields(form, known)
  const filled = { name: typed, organizations, lifetime, limits: filledLimits, problems }
  const name = checked(() => checkName(typed, 'key'))
  if (name.problem !== undefined) problems.name = name.problem
  const unread = problemOfOrganizations(organizations, user)
  if (unread) problems.organizations = unread
  const chosen = Object.hasOwn(LIFETIMES, lifetime) ? LIFETIMES[lifetime] : undefined
  if (!chosen) problems.lifetime = 'Choose how long the key lasts.'
  const isWrong = [problems, filledLimits.problems].some(each => Object.keys(each).length > 0)
  if (name.value === undefined || !chosen || isWrong) return { filled, wanted: null }
  const expiry = chosen.ms === null ? {} : { expiresAt: now + chosen.ms }
  return { filled, wanted: { name: name.value, organizations, ...expiry, limits } }
}

/** The form that creates a key for some of these organizations, which row limits of the catalogue may limit. */
export function createForm(
  visit: Visit,
  { organizations, rowLimits }: { organizations: readonly Organization[]; rowLimits: KnownRowLimits },
  filled: Filled = nothing(),
): Html {
  if (organizations.length === 0) {
    return html`<p>You do not have access to any organization, so your keys could not read anything. Ask the
administrator of this service for access.</p>`
  }
  const { name, lifetime, problems } = filled
  const [first] = Object.keys(problems)
  return html`<form class="stack" method="post" action="/keys">
${tokenField(visit)}
<input type="hidden" name="once" value="${newToken()}">
<div class="field">
<label for="name">Name</label>
<input id="name" name="name" maxlength="200" required autocomplete="off" value="${name}"
 aria-describedby="name-hint${problems.name && ' name-problem'}"${wrong(problems.name, first === 'name')}>
${problem('name', problems.name)}
<p class="hint" id="name-hint">What will use it, such as “Nightly report”.</p>
</div>
${organizationChoices('Organizations it can read', organizations, {
  chosen: filled.organizations,
  words: problems.organizations,
  isFirst: first === 'organizations',
})}
<div class="field">
<label for="lifetime">Lifetime</label>
<select id="lifetime" name="lifetime"${described(problems.lifetime && 'lifetime-problem')}${wrong(
    problems.lifetime,
    first === 'lifetime',
  )}>
${Object.entries(LIFETIMES).map(
  ([value, { words }]) =>
    html`<option value="${value}"${flag(value === lifetime, 'selected')}>${words}</option>`,
)}
</select>
${problem('lifetime', problems.lifetime)}
</div>
${limitFields(filled.limits, { isFirst: first === undefined, rowLimits })}
<button class="main" type="submit">Create key</button>
</form>`
}

function nothing(): Filled {
  return { name: '', organizations: [], lifetime: FIRST_CHOICE, limits: NO_LIMITS, problems: {} }
}
