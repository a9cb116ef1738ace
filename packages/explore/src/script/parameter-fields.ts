import type { ParameterValue } from 'foldgate/client'
import { find, make, show } from './dom.js'
import {
  type Declared,
  guessedType,
  type Kept,
  PARAMETER_TYPES,
  parametersIn,
  readKept,
  sentFor,
  type Typed,
} from './parameters.js'
import { folded } from './sql.js'
import { recall, remember } from './tab.js'

/** The fields of the parameters of the statement. */
export interface ParameterFields {
  /** Has a field for each parameter of the statement, and no other, unless parameters are declared. */
  follow(sql: string): void
  /** Has a field for each declared parameter; with null, the statement decides again, which is to be followed anew. */
  declare(parameters: readonly Declared[] | null): void
  /** Moves the focus to the first field, if there is one. */
  focus(): void
  /** The values to send, without those that are not typed; null when one is wrong, which its field says. */
  read(): { parameters?: Record<string, ParameterValue> } | null
  /** The texts that were typed for the parameters of the statement. */
  kept(): Kept
  /** Replaces the texts that were typed for all parameters. */
  take(kept: Kept): void
  /** Says what is wrong with a parameter at its field. False where it has no field. */
  complain(name: string, words: string): boolean
  /** Takes back what the fields say is wrong. */
  calm(): void
}

/** A field, by the name of its parameter as the statement has it. */
interface ParameterField {
  name: string
  group: HTMLElement
  read(): Typed
  write(typed: Typed): void
  /** Says what is wrong; '' takes it back. */
  tell(words: string): void
  focus(): void
}

const MISSING = 'Type a value, or choose NULL.'

/** Manages the fields below the statement: one for each `$name` in it. `onRun` is called on Enter in a field. */
export function parameterFields(onRun: () => void, onChange: () => void): ParameterFields {
  const [place, list] = [find('parameters'), find('parameter-list')]
  /** The typed texts, also for names that the statement does not have at the moment. */
  const typed = new Map(Object.entries(readKept(recall('parameters'))))
  let fields = new Map<string, ParameterField>()
  let declared: readonly Declared[] | null = null

  const kept = (): Kept => Object.fromEntries([...fields].map(([name, field]) => [name, field.read()]))
  /** A reload comes back to the statement, so what was typed for declared parameters is not kept. */
  const rememberTyped = () => {
    if (declared === null) remember('parameters', JSON.stringify(kept()))
  }
  const changed = (name: string, field: ParameterField) => {
    if (declared === null) typed.set(name, field.read())
    field.tell('')
    rememberTyped()
    onChange()
  }
  function follow(sql: string): void {
    if (declared !== null) return
    const names = parametersIn(sql)
    if (names.join() !== [...fields.values()].map(({ name }) => name).join()) fill(names)
  }
  function fill(names: readonly string[], of: readonly Declared[] = []): void {
    fields = new Map(
      names.map(name => {
        const key = folded(name)
        const known = fields.get(key)
        const declaration = of.find(each => each.name === name)
        if (known?.name === name && !declaration) return [key, known]
        const field = fieldOf(declaration ?? name, () => changed(key, field), onRun)
        field.write(declaration ? startOf(declaration) : (typed.get(key) ?? { value: '' }))
        return [key, field]
      }),
    )
    list.replaceChildren(...[...fields.values()].map(({ group }) => group))
    show(fields.size > 0, place)
    rememberTyped()
  }
  function calm(): void {
    for (const field of fields.values()) field.tell('')
  }

  return {
    follow,
    declare(parameters) {
      declared = parameters
      fields = new Map()
      if (parameters)
        fill(
          parameters.map(({ name }) => name),
          parameters,
        )
      else list.replaceChildren()
      show(fields.size > 0, place)
    },
    focus() {
      const [first] = fields.values()
      first?.focus()
    },
    kept,
    calm,
    read() {
      if (fields.size === 0) return {}
      calm()
      let wrong: ParameterField | undefined
      const values = [...fields.values()].flatMap(field => {
        const read = sentFor(field.read())
        if (!('problem' in read)) return read.sent === undefined ? [] : [[field.name, read.sent] as const]
        field.tell(read.problem)
        wrong ??= field
        return []
      })
      wrong?.focus()
      return wrong ? null : { parameters: Object.fromEntries(values) }
    },
    take(given) {
      typed.clear()
      for (const [name, value] of Object.entries(given)) typed.set(name, value)
      for (const [name, field] of fields) field.write(typed.get(name) ?? { value: '' })
      remember('parameters', JSON.stringify(kept()))
    },
    complain(name, words) {
      const field = fields.get(folded(name))
      if (!field) return false
      const read = sentFor(field.read())
      const isMissing = !('problem' in read) && read.sent === undefined
      field.tell(isMissing ? MISSING : words)
      field.focus()
      return true
    },
  }
}

