import type { ProjectDescription, RelationSummary } from 'foldgate'
import type { Api } from './api.js'
import { find, make, onClick } from './dom.js'
import type { Editor } from './editor.js'
import { Failure, isStopped } from './failure.js'
import { nameOf } from './names.js'

const KINDS: readonly [RelationSummary['kind'], string, string][] = [
  ['fold', 'Computed', 'for your point of view'],
  ['table', 'Tables', 'as stored'],
]

/** What the list of relations needs. */
export interface Shelf {
  api: Api
  projectId: string
  editor: Editor
  signal: AbortSignal
  /** Runs the query in the editor. */
  run: () => void
}

/** Lists the relations that a query may read. The columns of a relation are loaded when it is opened. */
export function listRelations({ relations }: ProjectDescription, shelf: Shelf): void {
  const groups = KINDS.map(([kind, title, about]) => {
    const own = relations.filter(relation => relation.kind === kind)
    if (own.length === 0) return ''
    return make(
      'section',
      {},
      make('h3', {}, title, ' ', make('span', { class: 'soft' }, about)),
      make('ul', { class: 'relations' }, ...own.map(relation => make('li', {}, entry(relation, shelf)))),
    )
  })
  find('relations', HTMLElement).replaceChildren(...groups)
}

function entry({ name, about }: RelationSummary, shelf: Shelf): HTMLElement {
  const columns = make('div', { class: 'columns-of' })
  const look = make('button', { type: 'button', class: 'small' }, 'Show its rows')
  onClick(look, () => {
    shelf.editor.write(`SELECT *\nFROM ${nameOf(name)}\nLIMIT 100`)
    find('asking', HTMLElement).scrollIntoView({ block: 'nearest' })
    shelf.run()
  })
  const fold = make('details', {}, make('summary', {}, make('code', {}, name)))
  if (about) fold.append(make('p', { class: 'hint' }, about))
  fold.append(columns, look)
  let isAsked = false
  fold.addEventListener('toggle', () => {
    if (!fold.open || isAsked) return
    isAsked = true
    void fill(columns, name, shelf).then(isFilled => {
      isAsked = isFilled
    })
  })
  return fold
}

async function fill(place: HTMLElement, relation: string, { api, projectId, editor, signal }: Shelf): Promise<boolean> {
  place.replaceChildren(make('p', { class: 'hint', role: 'status' }, 'Loading its columns …'))
  try {
    const { result } = await api.call('projects/describe', { projectId, relation }, signal)
    const rows = (result.columns ?? []).map(({ name, type }) => {
      const button = make('button', { type: 'button', class: 'column' }, make('code', {}, name))
      button.title = 'Insert into the query'
      onClick(button, () => editor.insert(nameOf(name)))
      return make('li', {}, button, make('span', { class: 'type' }, type))
    })
    place.replaceChildren(make('ul', { class: 'columns-list', 'aria-label': `Columns of ${relation}` }, ...rows))
    return true
  } catch (error) {
    if (isStopped(error)) return false
    if (!(error instanceof Failure)) throw error
    place.replaceChildren(
      make('p', { class: 'problem', role: 'alert' }, `${error.message} Close and reopen it to try again.`),
    )
    return false
  }
}
