import { type Client, type OwnershipView, type RelationSummary, SnapshotReplacedError } from 'foldgate/client'
import { isFailure, isStopped } from './call-failure.js'
import { find, findOffered, make, show } from './dom.js'
import { ENTITIES, type Entity, type EntityRow, entitiesOf, named, search } from './entities.js'
import { recall, remember } from './tab.js'

const RELATION = 'entities'
const MOST_SHOWN = 50
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const WHOLE = 'Type a part of a name. Leave it empty for the whole project.'
const UNKNOWN =
  'No entity has this name, or several have it: choose one of the list, or empty the field for the whole project.'

/** The point of view of queries. */
export interface PointFields {
  /** The fields as params; null when the field names no entity. */
  chosen(): { entityId?: string; ownershipView?: OwnershipView } | null
  /** As `chosen`; says beside the field that it names no entity. */
  read(): ReturnType<PointFields['chosen']>
  /** Reads the entities of a project, if it has a relation with their names. */
  offer(
    client: Client,
    projectId: string,
    relations: readonly RelationSummary[],
    signal: AbortSignal,
  ): Promise<void>
  /** Forgets the entities and, for another project, the chosen one. */
  clear(isOtherProject: boolean): void
}

/** Where the catalogue has no tree of ownership, and the page no fields for it. */
const NO_POINT_OF_VIEW: PointFields = {
  chosen: () => ({}),
  read: () => ({}),
  offer: async () => {},
  clear() {},
}

/**
 * Manages the fields of the point of view: a list that shows the entities with what is typed in their names. `onChange` is
 * called with each change, and told whether one is chosen, or still being typed.
 */
export function pointOfView(onChange: (isChosen: boolean) => void): PointFields {
  if (!findOffered('view-menu')) return NO_POINT_OF_VIEW
  const field = find('entity')
  const hint = find('entity-hint')
  const list = find('entity-list')
  const menu = find('view-menu')
  const views = [find('net'), find('gross')]
  let entities: readonly Entity[] = []
  let shown: readonly Entity[] = []
  let active = -1
  let chosen: Entity | undefined

  function close(): void {
    show(false, list)
    field.setAttribute('aria-expanded', 'false')
    field.removeAttribute('aria-activedescendant')
    active = -1
  }

  function open(): void {
    shown = search(entities, field.value, MOST_SHOWN)
    list.replaceChildren(...shown.map(optionOf))
    if (shown.length > 0) {
      show(true, list)
      field.setAttribute('aria-expanded', 'true')
    } else close()
  }

  function optionOf(entity: Entity, at: number): HTMLElement {
    const about = make('span', { class: 'hint' }, aboutEntity(entity))
    const option = make(
      'li',
      { role: 'option', id: `entity-${at}`, 'aria-selected': 'false' },
      entity.name,
      about,
    )
    // The field keeps the focus.
    option.addEventListener('pointerdown', event => event.preventDefault())
    option.addEventListener('click', () => pick(entity))
    return option
  }

  function move(by: number): void {
    if (list.hidden) open()
    if (shown.length === 0) return
    list.children[active]?.setAttribute('aria-selected', 'false')
    active = (active + by + shown.length + (active < 0 && by < 0 ? 1 : 0)) % shown.length
    const option = list.children[active]
    option?.setAttribute('aria-selected', 'true')
    option?.scrollIntoView({ block: 'nearest' })
    field.setAttribute('aria-activedescendant', `entity-${active}`)
  }

  function choose(entity: Entity | undefined): void {
    chosen = entity
    if (entity) field.value = entity.name
    remember('entity', entity?.id ?? (field.value.trim() || null))
    field.removeAttribute('aria-invalid')
    close()
    tell()
  }

  function pick(entity: Entity | undefined): void {
    choose(entity)
    onChange(true)
  }

  function tell(): void {
    hint.textContent = chosen ? aboutEntity(chosen) : WHOLE
    const from = chosen?.name ?? (field.value.trim() || 'The whole project')
    find('view-told').textContent = `${from}, ${ownership()}`
  }

  const ownership = (): OwnershipView =>
    views.find(view => view.checked)?.value === 'gross' ? 'gross' : 'net'

  field.addEventListener('input', () => {
    chosen = named(entities, field.value)
    field.removeAttribute('aria-invalid')
    remember('entity', chosen?.id ?? (field.value.trim() || null))
    tell()
    active = -1
    if (field.value.trim() === '') close()
    else open()
    onChange(false)
  })
  field.addEventListener('change', () => onChange(true))
  field.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event.key === 'ArrowDown' ? 1 : -1)
    else if (event.key === 'Enter' && active >= 0) pick(shown[active])
    else if (event.key === 'Escape' && !list.hidden) close()
    else return
    event.preventDefault()
  })
  field.addEventListener('blur', close)
  for (const view of views)
    view.addEventListener('change', () => {
      remember('ownership', view.value)
      tell()
      onChange(true)
    })
  field.value = recall('entity') ?? ''
  for (const view of views) view.checked = view.value === (recall('ownership') ?? 'net')

  function read(): ReturnType<PointFields['read']> {
    const text = field.value.trim()
    const ownershipView = ownership()
    if (text === '') return { ownershipView }
    const entityId = UUID.test(text) ? text : chosen?.id
    return entityId === undefined ? null : { entityId, ownershipView }
  }

  return {
    chosen: read,
    read() {
      const view = read()
      if (view) return view
      field.setAttribute('aria-invalid', 'true')
      hint.textContent = UNKNOWN
      menu.open = true
      field.focus()
      return null
    },
    async offer(client, projectId, relations, signal) {
      if (!relations.some(({ name }) => name === RELATION)) return
      const params = { projectId, sql: ENTITIES, ownershipView: 'net' } as const
      try {
        const rows: EntityRow[] = []
        for await (const { held } of client.rows<{ held: EntityRow[] }>(params, { signal }))
          for (const each of held) rows.push(each)
        entities = entitiesOf(rows)
        field.dataset.entities = String(entities.length)
        field.placeholder = `The whole project: ${entities.length.toLocaleString('en')} entities`
        choose(named(entities, field.value))
      } catch (error) {
        // The list is optional: an id can be typed, and the first query will show what is wrong.
        if (!isStopped(error) && !isFailure(error) && !(error instanceof SnapshotReplacedError)) throw error
      }
    },
    clear(isOtherProject) {
      entities = []
      chosen = undefined
      delete field.dataset.entities
      field.placeholder = 'The whole project'
      if (isOtherProject) {
        field.value = ''
        remember('entity', null)
      }
      close()
      tell()
    },
  }
}

/** `Group › Holding · 42 % owned`. */
function aboutEntity({ path, share }: Entity): string {
  const percent = share.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 })
  return path === '' ? 'The whole project' : `${path} · ${percent} owned`
}