/** What an empty field says, by the chosen type. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '[]': 'one, two',
  VARCHAR: 'Text without characters',
}

/** What the field of a declared parameter has at first: its default. */
function startOf({ type, default: known }: Declared): Typed {
  if (known === undefined || known === null) return { type, value: known === null ? null : '' }
  const isPlain =
    Array.isArray(known) && known.every(item => typeof item !== 'string' || /^[^,\s[]+$/.test(item))
  const text = typeof known === 'string' ? known : isPlain ? known.join(', ') : JSON.stringify(known)
  return { type, value: text }
}

/** The field of a parameter of the statement, by its name, or of one that is declared. */
function fieldOf(of: string | Declared, onChange: () => void, onRun: () => void): ParameterField {
  const declared = typeof of === 'string' ? null : of
  const name = typeof of === 'string' ? of : of.name
  const [valueId, problemId] = [`value-of-${folded(name)}`, `problem-of-${folded(name)}`]
  const value: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement = valueField(declared, {
    id: valueId,
    autocomplete: 'off',
    'aria-describedby': problemId,
  })
  const type = make('select', { 'aria-label': `Type of $${name}`, title: 'Its SQL type' })
  const isNull = make('input', { type: 'checkbox', 'aria-label': `$${name} is NULL` })
  const problem = make('p', { class: 'problem', id: problemId, role: 'alert', hidden: true })
  const automatic = make('option', { value: '' })
  type.append(
    automatic,
    make('optgroup', { label: 'One value' }, ...PARAMETER_TYPES.map(optionOf)),
    make('optgroup', { label: 'A list' }, ...PARAMETER_TYPES.map(each => optionOf(`${each}[]`))),
  )

  function guess(): void {
    automatic.textContent =
      value.value === '' || isNull.checked ? 'Auto' : `Auto: ${guessedType(value.value)}`
    value.disabled = isNull.checked
    if ('placeholder' in value)
      value.placeholder = isNull.checked ? 'NULL' : (PLACEHOLDERS[type.value.replace(/^.*\[\]$/, '[]')] ?? '')
  }
  const change = () => {
    guess()
    onChange()
  }
  for (const element of [value, type, isNull]) element.addEventListener('input', change)
  value.addEventListener('keydown', given => {
    const event = given as KeyboardEvent
    // Shift+Enter begins a new line of the value.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    onRun()
  })

  return {
    name,
    group: make(
      'div',
      { class: declared ? 'parameter declared' : 'parameter', role: 'group', 'aria-label': `$${name}` },
      make('label', { for: valueId, title: declared?.type ?? `$${name}` }, declared?.about ?? `$${name}`),
      value,
      ...(declared ? [] : [type]),
      ...(declared && declared.default !== null
        ? []
        : [make('label', { class: 'is-null' }, isNull, ' NULL')]),
      problem,
    ),
    read: () => ({
      // An empty field of a declared parameter has no value, rather than a text without characters.
      ...(type.value === '' || (declared && value.value === '') ? {} : { type: type.value }),
      value: isNull.checked ? null : value.value,
    }),
    write(typed) {
      // A link may have a type that is not offered, such as another DECIMAL.
      if (typed.type && ![...type.options].some(option => option.value === typed.type))
        type.append(optionOf(typed.type))
      type.value = typed.type ?? ''
      isNull.checked = typed.value === null
      value.value = typed.value ?? ''
      guess()
    },
    tell(words) {
      problem.textContent = words
      show(words !== '', problem)
      if (words === '') value.removeAttribute('aria-invalid')
      else value.setAttribute('aria-invalid', 'true')
    },
    focus() {
      const element = isNull.checked ? isNull : value
      element.focus()
      problem.scrollIntoView({ block: 'nearest' })
    },
  }
}

/** The element for a value: of those allowed, a day, a moment, or a text. */
function valueField(declared: Declared | null, attributes: Readonly<Record<string, string>>) {
  const { type = '', values } = declared ?? {}
  const listed = values ?? (type === 'BOOLEAN' ? [true, false] : null)
  if (listed) return make('select', attributes, optionOf(''), ...listed.map(each => optionOf(String(each))))
  if (type === 'DATE') return make('input', { ...attributes, type: 'date' })
  return make('textarea', { ...attributes, rows: 1, autocapitalize: 'none', spellcheck: 'false' })
}

function optionOf(type: string): HTMLElement {
  return make('option', { value: type }, type)
}
