import { type Client, createClient, type Page, type ProjectSummary } from 'foldgate/client'
import { classOf, isFailure, messageOf, whenToRetry } from './call-failure.js'
import { apiUrl, find, findOffered, latest, onClick, show } from './dom.js'
import { recall, remember } from './tab.js'

/** The client that calls with a valid key. */
export interface KeyedClient {
  client: Client
  /** The first page of projects; reading it has shown that the key is valid. */
  projects: Page<ProjectSummary>
  /** Reads a document that depends on the key. */
  document(name: string, signal: AbortSignal): Promise<Response>
}

/** The largest page that the API allows, in items. */
export const LARGEST_PAGE = 500

/** The key that the page uses. */
export interface Access {
  /** Forgets the key and shows why. */
  lose(words: string): void
}

/**
 * Manages the key: typed, created on the page, or remembered since before a reload. It is kept only in this
 * tab. `onGone` is called when the key is forgotten, and when it turns out to be revoked or expired.
 */
export function access(onHeld: (held: KeyedClient) => void, onGone: () => void): Access {
  const [form, section] = [find('key-form'), find('key-ask-section')]
  const menu = find('key-menu')
  const field = find('key')
  const shown = find('key-shown')
  const problem = find('key-problem')
  const made = find('made')
  const madeKey = find('made-key')
  const asking = find('key-ask')
  const checking = latest()

  const reveal = () => {
    field.type = shown.checked ? 'text' : 'password'
  }
  function complain(words: string): false {
    problem.textContent = words
    show(true, problem)
    field.setAttribute('aria-invalid', 'true')
    field.focus()
    return false
  }
  function settle(): void {
    problem.textContent = ''
    show(false, problem)
    field.removeAttribute('aria-invalid')
  }

  /** Checks a key and, if it is valid, opens the workspace with it. Returns whether it is valid. */
  async function take(key: string): Promise<boolean> {
    const signal = checking.start()
    settle()
    if (key === '') return complain('Paste a key first.')
    // A header cannot have other characters, and no key has them.
    if (!/^[\x21-\x7e]+$/.test(key))
      return complain('A key has only letters, digits and punctuation: copy it again.')
    const client = connect(key)
    try {
      const projects = await client.list({ page: { limit: LARGEST_PAGE } }, { signal })
      remember('key', key)
      show(false, section)
      onHeld({
        client,
        projects,
        document: (name, ended) =>
          send(`${apiUrl()}/public/v1/${name}`, {
            headers: { authorization: `Bearer ${key}` },
            signal: ended,
          }),
      })
      return true
    } catch (error) {
      if (signal.aborted) return false
      if (!isFailure(error)) throw error
      if (classOf(error) === 'UNAUTHENTICATED' && recall('key') === key) {
        remember('key', null)
        onGone()
      }
      return complain(
        [messageOf(error), whenToRetry(error, new Date())].filter(line => line !== null).join(' '),
      )
    }
  }

  function forget(): void {
    checking.stop()
    remember('key', null)
    field.value = ''
    shown.checked = false
    reveal()
    menu.open = false
    show(false, made)
    show(true, section)
    show(false, find('key-came'))
    madeKey.value = ''
    settle()
    onGone()
    field.focus()
  }

  form.addEventListener('submit', event => {
    event.preventDefault()
    void take(field.value.trim()).then(isHeld => isHeld && find('project').focus())
  })
  shown.addEventListener('change', reveal)
  onClick(find('forget'), forget)
  makeKey(async key => {
    field.value = key
    if (!(await take(key))) return
    madeKey.value = key
    show(true, made)
    menu.open = true
    madeKey.select()
  }, complain)
  asking.disabled = false

  const [kept, offered] = [recall('key'), recall('offered')]
  remember('offered', null)
  if (kept !== null) {
    field.value = kept
    void take(kept)
  } else if (offered !== null) {
    // Whoever sent the link reads the usage of its key, and decides which projects it shows.
    field.value = offered
    show(true, find('key-came'))
    form.querySelector('button')?.focus()
  }
  return {
    lose(words) {
      forget()
      complain(words)
    },
  }
}

const send: typeof fetch = (url, init) => fetch(url, { ...init, credentials: 'omit', cache: 'no-store' })

/**
 * A client of the API that sent this page. It makes one attempt per call: the page says when to try again,
 * and the user decides. It sends no cookies, since the key alone decides what is read.
 */
function connect(key: string): Client {
  return createClient({ url: apiUrl(), key, fetch: send, retry: false })
}

/** Manages the form that creates a key. The page has it where the host creates keys. */
function makeKey(onMade: (key: string) => Promise<void>, onProblem: (words: string) => unknown): void {
  const form = findOffered('make-key')
  if (!form) return

  async function make(form: HTMLFormElement): Promise<void> {
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    const body = new URLSearchParams(fields)
    const response = await fetch(form.action, { method: 'POST', body }).catch(() => null)
    if (response?.status === 201) return onMade((await response.json()).key)
    if (response?.status === 403) onProblem('You are no longer logged in: log in, then reload this page.')
    else if (response?.status === 409)
      onProblem('You have as many keys as you can have: revoke one on the page of keys, then try again.')
    else onProblem('No key could be created: try again in a moment.')
  }

  let isMaking = false
  form.addEventListener('submit', event => {
    event.preventDefault()
    if (isMaking) return
    isMaking = true
    void make(form).finally(() => {
      isMaking = false
    })
  })
}
