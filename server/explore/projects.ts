import type { ProjectState, ProjectSummary } from 'foldgate'
import { LARGEST_PAGE, type Projects } from './access.js'
import type { Api } from './api.js'
import { find, make, show } from './dom.js'
import { recall, remember } from './tab.js'

const STATES: Record<ProjectState, string> = {
  computed: '',
  computing: 'being assessed',
  notComputed: 'not assessed',
}

/** Fills the list of projects, reading all its pages, and calls `onChoose` for the first choice and each later one. */
export async function chooseProject(api: Api, first: Projects, onChoose: (projectId: string) => void): Promise<void> {
  const field = find('project', HTMLSelectElement)
  const empty = find('project-empty', HTMLElement)
  field.replaceChildren(...first.result.items.map(option))
  show(first.result.items.length === 0, empty)
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
}

function option({ projectId, name, organization, state }: ProjectSummary): HTMLOptionElement {
  const about = [organization, STATES[state]].filter(word => word !== '').join(', ')
  return make('option', { value: projectId }, `${name} (${about})`)
}
