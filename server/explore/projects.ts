import type { ProjectState, ProjectSummary } from 'foldgate'
import { LARGEST_PAGE, type Projects } from './access.js'
import type { Api } from './api.js'
import { counted, find, make, show } from './dom.js'
import { recall, remember } from './tab.js'

const STATES: Record<ProjectState, string> = {
  computed: '',
  computing: 'being assessed',
  notComputed: 'not assessed',
}

/**
 * Fills the list of projects, reading all its pages, and calls `onChoose` for the first choice and each later one.
 * Returns whether there is one.
 */
export async function chooseProject(
  api: Api,
  first: Projects,
  onChoose: (projectId: string) => void,
): Promise<boolean> {
  const field = find('project', HTMLSelectElement)
  field.replaceChildren(...first.result.items.map(option))
  field.disabled = first.result.items.length === 0
  field.onchange = () => {
    remember('project', field.value)
    onChoose(field.value)
  }
  const wanted = recall('project')
  const choose = (items: readonly ProjectSummary[]) => {
    const chosen = items.find(({ projectId }) => projectId === wanted)
    if (chosen) field.value = chosen.projectId
    return chosen !== undefined
  }
  const readable = first.result.items.find(({ state }) => state === 'computed')
  let isChosen = choose(first.result.items)
  if (!isChosen && readable) field.value = readable.projectId
  if (field.value !== '') onChoose(field.value)
  for (let cursor = first.result.nextCursor; cursor !== undefined; ) {
    const { result } = await api.call('projects/list', { page: { limit: LARGEST_PAGE, cursor } })
    field.append(...result.items.map(option))
    if (!isChosen && choose(result.items)) {
      isChosen = true
      onChoose(field.value)
    }
    cursor = result.nextCursor
  }
  return field.options.length > 0
}

function option({ projectId, name, organization, state }: ProjectSummary): HTMLOptionElement {
  const about = [organization, STATES[state]].filter(word => word !== '').join(', ')
  return make('option', { value: projectId, 'data-organization': organization }, `${name} (${about})`)
}

/** Shows when the newest snapshot of a project was sealed, its id and its warnings. */
export async function showSealed(api: Api, projectId: string, signal: AbortSignal): Promise<void> {
  const menu = find('sealed', HTMLDetailsElement)
  show(false, menu)
  menu.open = false
  const sealed = await api.sealed(projectId, signal).catch(() => null)
  if (signal.aborted || !sealed?.sealedAt) return
  const { snapshotId, sealedAt, warnings } = sealed
  const day = sealedAt.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
  const warned = warnings.length > 0 ? ` · ${counted(warnings.length, 'warning')}` : ''
  const word = make('span', { class: 'sealed-word' }, 'Sealed ')
  find('sealed-told', HTMLElement).replaceChildren(word, day + warned)
  const at = sealedAt.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })
  const facts = make('p', {}, `Every query reads the snapshot that was sealed on ${at}: it never changes.`)
  const id = make('p', { class: 'hint' }, 'Snapshot ', make('code', {}, snapshotId ?? ''))
  const items = warnings.map(({ table, column, message }) =>
    make('li', {}, make('code', {}, column === undefined ? table : `${table}.${column}`), `: ${message}`),
  )
  const list =
    items.length > 0
      ? [make('h3', {}, `Sealed with ${counted(items.length, 'warning')}`), make('ul', {}, ...items)]
      : []
  find('sealed-about', HTMLElement).replaceChildren(facts, id, ...list)
  show(true, menu)
}
