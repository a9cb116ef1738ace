import type { QueryExample } from 'foldgate'
import { find, make, onClick, show } from './dom.js'

const HISTORY = 'foldgate history'
const MOST_KEPT = 50
const SAVED_PATH = '/explore/queries'
const OFFLINE = 'The service cannot be reached: check your connection, then try again.'

interface Organization {
  key: string
  name: string
}

/** A query that the server keeps for a user. */
interface SavedQuery {
  id: string
  name: string
  sql: string
  organization: Organization | null
  owner: string
  isOwn: boolean
}

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
}

/** Manages the menus of queries. `onChoose` takes the SQL of a chosen one, and whether to run it at once. */
export function queries(text: () => string, onChoose: (sql: string, runs: boolean) => void): Queries {
  const saved = savedQueries(text, sql => choose(sql, false))
  let projectId = ''

  function choose(sql: string, runs: boolean): void {
    for (const id of ['examples-menu', 'queries-menu']) find(id, HTMLDetailsElement).open = false
    onChoose(sql, runs)
  }
  function card({ question, sql }: QueryExample): HTMLElement {
    const [, relation = ''] = /\bFROM\s+(\w+)/i.exec(sql) ?? []
    const words = [make('span', {}, question), make('span', { class: 'hint' }, relation)]
    return make('li', {}, make('button', { type: 'button', class: 'card', onclick: () => choose(sql, true) }, ...words))
  }
  function listHistory(): void {
    const past = history().filter(each => each.projectId === projectId)
    find('history', HTMLElement).replaceChildren(
      ...past.map(({ sql, at }) => statement(sql, new Date(at).toLocaleString('en-GB'), sql => choose(sql, false))),
    )
    find('history-told', HTMLElement).textContent = past.length === 0 ? 'Queries that you run are listed here.' : ''
    show(past.length > 0, find('history-clear', HTMLElement))
  }

  find('queries-menu', HTMLDetailsElement).addEventListener('toggle', event => {
    if (!(event.target as HTMLDetailsElement).open) return
    listHistory()
    saved.list(projectId)
  })
  onClick(find('history-clear', HTMLButtonElement), () => {
    keep(history().filter(each => each.projectId !== projectId))
    listHistory()
    find('queries-menu', HTMLDetailsElement).querySelector('summary')?.focus()
  })
  return {
    offer(id, examples) {
      projectId = id
      find('examples', HTMLElement).replaceChildren(...examples.map(card))
    },
    ran(project, sql) {
      const others = history().filter(each => each.sql !== sql || each.projectId !== project)
      keep([{ sql, projectId: project, at: Date.now() }, ...others].slice(0, MOST_KEPT))
    },
  }
}

/** An entry of a list of queries: the whole SQL, below what is said of it. */
function statement(sql: string, about: string, onChoose: (sql: string) => void, ...more: HTMLElement[]): HTMLElement {
  const words = [make('span', { class: 'about-it' }, about), make('code', {}, sql)]
  return make('li', {}, make('button', { type: 'button', onclick: () => onChoose(sql) }, ...words), ...more)
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
    localStorage.setItem(HISTORY, JSON.stringify(past))
  } catch {
    // Without storage, or with too long statements for it, the history stays as it is.
  }
}

/** Manages the saved queries, which only users who are logged in have. */
function savedQueries(text: () => string, onChoose: (sql: string) => void): { list(projectId: string): void } {
  const told = find('saved-told', HTMLElement)
  const form = document.getElementById('save-query')
  if (!(form instanceof HTMLFormElement)) {
    told.textContent = 'Log in to see saved queries.'
    return { list() {} }
  }
  const [name, button] = [find('save-name', HTMLInputElement), find('save', HTMLButtonElement)]
  const organization = find('save-for', HTMLSelectElement)
  const problem = find('save-problem', HTMLElement)
  let projectId = ''
  let isSaving = false

  const complain = (words: string) => {
    problem.textContent = words
    show(words !== '', problem)
  }
  async function post(path: string, fields: Record<string, string>): Promise<boolean> {
    const body = new URLSearchParams({ token: String(new FormData(form as HTMLFormElement).get('token')), ...fields })
    const response = await fetch(path, { method: 'POST', body }).catch(() => null)
    const { message } = (await response?.json().catch(() => ({}))) ?? {}
    complain(response?.ok ? '' : (message ?? (response ? `Nothing was done (HTTP ${response.status}).` : OFFLINE)))
    return response?.ok === true
  }
  async function list(): Promise<void> {
    const response = await fetch(`${SAVED_PATH}?project=${projectId}`, { cache: 'no-store' }).catch(() => null)
    if (!response?.ok) {
      told.textContent =
        response?.status === 401 ? 'You are no longer logged in: log in and reload this page.' : OFFLINE
      return
    }
    const answer = (await response.json()) as { queries: SavedQuery[]; organizations: Organization[] }
    find('saved', HTMLElement).replaceChildren(...answer.queries.map(entry))
    told.textContent = answer.queries.length === 0 ? 'None for this project yet.' : ''
    // A query can be shared only with the organization of its project.
    const owner = find('project', HTMLSelectElement).selectedOptions[0]?.dataset.organization
    const options = answer.organizations
      .filter(({ key }) => key === owner)
      .map(({ key, name }) => make('option', { value: key }, `All of ${name}`))
    const kept = organization.value
    organization.replaceChildren(make('option', { value: '' }, 'Only me'), ...options)
    if (options.some(({ value }) => value === kept)) organization.value = kept
  }
  function entry({ id, name, sql, organization, owner, isOwn }: SavedQuery): HTMLElement {
    const about = `${name} · ${isOwn ? (organization ? `shared with ${organization.name}` : 'only you') : owner}`
    const remove = make('button', { type: 'button', class: 'small', 'aria-label': `Remove ${name}` }, 'Remove')
    onClick(remove, async () => {
      if (await post(`${SAVED_PATH}/${id}/remove`, {})) await list()
      button.focus()
    })
    return statement(sql, about, onChoose, ...(isOwn ? [remove] : []))
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    if (isSaving) return
    isSaving = true
    const fields = { name: name.value, sql: text(), project: projectId, organization: organization.value }
    void post(SAVED_PATH, fields)
      .then(async isSaved => {
        if (!isSaved) return
        name.value = ''
        await list()
      })
      .finally(() => {
        isSaving = false
      })
  })
  return {
    list(id) {
      projectId = id
      complain('')
      void list()
    },
  }
}
