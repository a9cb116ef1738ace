import {
  classOf,
  complaintOf,
  dataOf,
  isFailure,
  mayWork,
  messageOf,
  placeOf,
  whenToRetry,
} from './call-failure.js'
import { find, findOffered, make, onClick, show } from './dom.js'
import type { Editor } from './editor.js'
import type { ParameterFields } from './parameter-fields.js'
import { folded, lexemesOf, nameIn, offsetOf, quoted, spanAt } from './sql.js'

/** The message about a failure, beside the query. */
export interface RefusalBox {
  /**
   * Shows the failure of a call, at its field if it is about a parameter, and marks its place if the editor has `sql`, the
   * statement that was sent. Any other error is a bug of this page and is rethrown.
   */
  tell(error: unknown, retry: () => void, sql?: string): void
  clear(): void
}

/** What the API says of a failure. */
interface Told {
  message: string
  data: Readonly<Record<string, unknown>>
}

const PARAMETER = /^parameters\.(\w+)$/

/** Manages the message beside the query and the mark in it. */
export function refusals(
  editor: Editor,
  fields: ParameterFields,
  { onKeyLost, onSnapshotGone }: { onKeyLost: (words: string) => void; onSnapshotGone: () => void },
): RefusalBox {
  const box = find('refusal')
  const entity = findOffered('entity')

  function clear(): void {
    editor.mark({ marked: [] })
    fields.calm()
    entity?.removeAttribute('aria-invalid')
    box.replaceChildren()
    show(false, box)
  }

  /** The button disappears with the message, so the focus moves to the Run button. */
  function again(retry: () => void): void {
    find('run').focus()
    clear()
    retry()
  }

  return {
    clear,
    tell(error, retry, sql = '') {
      if (!isFailure(error)) throw error
      clear()
      const [data, failureClass] = [dataOf(error), classOf(error)]
      const message = messageOf(error)
      if (failureClass === 'UNAUTHENTICATED')
        return onKeyLost(`${message} Use another one to go on: your query is kept.`)
      const [, parameter] = PARAMETER.exec(String(data.path)) ?? []
      if (parameter !== undefined && fields.complain(parameter, message)) return
      if (failureClass === 'NOT_FOUND' || data.path === 'entityId')
        entity?.setAttribute('aria-invalid', 'true')
      const place = sql === editor.text() ? placeOf(error) : null
      const span = place && spanAt(sql, offsetOf(sql, place))
      if (span) editor.mark({ marked: [span] })
      const words: HTMLElement[] = [make('p', { class: 'complaint' }, complaintOf(error))]
      const more = [data.hint, whenToRetry(error, new Date()), referenceIn(data, message)]
      for (const line of more) if (typeof line === 'string') words.push(make('p', {}, line))
      const fix = span && fixOf({ message, data }, sql.slice(span.start, span.end))
      if (span && fix !== null) words.push(button(`Replace with ${fix}`, () => editor.replace(span, fix)))
      if (data.path === 'snapshot')
        words.push(button('Read the newest snapshot', () => again(onSnapshotGone)))
      if (place && span)
        words.push(button(`Go to line ${place.line}, column ${place.column}`, () => editor.select(span)))
      else if (mayWork(error)) words.push(button('Try again', () => again(retry)))
      box.replaceChildren(...words)
      show(true, box)
    },
  }
}

function button(words: string, work: () => void): HTMLElement {
  const element = make('button', { type: 'button', class: 'small' }, words)
  onClick(element, work)
  return make('p', {}, element)
}

function referenceIn({ reference }: Told['data'], message: string): string | null {
  return typeof reference === 'string' && !message.includes(reference) ? `Reference: ${reference}` : null
}

/**
 * What to write in the place of the marked text: the name that the hint gives, or the only candidate of the
 * engine that differs by a slip. Null unless the marked text is exactly the name that the failure is about.
 */
export function fixOf({ message, data }: Told, marked: string): string | null {
  const [lexeme, ...others] = lexemesOf(marked)
  if (!lexeme || others.length > 0 || (lexeme.kind !== 'word' && lexeme.kind !== 'name')) return null
  const wrong = folded(nameIn(lexeme))
  if (data.rule === 'engine') {
    const [, column, candidates = ''] = MISSING_COLUMN.exec(message) ?? []
    if (column === undefined || folded(column) !== wrong) return null
    const near = [...candidates.matchAll(/"([^"]+)"/g)].flatMap(([, name = '']) =>
      isSlip(wrong, name) ? [name] : [],
    )
    return near.length === 1 && near[0] ? quoted(near[0]) : null
  }
  const { hint, name } = data
  if (typeof hint !== 'string' || typeof name !== 'string' || folded(name) !== wrong) return null
  if (data.rule === 'type') return /^Did you mean ([A-Z][A-Z0-9_ ]*)\?$/.exec(hint)?.[1] ?? null
  const near = /^Did you mean "([^"]+)"\?$/.exec(hint)?.[1]
  if (data.rule === 'relation') return near ? quoted(near) : null
  if (data.rule === 'function') return near ?? /^Use (\w+)\.$/.exec(hint)?.[1] ?? null
  return null
}

const MISSING_COLUMN = /Referenced column "([^"]+)" not found in FROM clause!\s*Candidate bindings: ([^(\n]*)/

/**
 * Whether two names differ in one place only, by two characters
 * at most: the engine also suggests unrelated columns.
 */
function isSlip(wrong: string, candidate: string): boolean {
  const right = folded(candidate)
  const shorter = Math.min(wrong.length, right.length)
  let head = 0
  while (head < shorter && wrong[head] === right[head]) head++
  let tail = 0
  while (tail < shorter - head && wrong.at(-1 - tail) === right.at(-1 - tail)) tail++
  const longer = Math.max(wrong.length, right.length)
  return longer - head - tail <= 2 && 2 * (head + tail) >= longer
}
