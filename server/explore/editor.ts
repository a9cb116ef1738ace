import { find } from './dom.js'
import { painter } from './paint.js'
import { offsetOf, type Place, spanAt, type TextSpan } from './place.js'
import { recall, remember } from './tab.js'
import { tokensOf } from './tokens.js'

/** The SQL field: a plain text area, with the same text highlighted behind it. */
export interface Editor {
  text(): string
  /** Replaces the whole text, in a way that can be undone; the focus stays where it is. */
  write(text: string): void
  /** Inserts text at the caret. */
  insert(text: string): void
  /** Marks the error at a place until the text changes; null removes the mark. */
  mark(place: Place | null): void
  /** Selects the marked text. */
  goToMark(): void
}

/** Manages the SQL field. Ctrl+Enter and Cmd+Enter call `onRun`. */
export function openEditor(onRun: () => void, onChange: () => void): Editor {
  const field = find('sql', HTMLTextAreaElement)
  const paint = painter(find('painted', HTMLPreElement))
  let marked: TextSpan | null = null

  const repaint = () => paint(tokensOf(field.value), marked)
  const unmark = () => {
    marked = null
    field.removeAttribute('aria-invalid')
  }

  /** Uses the deprecated execCommand, because only its edits can be undone. */
  function put(text: string): void {
    field.focus()
    if (text === '' || !document.execCommand('insertText', false, text)) {
      field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
      field.dispatchEvent(new Event('input'))
    }
  }

  field.addEventListener('input', () => {
    unmark()
    repaint()
    remember('sql', field.value)
    onChange()
  })
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onRun()
  })
  field.value = recall('sql') ?? ''
  repaint()

  return {
    text: () => field.value,
    write(text) {
      const focused = document.activeElement
      field.focus({ preventScroll: true })
      field.select()
      put(text)
      field.setSelectionRange(0, 0)
      if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
    },
    insert: put,
    mark(place) {
      unmark()
      if (place) {
        marked = spanAt(tokensOf(field.value), offsetOf(field.value, place))
        field.setAttribute('aria-invalid', 'true')
      }
      repaint()
    },
    goToMark() {
      field.focus()
      if (marked) field.setSelectionRange(marked.start, marked.end)
    },
  }
}
