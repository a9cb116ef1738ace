import { find } from './dom.js'
import { painter } from './paint.js'
import { offsetOf, type Place, spanAt, type TextSpan } from './place.js'
import { recall, remember } from './tab.js'
import { tokensOf } from './tokens.js'

/** The field for SQL: a plain text area, with the same text in colours behind it. */
export interface Editor {
  text(): string
  /** Puts another text in place of the whole, as something that can be undone; the focus stays where it is. */
  write(text: string): void
  /** Puts a text where the caret is. */
  insert(text: string): void
  /** Marks a place as wrong, until the text changes; null takes the mark away. */
  mark(place: Place | null): void
  /** Selects what is marked. */
  goToMark(): void
}

/** Takes charge of the field on the page; Ctrl+Enter and Cmd+Enter run what is in it. */
export function openEditor(onRun: () => void, onChange: () => void): Editor {
  const field = find('sql', HTMLTextAreaElement)
  const paint = painter(find('painted', HTMLPreElement))
  let marked: TextSpan | null = null

  const repaint = () => paint(tokensOf(field.value), marked)
  const unmark = () => {
    marked = null
    field.removeAttribute('aria-invalid')
  }

  /** The old command is the one way that undo knows of. */
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
