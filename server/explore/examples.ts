import type { QueryExample } from 'foldgate'
import { find, make } from './dom.js'
import type { Editor } from './editor.js'

/** The list of worked queries. */
export interface Examples {
  offer(examples: readonly QueryExample[]): void
  /** Writes the first one into the editor. */
  first(): void
  /** Clears the choice, because the query was edited. */
  leave(): void
}

/** Manages the list. A chosen query replaces the text of the editor; undo restores the text. */
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
