import type { Catalogue } from '../../catalogue/catalogue.js'
import { asWritten, needsQuotes, RESERVED_WORDS } from '../../guard/quoting.js'
import type { Column } from '../../model.js'
import type { Trial } from './trial.js'

/** Far more words than the parser reserves. */
const MOST_WORDS = 10_000

/** A note with all names of relations and columns that callers have to quote; null when there are none. */
export async function quotedNames(
  trial: Trial,
  { summaries }: Catalogue,
  columns: ReadonlyMap<string, readonly Column[]>,
): Promise<string | null> {
  const words = await trial.rows(RESERVED_WORDS, [], MOST_WORDS)
  const reserved = new Set(words.map(({ keyword_name: word }) => String(word)))
  const found = new Map<string, string[]>()
  const add = (name: string, place: string) => {
    if (needsQuotes(name, reserved)) found.set(name, [...(found.get(name) ?? []), place])
  }
  for (const { name } of summaries) {
    add(name, 'a relation')
    for (const column of columns.get(name) ?? []) add(column.name, `a column of ${name}`)
  }
  if (found.size === 0) return null
  const list = [...found].map(([name, places]) => `${asWritten(name, reserved)} (${places.join(', ')})`)
  return `These names need double quotes in SQL: ${list.join(', ')}. Callers write fewer mistakes with other names.`
}
