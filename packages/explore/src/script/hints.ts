import type { Hint } from 'foldgate/client'
import { find, make, onClick, show } from './dom.js'
import type { Editor } from './editor.js'
import { folded, isCode, lexemesOf, nameIn, offsetOf, type TextSpan } from './sql.js'

/** The hints of the service on mistakes in the statement, below it. */
export interface HintList {
  /** Lists the hints on a statement and underlines their places, unless the editor has another one by now. */
  tell(sql: string, hints?: readonly Hint[]): void
  clear(): void
}

/** Manages the list of hints. An edit makes them hints on an earlier statement, so the page clears them then. */
export function hintList(editor: Editor): HintList {
  const box = find('hints')

  function clear(): void {
    editor.mark({ hinted: [] })
    box.replaceChildren()
    show(false, box)
  }
  function entry(hint: Hint, span: TextSpan | null): HTMLElement {
    const { message } = hint
    if (!span) return make('li', {}, make('span', {}, message))
    const item = make(
      'li',
      {},
      make('button', { type: 'button', class: 'place', onclick: () => editor.select(span) }, message),
    )
    const fix = insteadOf(hint, editor.text().slice(span.start, span.end))
    if (fix === null) return item
    const replace = make('button', { type: 'button', class: 'small' }, `Replace with ${fix}`)
    onClick(replace, () => editor.replace(span, fix))
    item.append(' ', replace)
    return item
  }

  return {
    clear,
    tell(sql, hints = []) {
      clear()
      if (hints.length === 0 || editor.text() !== sql) return
      const places = hints.map(hint => ({ hint, span: spanOf(sql, hint) }))
      editor.mark({ hinted: places.flatMap(({ span }) => span ?? []) })
      const items = places.map(({ hint, span }) => entry(hint, span))
      const title = make('p', {}, make('strong', {}, 'This statement is probably not what you mean:'))
      show(true, box)
      box.replaceChildren(title, make('ul', {}, ...items))
    },
  }
}

/** What a hint is about: the lexeme at its place, with the rest of a name that has dots; null without a place. */
export function spanOf(sql: string, { at }: Pick<Hint, 'at'>): TextSpan | null {
  if (!at) return null
  const offset = offsetOf(sql, at)
  const [first, ...rest] = lexemesOf(sql).filter(lexeme => isCode(lexeme) && lexeme.end > offset)
  if (!first) return null
  let last = first
  for (const [index, { kind, text }] of rest.entries()) {
    if (text !== '.' && !(last.text === '.' && (kind === 'word' || kind === 'name'))) break
    last = rest[index] ?? last
  }
  return { start: first.start, end: last.end }
}

/** What to write in the place of a hint, which names its column as the statement does; null if there is nothing. */
export function insteadOf({ instead, column = '' }: Hint, written: string): string | null {
  if (instead === undefined || lexemesOf(written).length === 1) return instead ?? null
  const name = lexemesOf(instead).find(lexeme => folded(nameIn(lexeme)) === folded(column))
  return name ? instead.slice(0, name.start) + written + instead.slice(name.end) : null
}
