import type { DescribedCatalogue } from 'foldgate/client'
import { find, make, onClick, show } from './dom.js'
import { type EditedStatement, isKept } from './parameters.js'
import { savedQueries } from './saved.js'

const HISTORY = 'foldgate history'
const MOST_KEPT = 50

/** A query that ran in this browser. */
interface Past extends EditedStatement {
  projectId: string
  /** When it ran, in milliseconds since 1970. */
  at: number
}

/** The queries to start from: worked examples, saved ones, and those that ran in this browser. */
export interface Queries {
  /** Switches to a project and its examples. */
  offer(projectId: string, examples: DescribedCatalogue['examples']): void
  /** Adds a query that ran to the history. */
  ran(projectId: string, statement: EditedStatement): void
  /** Removes the history from this browser. */
  forget(): void
}

/** Manages the menus of queries. `read` is the one on the page; `onChoose` is told whether to run one at once. */
export function queries(
  read: () => EditedStatement,
  onChoose: (statement: EditedStatement, runs: boolean) => void,
): Queries {
  const saved = savedQueries(read, statement => choose(statement, false))
  let projectId = ''

  function choose(statement: EditedStatement, runs: boolean): void {
    for (const menu of [find('examples-menu'), find('queries-menu')]) menu.open = false
    onChoose(statement, runs)
  }
  function card({ question, sql }: DescribedCatalogue['examples'][number]): HTMLElement {
    const [, relation = ''] = /\bFROM\s+(\w+)/i.exec(sql) ?? []
    const words = [make('span', {}, question), make('span', { class: 'hint' }, relation)]
    return make(
      'li',
      {},
      make(
        'button',
        { type: 'button', class: 'card', onclick: () => choose({ sql, parameters: {} }, true) },
        ...words,
      ),
    )
  }
  function listHistory(): void {
    const past = history().filter(each => each.projectId === projectId)
    find('history').replaceChildren(
      ...past.map(each =>
        entry(each.sql, new Date(each.at).toLocaleString('en-GB'), () => choose(each, false)),
      ),
    )
    find('history-told').textContent = past.length === 0 ? 'Queries that you run are listed here.' : ''
    show(past.length > 0, find('history-clear'))
  }

  find('queries-menu').addEventListener('toggle', event => {
    if (!(event.target as HTMLDetailsElement).open) return
    listHistory()
    saved.list(projectId)
  })
  onClick(find('history-clear'), () => {
    keep(history().filter(each => each.projectId !== projectId))
    listHistory()
    find('queries-menu').querySelector('summary')?.focus()
  })
  return {
    offer(id, examples) {
      projectId = id
      find('examples').replaceChildren(...examples.map(card))
    },
    ran(project, statement) {
      const others = history().filter(each => each.sql !== statement.sql || each.projectId !== project)
      keep([{ ...statement, projectId: project, at: Date.now() }, ...others].slice(0, MOST_KEPT))
    },
    forget() {
      keep([])
      listHistory()
    },
  }
}

/** An entry of the history: when it ran, and below that the whole statement. */
function entry(sql: string, about: string, onChoose: () => void): HTMLElement {
  const words = [make('span', { class: 'about-it' }, about), make('code', {}, sql)]
  return make('li', {}, make('button', { type: 'button', onclick: onChoose }, ...words))
}

function history(): Past[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(HISTORY) ?? '[]')
    // Entries of earlier versions have no parameters.
    return Array.isArray(kept)
      ? kept.filter(isPast).map(each => ({ ...each, parameters: each.parameters ?? {} }))
      : []
  } catch {
    return [] // the browser blocks storage, or something else wrote there
  }
}

function isPast(each: unknown): each is Past {
  const { sql, parameters = {}, projectId, at } = (each ?? {}) as Partial<Past>
  const isStatement = typeof sql === 'string' && isKept(parameters)
  return isStatement && typeof projectId === 'string' && typeof at === 'number'
}

function keep(past: readonly Past[]): void {
  try {
    if (past.length === 0) localStorage.removeItem(HISTORY)
    else localStorage.setItem(HISTORY, JSON.stringify(past))
  } catch {
    // The browser blocks storage, or the statements are too long for it: the history stays as it was.
  }
}
