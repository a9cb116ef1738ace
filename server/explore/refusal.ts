import { find, make, onClick, show } from './dom.js'
import type { Editor } from './editor.js'
import { Failure, whenToRetry } from './failure.js'

/** The message about a failure, beside the query. */
export interface Refusal {
  /** Shows a `Failure`. Any other error is a bug of this page and is rethrown. */
  tell(error: unknown, retry: () => void): void
  clear(): void
}

/** Manages the message beside the query and the mark in it. */
export function refusals(editor: Editor, onKeyLost: (words: string) => void): Refusal {
  const box = find('refusal', HTMLElement)
  const entity = find('entity', HTMLInputElement)

  function clear(): void {
    editor.mark(null)
    entity.removeAttribute('aria-invalid')
    box.replaceChildren()
    show(false, box)
  }

  /** The button disappears with the message, so the focus moves to the Run button. */
  function again(retry: () => void): void {
    find('run', HTMLButtonElement).focus()
    clear()
    retry()
  }

  return {
    clear,
    tell(error, retry) {
      if (!(error instanceof Failure)) throw error
      clear()
      if (error.class === 'UNAUTHENTICATED') return onKeyLost(error.message)
      if (error.class === 'NOT_FOUND' || error.data.path === 'entityId') entity.setAttribute('aria-invalid', 'true')
      const { place } = error
      editor.mark(place)
      const words: HTMLElement[] = [make('p', { class: 'complaint' }, error.complaint)]
      const more = [error.data.hint, whenToRetry(error, new Date()), referenceOf(error)]
      for (const line of more) if (typeof line === 'string') words.push(make('p', {}, line))
      if (place) words.push(button(`Go to line ${place.line}, column ${place.column}`, () => editor.goToMark()))
      else if (mayWork(error)) words.push(button('Try again', () => again(retry)))
      box.replaceChildren(...words)
      show(true, box)
    },
  }
}

function button(words: string, work: () => void): HTMLElement {
  const element = make('button', { type: 'button', class: 'small' }, words)
  onClick(element, work)
  return make('p', {}, element)
}

function mayWork({ class: failureClass, data }: Failure): boolean {
  return ['UNREACHABLE', 'UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL'].includes(failureClass) || data.retry === true
}

function referenceOf({ data, message }: Failure): string | null {
  const { reference } = data
  return typeof reference === 'string' && !message.includes(reference) ? `Reference: ${reference}` : null
}
