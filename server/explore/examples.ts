import type { QueryExample } from 'foldgate'
import { find, make } from './dom.js'
import type { Editor } from './editor.js'

/** The choice of worked queries. */
export interface Examples {
  offer(examples: readonly QueryExample[]): void
  /** Puts the first of them into the editor. */
  first(): void
  /** Nothing is chosen any more: the query is another one now. */
  leave(): void
}

/** Takes charge of the choice: what is chosen goes into the editor, from where undo brings back what was there. */
export function worked(editor: Editor): Examples {
  const field = find('example', HTMLSelectElement)
  let known: readonly QueryExample[] = []

  field.addEventListener('change', () => {
    const chosen = known[Number(field.value)]
    if (field.value === '' || !chosen) return
    const { value } = field
    editor.write(chosen.sql)
    field.value = value
  })
  return {
    offer(examples) {
      known = examples
      const options = examples.map(({ question }, at) => make('option', { value: at }, question))
      field.replaceChildren(make('option', { value: '' }, 'Choose a question …'), ...options)
    },
    first() {
      if (known[0]) editor.write(known[0].sql)
      field.selectedIndex = Math.min(1, known.length)
    },
    leave() {
      field.value = ''
    },
  }
}
