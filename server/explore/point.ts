import type { OwnershipView, RelationSummary } from 'foldgate'
import { LARGEST_PAGE } from './access.js'
import type { Api } from './api.js'
import { find, make } from './dom.js'
import { Failure, isStopped } from './failure.js'
import { recall, remember } from './tab.js'

const RELATION = 'entities'
const ENTITIES = `SELECT DISTINCT entity_id, name FROM ${RELATION} ORDER BY name, entity_id`
const WHOLE = 'The id of an entity. Leave it empty for the whole project.'

/** The point of view of queries. */
export interface PointOfView {
  /** The fields as params; the id is trimmed. */
  read(): { entityId?: string; ownershipView: OwnershipView }
  /** Suggests the entities of a project, if it has a relation with their names. */
  offer(api: Api, projectId: string, relations: readonly RelationSummary[], signal: AbortSignal): Promise<void>
  /** Removes the suggestions and, for another project, the entity. */
  clear(isOtherProject: boolean): void
}

/** Manages the fields of the point of view. */
export function pointOfView(): PointOfView {
  const field = find('entity', HTMLInputElement)
  const hint = find('entity-hint', HTMLElement)
  const list = find('entities', HTMLDataListElement)
  const views = [find('net', HTMLInputElement), find('gross', HTMLInputElement)]
  const names = new Map<string, string>()

  function tell(): void {
    hint.textContent = names.get(field.value.trim().toLowerCase()) ?? WHOLE
  }
  field.addEventListener('input', () => {
    field.removeAttribute('aria-invalid')
    remember('entity', field.value)
    tell()
  })
  for (const view of views) view.addEventListener('change', () => remember('ownership', view.value))
  field.value = recall('entity') ?? ''
  for (const view of views) view.checked = view.value === (recall('ownership') ?? 'net')

  return {
    read() {
      const entityId = field.value.trim()
      const ownershipView = views.find(view => view.checked)?.value === 'gross' ? 'gross' : 'net'
      return entityId === '' ? { ownershipView } : { entityId, ownershipView }
    },
    async offer(api, projectId, relations, signal) {
      if (!relations.some(({ name }) => name === RELATION)) return
      const params = { projectId, sql: ENTITIES, ownershipView: 'net', page: { limit: LARGEST_PAGE } } as const
      try {
        const { result } = await api.call('projects/query', params, signal)
        for (const { entity_id: id, name } of result.items) names.set(String(id).toLowerCase(), String(name ?? id))
        list.replaceChildren(...[...names].map(([id, name]) => make('option', { value: id }, name)))
        tell()
      } catch (error) {
        // Suggestions are optional: an id can be typed, and the first query will show what is wrong.
        if (!isStopped(error) && !(error instanceof Failure)) throw error
      }
    },
    clear(isOtherProject) {
      names.clear()
      list.replaceChildren()
      if (isOtherProject) {
        field.value = ''
        remember('entity', null)
      }
      tell()
    },
  }
}
