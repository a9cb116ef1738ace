import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionKeymap,
  selectedCompletion,
} from '@codemirror/autocomplete'
import {
  defaultKeymap,
  history,
  historyKeymap,
  insertNewlineKeepIndent,
  isolateHistory,
} from '@codemirror/commands'
import { PostgreSQL, SQLDialect } from '@codemirror/lang-sql'
import { bracketMatching } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, Prec } from '@codemirror/state'
import { EditorView, type KeyBinding, keymap, lineNumbers } from '@codemirror/view'
import { complete, NO_WORDS, type Vocabulary } from './complete.js'
import { find } from './dom.js'
import { type Marks, marks, replacing, setMarks } from './editor-extensions.js'
import { LOOKS } from './editor-theme.js'
import { explaining } from './explain.js'
import { KEYWORDS, TYPES } from './keywords.js'
import type { TextSpan } from './sql.js'
import { recall, remember } from './tab.js'

/** The SQL field. */
export interface Editor {
  text(): string
  /** Replaces the whole text, undoable; the focus stays where it is. */
  write(text: string): void
  /** Inserts text at the caret and focuses the editor. */
  insert(text: string): void
  /** Underlines these spans, in place of others of their class, until the text changes. */
  mark(marks: Partial<Marks>): void
  /** Selects a span and focuses the editor. */
  select(span: TextSpan): void
  /** Replaces a span, undoable, and focuses the editor. */
  replace(span: TextSpan, text: string): void
  /** Sets what completion offers. */
  learn(words: Vocabulary): void
}

/** Names of the functions that statements may call; the bundle has the list in its place. */
declare const GUARD_FUNCTIONS: readonly string[]

const DIALECT = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords: KEYWORDS.join(' '),
  types: TYPES.join(' '),
  operatorChars: '+-*/<>=~!@#%^&|',
  charSetCasts: false,
  caseInsensitiveIdentifiers: true,
})

const HELP =
  'Control Enter runs the query, Control Shift Enter checks it, Control Space completes a word, Control F finds text, ' +
  'Tab leaves the field.'
const PHRASES = {
  next: 'Next',
  previous: 'Previous',
  all: 'All',
  'match case': 'Match case',
  regexp: 'Regexp',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
}

/** What the SQL field calls: on Ctrl+Enter, on Ctrl+Shift+Enter (or Cmd for Ctrl), and with each new text. */
interface EditorEvents {
  onRun: () => void
  onCheck: () => void
  onChange: (text: string) => void
}

/** Manages the SQL field. */
export function openEditor({ onRun, onCheck, onChange }: EditorEvents): Editor {
  const host = find('sql')
  // Within a shadow root CodeMirror adopts its style sheets;
  // in the page it would add elements that the policy blocks.
  const root = host.attachShadow({ mode: 'open' })
  let words: Vocabulary = NO_WORDS

  const asking = (ask: () => void) => (view: EditorView) => {
    closeCompletion(view)
    ask()
    return true
  }
  const [run, shift] = [asking(onRun), asking(onCheck)]
  const keys: KeyBinding[] = [
    { key: 'Ctrl-Enter', run, shift },
    { key: 'Meta-Enter', run, shift },
    { key: 'Enter', run: acceptOther },
    ...completionKeymap.filter(({ key }) => key !== 'Enter'),
  ]
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: recall('sql') ?? '',
      extensions: [
        Prec.highest(keymap.of(keys)),
        keymap.of([
          { key: 'Enter', run: insertNewlineKeepIndent, shift: insertNewlineKeepIndent },
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        DIALECT.extension,
        lineNumbers(),
        history(),
        bracketMatching(),
        search({ top: true }),
        autocompletion({
          defaultKeymap: false,
          icons: false,
          override: [
            ({ state, pos, explicit }) =>
              complete({ sql: state.doc.toString(), at: pos, isAsked: explicit }, words, GUARD_FUNCTIONS),
          ],
        }),
        explaining(() => words),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          tabindex: '0',
          'aria-label': 'SQL',
          'aria-description': HELP,
          autocapitalize: 'off',
          autocorrect: 'off',
          spellcheck: 'false',
        }),
        EditorState.phrases.of(PHRASES),
        marks,
        replacing,
        LOOKS,
        EditorView.updateListener.of(({ state, docChanged }) => {
          host.classList.toggle('wrong', state.field(marks).marked.length > 0)
          if (!docChanged) return
          const text = state.doc.toString()
          remember('sql', text)
          onChange(text)
        }),
      ],
    }),
  })

  return {
    text: () => view.state.doc.toString(),
    write(text) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
        annotations: isolateHistory.of('full'),
        userEvent: 'input',
        scrollIntoView: true,
      })
    },
    insert(text) {
      view.focus()
      view.dispatch(view.state.replaceSelection(text), { userEvent: 'input', scrollIntoView: true })
    },
    mark(spans) {
      view.dispatch({ effects: setMarks.of(spans) })
    },
    select({ start, end }) {
      view.focus()
      view.dispatch({ selection: { anchor: start, head: end }, scrollIntoView: true })
    },
    replace({ start, end }, text) {
      view.focus()
      view.dispatch({
        changes: { from: start, to: end, insert: text },
        selection: { anchor: start + text.length },
        annotations: isolateHistory.of('full'),
        userEvent: 'input',
        scrollIntoView: true,
      })
    },
    learn(vocabulary) {
      words = vocabulary
    },
  }
}

/** Accepts the selected completion, unless its text is already there: then Enter ends the line. */
function acceptOther(view: EditorView): boolean {
  const selected = selectedCompletion(view.state)
  if (!selected) return false
  const { head } = view.state.selection.main
  const written = view.state.sliceDoc(Math.max(0, head - selected.label.length), head)
  if (selected.apply !== undefined || written.toLowerCase() !== selected.label.toLowerCase())
    return acceptCompletion(view)
  closeCompletion(view)
  return false
}
