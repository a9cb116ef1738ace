import { find, findOffered, latest, make, onClick, show } from './dom.js'
import { type EditedStatement, isKept } from './parameters.js'

const OFFLINE = 'The service cannot be reached: check your connection, then try again.'
const LOGGED_OUT = 'You are no longer logged in: log in and reload this page.'
const GONE = 'This query is no longer there: its owner has removed it, or it is no longer shared with you.'

interface OrganizationName {
  key: string
  name: string
}

/** A query that the host keeps for a user, as a list has it: without its SQL. */
interface QueryInList {
  id: string
  name: string
  organization: OrganizationName | null
  owner: string
  isOwn: boolean
  savedAt: string
}

interface SavedPage {
  queries: QueryInList[]
  organizations: OrganizationName[]
  nextCursor?: string
}

/** The saved queries of the visitor. */
export interface Saved {
  /** Lists the saved queries of a project, the first page of them. */
  list(projectId: string): void
}

/** Manages the saved queries, where the host keeps them for the visitor, at the path to which the form is posted. */
export function savedQueries(
  current: () => EditedStatement,
  onChoose: (statement: EditedStatement) => void,
): Saved {
  const form = findOffered('save-query')
  if (!form) return { list() {} }
  const path = form.action
  const told = find('saved-told')
  const [name, button] = [find('save-name'), find('save')]
  const [entries, more] = [find('saved'), find('saved-more')]
  const organization = find('save-for')
  const problem = find('save-problem')
  const [listing, opening] = [latest(), latest()]
  let projectId = ''
  let nextCursor: string | undefined
  let isSaving = false

  const complain = (words: string) => {
    problem.textContent = words
    show(words !== '', problem)
  }
  const post = async (to: string, fields: Record<string, string>): Promise<boolean> => {
    const body = new URLSearchParams({ token: String(new FormData(form).get('token')), ...fields })
    const response = await fetch(to, { method: 'POST', body }).catch(() => null)
    complain(response?.ok ? '' : await reasonOf(response, 'Nothing was done'))
    return response?.ok === true
  }

  /** Reads the page at this cursor, or the first, which replaces what is listed. */
  async function read(cursor?: string): Promise<void> {
    const signal = listing.start()
    const asked = new URLSearchParams({ project: projectId, ...(cursor === undefined ? {} : { cursor }) })
    const response = await fetch(`${path}?${asked}`, { cache: 'no-store', signal }).catch(() => null)
    const page = response?.ok ? ((await response.json().catch(() => null)) as SavedPage | null) : null
    if (signal.aborted) return
    if (!page) {
      told.textContent = await reasonOf(response, 'The list cannot be read')
      return
    }
    const { queries } = page
    nextCursor = page.nextCursor
    const isFocused = document.activeElement === more
    const shown = queries.map(entry)
    if (cursor === undefined) entries.replaceChildren(...shown)
    else entries.append(...shown)
    show(nextCursor !== undefined, more)
    if (isFocused) shown[0]?.querySelector('button')?.focus()
    told.textContent = entries.childElementCount === 0 ? 'None for this project yet.' : ''
    offer(page.organizations)
  }

  /** A query can be shared only with the organization of its project. */
  function offer(organizations: readonly OrganizationName[]): void {
    const owner = find('project').selectedOptions[0]?.dataset.organization
    const options = organizations
      .filter(({ key }) => key === owner)
      .map(({ key, name }) => make('option', { value: key }, `All of ${name}`))
    const kept = organization.value
    organization.replaceChildren(make('option', { value: '' }, 'Only me'), ...options)
    if (options.some(({ value }) => value === kept)) organization.value = kept
  }

  /** Reads a query with its SQL and chooses it. */
  async function open(id: string): Promise<void> {
    const signal = opening.start()
    complain('')
    const response = await fetch(`${path}/${id}`, { cache: 'no-store', signal }).catch(() => null)
    const answer = response?.ok ? await response.json().catch(() => null) : null
    if (signal.aborted) return
    if (answer) onChoose(statementIn(answer.query))
    else complain(response?.status === 404 ? GONE : await reasonOf(response, 'The query cannot be read'))
  }

  function entry({ id, name, organization, owner, isOwn, savedAt }: QueryInList): HTMLElement {
    const about = `${name} · ${isOwn ? (organization ? `shared with ${organization.name}` : 'only you') : owner}`
    const when = `Saved ${new Date(savedAt).toLocaleString('en-GB')}`
    const words = [make('span', { class: 'about-it' }, about), make('span', { class: 'hint' }, when)]
    const item = make('li', {}, make('button', { type: 'button', onclick: () => void open(id) }, ...words))
    if (!isOwn) return item
    const remove = make(
      'button',
      { type: 'button', class: 'small', 'aria-label': `Remove ${name}` },
      'Remove',
    )
    onClick(remove, async () => {
      if (await post(`${path}/${id}/remove`, {})) await read()
      button.focus()
    })
    item.append(remove)
    return item
  }

  onClick(more, () => read(nextCursor))
  form.addEventListener('submit', event => {
    event.preventDefault()
    if (isSaving) return
    isSaving = true
    const { sql, parameters } = current()
    const fields = {
      name: name.value,
      sql,
      parameters: JSON.stringify(parameters),
      project: projectId,
      organization: organization.value,
    }
    void post(path, fields)
      .then(async isSaved => {
        if (!isSaved) return
        name.value = ''
        await read()
      })
      .finally(() => {
        isSaving = false
      })
  })
  return {
    list(id) {
      projectId = id
      complain('')
      opening.stop()
      void read()
    },
  }
}

function statementIn({ sql, parameters }: EditedStatement): EditedStatement {
  return { sql, parameters: isKept(parameters) ? parameters : {} }
}

/** Why a request failed, for the user: what the server says, or else `what` with the status. */
async function reasonOf(response: Response | null, what: string): Promise<string> {
  if (!response) return OFFLINE
  const { message } = await response.json().catch(() => ({}))
  if (typeof message === 'string') return message
  return response.status === 401 ? LOGGED_OUT : `${what} (HTTP ${response.status}).`
}
