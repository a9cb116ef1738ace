import type { ProjectSummary } from 'foldgate/client'
import { type KeyedClient, LARGEST_PAGE } from './access.js'
import { find, make } from './dom.js'
import { recall, remember } from './tab.js'

/**
 * Fills the list of projects, reading all its pages, and calls `onChoose`
 * for the first choice and each later one. Returns whether there is a project.
 */
export async function chooseProject(
  { client, projects: first }: Pick<KeyedClient, 'client' | 'projects'>,
  onChoose: (projectId: string) => void,
): Promise<boolean> {
  const field = find('project')
  const option = (project: ProjectSummary) => optionOf(project, field.dataset)
  field.replaceChildren(...first.items.map(option))
  field.disabled = first.items.length === 0
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
  const readable = first.items.find(({ state }) => state === 'computed')
  let isChosen = choose(first.items)
  if (!isChosen && readable) field.value = readable.projectId
  if (field.value !== '') onChoose(field.value)
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const { items, nextCursor } = await client.list({ page: { limit: LARGEST_PAGE, cursor } })
    field.append(...items.map(option))
    if (!isChosen && choose(items)) {
      isChosen = true
      onChoose(field.value)
    }
    cursor = nextCursor
  }
  return field.options.length > 0
}

/** The list has the words for the states of projects that have nothing to read. */
function optionOf(
  { projectId, name, organization, state }: ProjectSummary,
  { [state]: word }: DOMStringMap,
): HTMLOptionElement {
  const about = word ? `${organization}, ${word}` : organization
  return make('option', { value: projectId, 'data-organization': organization }, `${name} (${about})`)
}
