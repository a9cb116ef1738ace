import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView } from '@codemirror/view'
import type { TextSpan } from './sql.js'

const MARKED = Decoration.mark({ class: 'marked' })

/** Moves the mark; null removes it. */
export const setMark = StateEffect.define<TextSpan | null>()

/** The mark of an error, which an edit removes. */
export const errorMark = StateField.define<TextSpan | null>({
  create: () => null,
  update(value, transaction) {
    const next = transaction.effects.findLast(effect => effect.is(setMark))
    if (next) return next.value
    return transaction.docChanged ? null : value
  },
  provide: field => [
    EditorView.decorations.from(field, value =>
      value ? Decoration.set(MARKED.range(value.start, value.end)) : Decoration.none,
    ),
    EditorView.contentAttributes.compute(
      [field],
      (state): Record<string, string> => (state.field(field) ? { 'aria-invalid': 'true' } : {}),
    ),
  ],
})

/**
 * Replaces a selection in the editor's state instead of letting the browser edit the
 * page: Chromium would keep the colours of the replaced text in `style` attributes, which
 * the page's policy blocks. Text that comes as a whole, from dictation or a clipboard,
 * goes the same way, so that it does not open the completion that single keys open.
 */
export const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType.startsWith('format')) {
      event.preventDefault()
      return true
    }
    if (!event.cancelable || event.isComposing || view.composing) return false
    const edit = editOf(event)
    if (!edit || (view.state.selection.main.empty && !edit.isWhole)) return false
    event.preventDefault()
    view.dispatch(view.state.replaceSelection(edit.text), { userEvent: edit.userEvent, scrollIntoView: true })
    return true
  },
})

/** What an event puts in the place of the selection; null for an event that CodeMirror handles. */
function editOf({
  inputType,
  data,
}: InputEvent): { text: string; userEvent: string; isWhole: boolean } | null {
  if (inputType === 'insertText' && data !== null) {
    const isWhole = [...data].length > 1
    return { text: data, userEvent: isWhole ? 'input' : 'input.type', isWhole }
  }
  if (inputType === 'insertLineBreak' || inputType === 'insertParagraph')
    return { text: '\n', userEvent: 'input', isWhole: false }
  if (inputType.startsWith('delete') && inputType !== 'deleteByDrag')
    return { text: '', userEvent: 'delete.selection', isWhole: false }
  return null
}
