import type { QueryExample } from 'foldgate/client'
import { find, make, onClick, show } from './dom.js'
import { savedQueries } from './saved.js'

const HISTORY = 'foldgate history'
const MOST_KEPT = 50

/** A query that ran in this browser. */
interface Past {
  sql: string
  projectId: string
  /** When it ran, in milliseconds since 1970. */
  at: number
}

/** The queries to start from: worked examples, saved ones, and those that ran in this browser. */
export interface Queries {
  /** Switches to a project and its examples. */
  offer(projectId: string, examples: readonly QueryExample[]): void
  /** Adds a query that ran to the history. */
  ran(projectId: string, sql: string): void
  /** Removes the history from this browser. */
  forget(): void
}

/** Manages the menus of queries. `onChoose` takes the SQL of a chosen one, and whether to run it at once. */
export function queries(text: () => string, onChoose: (sql: string, runs: boolean) => void): Queries {
  const saved = savedQueries(text, sql => choose(sql, false))
  let projectId = ''

  function choose(sql: string, runs: boolean): void {
    for (const menu of [find('examples-menu'), find('queries-menu')]) menu.open = false
    onChoose(sql, runs)
  }
  function card({ question, sql }: QueryExample): HTMLElement {
    const [, relation = ''] = /\bFROM\s+(\w+)/i.exec(sql) ?? []
    const words = [make('span', {}, question), make('span', { class: 'hint' }, relation)]
    return make(
      'li',
      {},
      make('button', { type: 'button', class: 'card', onclick: () => choose(sql, true) }, ...words),
    )
  }
  function listHistory(): void {
    const past = history().filter(each => each.projectId === projectId)
    find('history').replaceChildren(
      ...past.map(({ sql, at }) =>
        statement(sql, new Date(at).toLocaleString('en-GB'), sql => choose(sql, false)),
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
    ran(project, sql) {
      const others = history().filter(each => each.sql !== sql || each.projectId !== project)
      keep([{ sql, projectId: project, at: Date.now() }, ...others].slice(0, MOST_KEPT))
    },
    forget() {
      keep([])
      listHistory()
    },
  }
}

/** An entry of the history: when it ran, and below that the whole statement. */
function statement(sql: string, about: string, onChoose: (sql: string) => void): HTMLElement {
  const words = [make('span', { class: 'about-it' }, about), make('code', {}, sql)]
  return make('li', {}, make('button', { type: 'button', onclick: () => onChoose(sql) }, ...words))
}

function history(): Past[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(HISTORY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isPast) : []
  } catch {
    return [] // the browser blocks storage, or something else wrote there
  }
}

function isPast(each: unknown): each is Past {
  const { sql, projectId, at } = (each ?? {}) as Partial<Past>
  return typeof sql === 'string' && typeof projectId === 'string' && typeof at === 'number'
}

function keep(past: readonly Past[]): void {
  try {
    if (past.length === 0) localStorage.removeItem(HISTORY)
    else localStorage.setItem(HISTORY, JSON.stringify(past))
  } catch {
    // The browser blocks storage, or the statements are too long for it: the history stays as it was.
  }
}
