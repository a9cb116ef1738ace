import type { ParameterValue } from 'foldgate/client'
import { find, make, show } from './dom.js'
import {
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
  /** Has a field for each parameter of the statement, and no other. */
  follow(sql: string): void
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

  const kept = (): Kept => Object.fromEntries([...fields].map(([name, field]) => [name, field.read()]))
  const changed = (name: string, field: ParameterField) => {
    typed.set(name, field.read())
    field.tell('')
    remember('parameters', JSON.stringify(kept()))
    onChange()
  }
  function follow(sql: string): void {
    const names = parametersIn(sql)
    if (names.join() === [...fields.values()].map(({ name }) => name).join()) return
    fields = new Map(
      names.map(name => {
        const key = folded(name)
        const known = fields.get(key)
        if (known?.name === name) return [key, known]
        const field = fieldOf(name, () => changed(key, field), onRun)
        field.write(typed.get(key) ?? { value: '' })
        return [key, field]
      }),
    )
    list.replaceChildren(...[...fields.values()].map(({ group }) => group))
    show(fields.size > 0, place)
    remember('parameters', JSON.stringify(kept()))
  }
  function calm(): void {
    for (const field of fields.values()) field.tell('')
  }

  return {
    follow,
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

function fieldOf(name: string, onChange: () => void, onRun: () => void): ParameterField {
  const [valueId, problemId] = [`value-of-${folded(name)}`, `problem-of-${folded(name)}`]
  const value = make('textarea', {
    id: valueId,
    rows: 1,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
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
    value.placeholder = isNull.checked ? 'NULL' : (PLACEHOLDERS[type.value.replace(/^.*\[\]$/, '[]')] ?? '')
  }
  const change = () => {
    guess()
    onChange()
  }
  for (const element of [value, type, isNull]) element.addEventListener('input', change)
  value.addEventListener('keydown', event => {
    // Shift+Enter begins a new line of the value.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    onRun()
  })

  return {
    name,
    group: make(
      'div',
      { class: 'parameter', role: 'group', 'aria-label': `$${name}` },
      make('label', { for: valueId, title: `$${name}` }, `$${name}`),
      value,
      type,
      make('label', { class: 'is-null' }, isNull, ' NULL'),
      problem,
    ),
    read: () => ({
      ...(type.value === '' ? {} : { type: type.value }),
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

function optionOf(type: string): HTMLElement {
  return make('option', { value: type }, type)
}
