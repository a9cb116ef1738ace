import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView } from '@codemirror/view'
import type { TextSpan } from './sql.js'

/** What is underlined in the statement, by the class of the underline. */
export interface Marks {
  /** Where the statement was refused. */
  marked: readonly TextSpan[]
  /** What hints are about. */
  hinted: readonly TextSpan[]
}

const NO_MARKS: Marks = { marked: [], hinted: [] }

/** Moves the marks of these classes. */
export const setMarks = StateEffect.define<Partial<Marks>>()

/** The marks, which an edit removes. */
export const marks = StateField.define<Marks>({
  create: () => NO_MARKS,
  update(value, { docChanged, effects }) {
    const moved = effects.flatMap(effect => (effect.is(setMarks) ? [effect.value] : []))
    return Object.assign({}, docChanged ? NO_MARKS : value, ...moved)
  },
  provide: field => [
    EditorView.decorations.from(field, all =>
      Decoration.set(
        Object.entries(all).flatMap(([name, spans]: [string, Marks['marked']]) =>
          spans.map(({ start, end }) => Decoration.mark({ class: name }).range(start, end)),
        ),
        true,
      ),
    ),
    EditorView.contentAttributes.compute(
      [field],
      (state): Record<string, string> =>
        state.field(field).marked.length > 0 ? { 'aria-invalid': 'true' } : {},
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
