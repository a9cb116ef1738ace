import type { CallerLimits } from 'foldgate'
import { type Html, html, METHOD_NAMES } from 'foldgate/internal'
import { describeLimits, type KnownNames, readLimits, type WrittenLimits } from '../input/key-limits.js'
import { type KnownRowLimits, namesOfRowLimits } from '../input/row-limits.js'
import { described, problem, wrong } from './fields.js'
import { flag } from './login.js'

/** The limits as they were submitted, with the problem of each that is wrong. */
export interface FilledLimits {
  written: WrittenLimits
  problems: Partial<Record<keyof WrittenLimits, string>>
}

/** Fields with one value per line, and the words about them. */
const AREAS = {
  projects: { label: 'Projects', hint: 'Their ids, one per line.' },
  relations: { label: 'Relations', hint: 'Their names, one per line: the query page lists them.' },
  queries: {
    label: 'Queries',
    hint: 'Named ones, one per line, as name or name@version. Unless methods are chosen, the key then sends no SQL of its own.',
  },
  rows: {
    label: 'Rows',
    hint: 'One limit per line with the values whose rows it keeps, as department=17,18.',
  },
  parameters: {
    label: 'Values',
    hint: 'Values of parameters of named queries, one per line, as customer=17. The key cannot send others.',
  },
} as const satisfies Partial<Record<keyof WrittenLimits, { label: string; hint: string }>>

const LABELS: Readonly<Record<string, string>> = {
  methods: 'Methods',
  ...Object.fromEntries(Object.entries(AREAS).map(([limit, { label }]) => [limit, label])),
}

/** Parses the fields of limits; `limits` is null when there are none. */
export function readLimitFields(
  form: URLSearchParams,
  known: KnownNames | undefined,
): FilledLimits & { limits: CallerLimits | null } {
  const lines = (limit: keyof typeof AREAS) => (form.get(limit) ?? '').split(/\r?\n/)
  const problems: FilledLimits['problems'] = {}
  const written: WrittenLimits = {
    ...{ projects: lines('projects'), relations: lines('relations'), queries: lines('queries') },
    ...{ rows: lines('rows'), parameters: lines('parameters'), methods: form.getAll('method') },
  }
  const limits = readLimits(
    written,
    (limit, message) => {
      problems[limit] = `${message}.`
    },
    known,
  )
  return { written, problems, limits }
}

/** The fields of limits, which are shown once they are opened or filled; the field of rows needs row limits. */
export function limitFields(
  { written, problems }: FilledLimits,
  { isFirst, rowLimits }: { isFirst: boolean; rowLimits: KnownRowLimits },
): Html {
  const isFilled = Object.values(written)
    .flat()
    .some(line => line.trim() !== '')
  const [first] = isFirst ? Object.keys(problems) : []
  return html`<details class="stack"${flag(isFilled, 'open')}>
<summary>Limits <span class="soft">(optional)</span></summary>
<p class="hint">What is listed here is all that the key can do. A field that is left empty limits nothing.</p>
<fieldset class="field"${described(problems.methods && 'methods-problem')}>
<legend>Methods</legend>
${problem('methods', problems.methods)}
<div class="choices">${METHOD_NAMES.map(
    (name, at) =>
      html`<label class="choice"><input type="checkbox" name="method" value="${name}"${flag(
        written.methods.includes(name),
        'checked',
      )}${at === 0 && wrong(problems.methods, first === 'methods')}><code>${name}</code></label>`,
  )}</div>
</fieldset>
${Object.entries(AREAS).map(([name, { label, hint }]) => {
  const limit = name as keyof typeof AREAS
  const words = problems[limit]
  const isRows = limit === 'rows'
  // A problem of rows is shown also where the catalogue has just lost its limits.
  if (isRows && rowLimits.size === 0 && !words) return null
  return html`<div class="field">
<label for="${limit}">${label}</label>
<textarea id="${limit}" name="${limit}" rows="2" autocomplete="off" spellcheck="false"
 aria-describedby="${limit}-hint${words && ` ${limit}-problem`}"${wrong(words, first === limit)}>${written[limit].join('\n')}</textarea>
${problem(limit, words)}
<p class="hint" id="${limit}-hint">${hint}${isRows && rowLimits.size > 0 && ` The limits are ${namesOfRowLimits(rowLimits)}.`}</p>
</div>`
})}
</details>`
}

/** The limits of a key among its facts. */
export function limitFacts(limits: CallerLimits | null): Html[] {
  return describeLimits(limits ?? {}).map(
    ([limit, items]) => html`<div class="wide"><dt>Only ${(LABELS[limit] ?? limit).toLowerCase()}</dt>
<dd>${items.length === 0 ? 'None' : items.map(each => html`<code class="chip">${each}</code> `)}</dd></div>`,
  )
}

/** What fields of limits hold at first. */
export const NO_LIMITS: FilledLimits = {
  written: { projects: [], methods: [], queries: [], relations: [], rows: [], parameters: [] },
  problems: {},
}
