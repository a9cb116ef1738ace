import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const MONOSPACE = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'
const FLOATING = {
  background: 'var(--card)',
  color: 'var(--ink)',
  border: '1px solid var(--edge)',
  borderRadius: '0.5rem',
  boxShadow: '0 0.5rem 1.5rem rgb(0 0 0 / 0.18)',
}

/**
 * The looks of the editor. Rules of the page do not reach
 * it, but custom properties do, for both colour schemes.
 */
const THEME = EditorView.theme({
  '&': { flex: '1 1 auto', minHeight: '0', color: 'var(--ink)', fontSize: 'var(--editor-size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: MONOSPACE,
    fontVariantLigatures: 'none',
    lineHeight: '1.6',
    overscrollBehaviorX: 'contain',
  },
  '.cm-content': { minHeight: '100%', padding: '0.625rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.75rem 0 0.5rem' },
  '.cm-gutters': { background: 'none', color: 'var(--soft)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': {
    minWidth: '2.75rem',
    padding: '0 0.5rem 0 0.5rem',
    fontSize: '0.8125rem',
    lineHeight: 'calc(1.6 * var(--editor-size))',
  },
  '.cm-content ::selection, .cm-line::selection': {
    background: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket, .cm-matchingBracket': {
    background: 'var(--tint)',
    outline: '1px solid var(--edge)',
  },
  '&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket': {
    background: 'none',
    color: 'var(--danger)',
  },
  '.marked, .marked *': { color: 'var(--ink)' },
  '.marked': {
    background: 'var(--mark)',
    borderRadius: '2px',
    textDecoration: 'underline wavy var(--danger)',
    textUnderlineOffset: '0.2em',
  },
  '.hinted': { textDecoration: 'underline wavy var(--amber)', textUnderlineOffset: '0.2em' },

  '.cm-tooltip': FLOATING,
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: MONOSPACE,
    fontSize: '0.875rem',
    maxHeight: '16rem',
    padding: '0.25rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: '1rem',
    alignItems: 'center',
    justifyContent: 'space-between',
    minHeight: '1.75rem',
    padding: '0 0.5rem',
    borderRadius: '0.375rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--tint)',
    color: 'var(--accent)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { margin: '0', color: 'var(--soft)', fontStyle: 'normal', fontSize: '0.75rem' },
  '.cm-tooltip-hover .cm-tooltip-section': {
    padding: '0.5rem 0.75rem',
    maxWidth: '24rem',
    fontSize: '0.875rem',
  },
  '.cm-tooltip-hover p': { margin: '0.25rem 0 0' },
  '.cm-tooltip.cm-completionInfo': { padding: '0.5rem 0.75rem', maxWidth: '20rem', fontSize: '0.875rem' },

  '.cm-panels': { background: 'var(--sunk)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    gap: '0.5rem',
    alignItems: 'center',
    padding: '0.625rem 2.75rem 0.625rem 0.75rem',
    font: 'inherit',
  },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    gap: '0.375rem',
    alignItems: 'center',
    minHeight: '1.75rem',
    fontSize: '0.875rem',
  },
  '.cm-panel.cm-search input[type=checkbox]': {
    width: '1.125rem',
    height: '1.125rem',
    margin: '0',
    accentColor: 'var(--accent)',
  },
  '.cm-panel.cm-search :is(input, button, label)': { boxSizing: 'border-box', margin: '0' },
  '.cm-textfield': {
    flex: '1 1 12rem',
    minWidth: '0',
    minHeight: '2.25rem',
    padding: '0.25rem 0.625rem',
    background: 'var(--card)',
    color: 'inherit',
    border: '1px solid var(--edge)',
    borderRadius: '0.375rem',
    font: 'inherit',
    fontSize: 'var(--editor-size)',
  },
  '.cm-button': {
    minHeight: '2.25rem',
    padding: '0.25rem 0.75rem',
    background: 'var(--card)',
    backgroundImage: 'none',
    color: 'var(--ink)',
    border: '1px solid var(--edge)',
    borderRadius: '0.375rem',
    font: 'inherit',
    fontSize: '0.875rem',
    cursor: 'pointer',
  },
  '.cm-button:active': { backgroundImage: 'none' },
  '.cm-button:hover': { borderColor: 'var(--accent)', color: 'var(--accent)' },
  '.cm-panel.cm-search [name=close]': {
    top: '0.75rem',
    right: '0.5rem',
    width: '2rem',
    height: '2rem',
    color: 'inherit',
    borderRadius: '0.375rem',
    fontSize: '1.25rem',
    cursor: 'pointer',
  },
  '.cm-panels :focus-visible': { outline: '3px solid var(--accent)', outlineOffset: '1px' },
  '.cm-searchMatch': { background: 'var(--amber-tint)', outline: '1px solid var(--amber)' },
  '.cm-searchMatch-selected': { background: 'var(--mark)' },
  '.cm-selectionMatch': { background: 'var(--tint)' },
  '.cm-panel.cm-gotoLine': { padding: '0.625rem 0.75rem' },
  '@media (forced-colors: active)': {
    '.cm-completionDetail': { color: 'inherit' },
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
      background: 'Highlight',
      color: 'HighlightText',
      forcedColorAdjust: 'none',
    },
    '.cm-searchMatch-selected': {
      background: 'Highlight',
      color: 'HighlightText',
      forcedColorAdjust: 'none',
    },
  },
})

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: 'var(--sql-keyword)' },
  { tag: tags.typeName, color: 'var(--sql-keyword)' },
  { tag: tags.string, color: 'var(--sql-string)' },
  { tag: tags.number, color: 'var(--sql-number)' },
  { tag: tags.special(tags.string), color: 'var(--sql-name)' },
  {
    tag: [tags.comment, tags.operator, tags.punctuation, tags.paren, tags.squareBracket, tags.brace],
    color: 'var(--soft)',
  },
])

/** Colours and measures of the editor. */
export const LOOKS = [THEME, syntaxHighlighting(COLOURS)]
