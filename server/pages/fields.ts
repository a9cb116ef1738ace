import { type Html, html } from 'foldgate/internal'
import { Refusal } from '../input/refusal.js'
import type { Organization } from '../store/organizations.js'
import type { User } from '../store/users.js'
import { flag } from './login.js'

/**
 * Shown for an organization that the user cannot read; access may have been
 * revoked since the page was loaded.
 */
export const NOT_READ = 'You do not have access to one of these organizations: choose from those listed.'

/** What `check` returns, or what it refuses as the problem of a field. */
export function checked<Value>(
  check: () => Value,
): { value: Value; problem?: undefined } | { value?: undefined; problem: string } {
  try {
    return { value: check() }
  } catch (error) {
    if (error instanceof Refusal) return { problem: `${error.message}.` }
    throw error
  }
}

/** What is wrong with the organizations that a user has chosen, if anything is. */
export function problemOfOrganizations(chosen: readonly string[], user: User): string | undefined {
  if (chosen.length === 0) return 'Choose at least one organization.'
  return chosen.every(key => user.organizations.includes(key)) ? undefined : NOT_READ
}

/** Checkboxes for organizations. If there is a single one, it is chosen. */
export function organizationChoices(
  legend: string,
  organizations: readonly Organization[],
  filled: { chosen: readonly string[]; words: string | undefined; isFirst: boolean },
): Html {
  const chosen = organizations.length === 1 ? organizations.map(({ key }) => key) : filled.chosen
  return html`<fieldset class="field"${described(filled.words && 'organization-problem')}>
<legend>${legend}</legend>
${problem('organization', filled.words)}
<div class="choices">
${organizations.map(
  (
    each,
    at,
  ) => html`<label class="choice"><input type="checkbox" name="organization" value="${each.key}"${flag(
    chosen.includes(each.key),
    'checked',
  )}${at === 0 && wrong(filled.words, filled.isFirst)}>
<span><bdi>${each.name}</bdi> <code>${each.key}</code></span></label>`,
)}
</div>
</fieldset>`
}

/** The problem of a field, below its label. */
export function problem(field: string, words: string | undefined): Html | undefined {
  return words === undefined ? undefined : html`<p class="problem" id="${field}-problem">${words}</p>`
}

/** The attribute that ties a field to the words about it. */
export function described(by: string | undefined): Html | undefined {
  return by === undefined ? undefined : html` aria-describedby="${by}"`
}

/** The attributes of a field with a problem; the first one of a form has the focus. */
export function wrong(words: string | undefined, isFirst: boolean): Html | undefined {
  return words === undefined ? undefined : html` aria-invalid="true"${flag(isFirst, 'autofocus')}`
}
