import type { Client, ProjectDescription, RelationSummary } from 'foldgate/client'
import { isFailure, isStopped, messageOf } from './call-failure.js'
import type { ColumnWord, Vocabulary } from './complete.js'
import { counted, find, make, onClick, show } from './dom.js'
import type { Editor } from './editor.js'
import type { Meanings } from './meanings.js'
import { quoted } from './sql.js'
import { kindOf, shortText } from './values.js'

const KINDS: readonly [RelationSummary['kind'], string][] = [
  ['fold', 'Computed'],
  ['table', 'Tables'],
]

/** A project as the API describes it, with what the catalogue says. */
interface DescribedProject {
  projectId: string
  relations: readonly RelationSummary[]
  meanings: Meanings
}

/** The relations of a project; the columns of each are requested once, and again after a failure. */
export function vocabularyOf(
  client: Client,
  { projectId, relations, meanings }: DescribedProject,
  signal: AbortSignal,
): Vocabulary {
  const asked = new Map<string, ReturnType<Vocabulary['columnsOf']>>()
  const ask = async (relation: string, hasStatistics: boolean) => {
    const include = hasStatistics ? { include: ['statistics' as const] } : {}
    const { columns = [] } = await client.describe({ projectId, relation, ...include }, { signal })
    return columns.map((column): ColumnWord => {
      const { name, type } = column
      return { name, type, about: meanings.ofColumn(relation, name), ...valuesOf(column) }
    })
  }
  return {
    relations: relations.map(relation => ({ ...relation, ...meanings.ofRelation(relation.name) })),
    columnsOf(relation, hasStatistics = false) {
      const columns = (hasStatistics ? null : asked.get(relation)) ?? ask(relation, hasStatistics)
      asked.set(relation, columns)
      columns.catch(() => asked.delete(relation))
      return columns
    },
  }
}

/** `At least 51 different values, from 1 to 4, no NULLs.` */
export function valuesOf({
  type,
  statistics,
}: NonNullable<ProjectDescription['columns']>[number]): Pick<ColumnWord, 'values'> {
  if (!statistics) return {}
  const { nulls, distinct, values, min, max } = statistics
  const [from, to] = [min, max].map(value => shortText(value, { type, kind: kindOf(type) }))
  const parts = [
    `${values ? '' : 'At least '}${counted(distinct, 'different value')}`,
    ...(min === undefined ? [] : [`from ${from} to ${to}`]),
    nulls === 0 ? 'no NULLs' : counted(nulls, 'NULL'),
  ]
  return { values: `${parts.join(', ')}.` }
}

/** What the list of relations needs. */
export interface Shelf {
  words: Vocabulary
  editor: Editor
  /** Runs the query in the editor. */
  run: () => void
}

/** Lists the relations that a query may read. The columns of a relation are loaded when it is opened. */
export function listRelations(shelf: Shelf): void {
  const search = find('find')
  const entries = shelf.words.relations.map(relation => ({
    relation,
    item: make('li', {}, entry(relation, shelf)),
  }))
  const place = find('relations')
  const groups = KINDS.flatMap(([kind, title]) => {
    const own = entries.filter(({ relation }) => relation.kind === kind)
    if (own.length === 0) return []
    const heading = make('h3', {}, title, ' ', make('span', { class: 'soft' }, place.dataset[kind] ?? ''))
    return [make('section', {}, heading, make('ul', { class: 'relations' }, ...own.map(({ item }) => item)))]
  })
  const none = make('p', { class: 'hint', role: 'status' })
  place.replaceChildren(none, ...groups)

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/)
    let found = 0
    for (const { relation, item } of entries) {
      const text = `${relation.name} ${relation.about ?? ''}`.toLowerCase()
      const isFound = words.every(word => text.includes(word))
      show(isFound, item)
      if (isFound) found++
    }
    for (const group of groups)
      show(
        [...group.querySelectorAll('li')].some(item => !item.hidden),
        group,
      )
    none.textContent = found === 0 ? 'No relation has these words in its name or its description.' : ''
  }
  search.oninput = filter
  filter()
}

function entry({ name, about, notes }: Vocabulary['relations'][number], shelf: Shelf): HTMLElement {
  const columns = make('div', { class: 'columns-of' })
  const look = make('button', { type: 'button', class: 'small' }, 'Show its rows')
  onClick(look, () => {
    shelf.editor.write(`SELECT *\nFROM ${quoted(name)}`)
    find('asking').scrollIntoView({ block: 'nearest' })
    shelf.run()
  })
  const fold = make('details', {}, make('summary', {}, make('code', {}, name)))
  for (const sentence of [about, ...notes]) if (sentence) fold.append(make('p', { class: 'hint' }, sentence))
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

async function fill(place: HTMLElement, relation: string, { words, editor }: Shelf): Promise<boolean> {
  place.replaceChildren(make('p', { class: 'hint', role: 'status' }, 'Loading its columns …'))
  try {
    const rows = (await words.columnsOf(relation, true)).map(({ name, type, about, values }) => {
      const button = make('button', { type: 'button', class: 'column' }, make('code', {}, name))
      button.title = 'Insert into the query'
      onClick(button, () => editor.insert(quoted(name)))
      const told = [about, values].filter(words => words != null)
      const meanings = told.map(words => make('span', { class: 'meaning' }, words))
      return make('li', {}, button, make('span', { class: 'type' }, type), ...meanings)
    })
    place.replaceChildren(
      make('ul', { class: 'columns-list', 'aria-label': `Columns of ${relation}` }, ...rows),
    )
    return true
  } catch (error) {
    if (isStopped(error)) return false
    if (!isFailure(error)) throw error
    place.replaceChildren(
      make('p', { class: 'problem', role: 'alert' }, `${messageOf(error)} Close and reopen it to try again.`),
    )
    return false
  }
}
