import type { Page, ProjectSummary } from 'foldgate'
import { type Answer, type Api, connect } from './api.js'
import { find, onClick, show } from './dom.js'
import { Failure, whenToRetry } from './failure.js'
import { latest } from './latest.js'
import { makeKey } from './make-key.js'
import { recall, remember } from './tab.js'

/** The first page of projects; reading it shows that a key is valid. */
export type Projects = Answer<Page<ProjectSummary>>

/** The largest page that the API allows, in items. */
export const LARGEST_PAGE = 500

/** The key that the page uses. */
export interface Access {
  /** Forgets the key and shows why. */
  lose(words: string): void
}

/** Manages the key: typed, created on the page, or remembered since before a reload. It is kept only in this tab. */
export function access(onHeld: (api: Api, projects: Projects) => void, onGone: () => void): Access {
  const [form, held] = [find('key-form', HTMLFormElement), find('key-held', HTMLElement)]
  const field = find('key', HTMLInputElement)
  const shown = find('key-shown', HTMLInputElement)
  const problem = find('key-problem', HTMLElement)
  const made = find('made', HTMLElement)
  const madeKey = find('made-key', HTMLTextAreaElement)
  const asking = find('key-ask', HTMLFieldSetElement)
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
    if (!/^[\x21-\x7e]+$/.test(key)) return complain('A key has only letters, digits and punctuation: copy it again.')
    const api = connect(key)
    try {
      const projects = await api.call('projects/list', { page: { limit: LARGEST_PAGE } }, signal)
      remember('key', key)
      show(false, asking)
      show(true, held)
      onHeld(api, projects)
      return true
    } catch (error) {
      if (signal.aborted) return false
      if (!(error instanceof Failure)) throw error
      if (error.class === 'UNAUTHENTICATED') remember('key', null)
      return complain([error.message, whenToRetry(error, new Date())].filter(line => line !== null).join(' '))
    }
  }

  function forget(): void {
    checking.stop()
    remember('key', null)
    field.value = ''
    shown.checked = false
    reveal()
    show(false, held, made)
    show(true, asking)
    madeKey.value = ''
    settle()
    onGone()
    field.focus()
  }

  form.addEventListener('submit', event => {
    event.preventDefault()
    void take(field.value.trim()).then(isHeld => isHeld && find('project', HTMLSelectElement).focus())
  })
  shown.addEventListener('change', reveal)
  onClick(find('forget', HTMLButtonElement), forget)
  makeKey(async key => {
    field.value = key
    if (!(await take(key))) return
    madeKey.value = key
    show(true, made)
    madeKey.select()
  }, complain)
  asking.disabled = false

  const kept = recall('key')
  if (kept !== null) {
    field.value = kept
    void take(kept)
  }
  return {
    lose(words) {
      forget()
      complain(words)
    },
  }
}
