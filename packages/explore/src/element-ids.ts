/**
 * Elements of the query page by id, each with its tag. Markup and script name elements by these ids alone, so
 * that an id that the page does not have does not compile.
 */
export const ELEMENTS = {
  // What asks for a key.
  'key-ask-section': 'section',
  'access-title': 'h2',
  'key-ask': 'fieldset',
  'key-form': 'form',
  key: 'input',
  'key-shown': 'input',
  'key-came': 'p',
  'key-problem': 'p',
  'key-hint': 'p',
  // The bar: project, snapshot and key.
  bar: 'div',
  project: 'select',
  sealed: 'details',
  'sealed-told': 'summary',
  'sealed-about': 'div',
  snapshot: 'select',
  'key-menu': 'details',
  made: 'div',
  'made-key': 'textarea',
  forget: 'button',
  // The workspace, and the pane of the query.
  workspace: 'div',
  'split-asking': 'div',
  'split-shelf': 'div',
  asking: 'section',
  'asking-title': 'h2',
  sql: 'div',
  dialect: 'span',
  parameters: 'fieldset',
  'parameter-list': 'div',
  run: 'button',
  check: 'button',
  stop: 'button',
  status: 'p',
  'examples-menu': 'details',
  examples: 'ul',
  'queries-menu': 'details',
  'history-told': 'p',
  history: 'ul',
  'history-clear': 'button',
  share: 'button',
  'fold-shelf': 'button',
  refusal: 'div',
  checked: 'div',
  hints: 'div',
  // The pane of the results.
  results: 'section',
  'fold-asking': 'button',
  'results-title': 'h2',
  tabs: 'div',
  'tab-table': 'button',
  'tab-chart': 'button',
  'tab-map': 'button',
  'tab-json': 'button',
  'tab-call': 'button',
  'tab-compare': 'button',
  'copy-menu': 'details',
  'copy-escape': 'input',
  'copy-escape-hint': 'p',
  'copy-sheet': 'button',
  'copy-csv': 'button',
  'copy-markdown': 'button',
  format: 'select',
  export: 'button',
  'export-escaping': 'label',
  'export-escape': 'input',
  exporting: 'div',
  'export-said': 'p',
  'export-progress': 'progress',
  'export-stop': 'button',
  'export-again': 'a',
  newer: 'div',
  'newer-told': 'p',
  'newer-read': 'button',
  earlier: 'div',
  'run-again': 'button',
  idle: 'div',
  'panel-table': 'div',
  scroll: 'div',
  rows: 'table',
  'panel-chart': 'div',
  'panel-map': 'div',
  'panel-json': 'div',
  'copy-json': 'button',
  json: 'pre',
  'panel-call': 'div',
  'call-in': 'select',
  'copy-call': 'button',
  'call-about': 'p',
  call: 'pre',
  'panel-compare': 'div',
  'compare-with': 'select',
  compare: 'button',
  'compare-said': 'p',
  'compare-scroll': 'div',
  compared: 'table',
  turning: 'span',
  previous: 'button',
  next: 'button',
  count: 'button',
  'draw-all': 'button',
  filter: 'input',
  sorted: 'p',
  timing: 'p',
  limit: 'select',
  // The pane of the relations.
  shelf: 'section',
  'shelf-title': 'h2',
  reading: 'p',
  'relations-fold': 'details',
  find: 'input',
  relations: 'div',
} as const

/** As {@link ELEMENTS}: what creates a key, where the host does. */
export const KEY_ELEMENTS = { 'make-key': 'form' } as const

/** As {@link ELEMENTS}: saved queries, where the host keeps them. */
export const QUERY_ELEMENTS = {
  'save-query': 'form',
  'save-name': 'input',
  'save-for': 'select',
  save: 'button',
  'save-problem': 'p',
  'saved-told': 'p',
  saved: 'ul',
  'saved-more': 'button',
} as const

/** As {@link ELEMENTS}: the point of view, which only catalogues with a tree of ownership have. */
export const VIEW_ELEMENTS = {
  'view-menu': 'details',
  'view-told': 'span',
  entity: 'input',
  'entity-list': 'ul',
  'entity-hint': 'p',
  net: 'input',
  gross: 'input',
  'ownership-hint': 'p',
} as const

/** The tag of each id. */
export type Tags = typeof ELEMENTS & typeof KEY_ELEMENTS & typeof QUERY_ELEMENTS & typeof VIEW_ELEMENTS

/** An id of the page, for markup. */
export function id(id: keyof Tags): string {
  return id
}
