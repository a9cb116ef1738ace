import type { Client } from 'foldgate/client'
import { counted, find, make, show } from './dom.js'

/** Shows when the newest snapshot of a project was sealed, its id and its warnings, and which SQL it speaks. */
export async function showSealed(client: Client, projectId: string, signal: AbortSignal): Promise<void> {
  const menu = find('sealed')
  show(false, menu)
  menu.open = false
  // The page can do without: what a query needs is read, and its failure told, elsewhere.
  const about = await client
    .describe({ projectId, include: ['snapshots', 'warnings', 'dialect'] }, { signal })
    .catch(() => null)
  if (signal.aborted) return
  find('dialect').textContent = about?.dialect ?? 'DuckDB'
  const [newest] = about?.snapshots ?? []
  if (!newest) return
  const sealedAt = new Date(newest.sealedAt)
  const warnings = about?.warnings ?? []
  const day = sealedAt.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
  const warned = warnings.length > 0 ? ` · ${counted(warnings.length, 'warning')}` : ''
  const word = make('span', { class: 'sealed-word' }, 'Sealed ')
  find('sealed-told').replaceChildren(word, day + warned)
  const at = sealedAt.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })
  const facts = make('p', {}, `Every query reads the snapshot that was sealed on ${at}: it never changes.`)
  const id = make('p', { class: 'hint' }, 'Snapshot ', make('code', {}, newest.snapshot))
  const items = warnings.map(({ table, column, message }) =>
    make('li', {}, make('code', {}, column === undefined ? table : `${table}.${column}`), `: ${message}`),
  )
  const list =
    items.length > 0
      ? [make('h3', {}, `Sealed with ${counted(items.length, 'warning')}`), make('ul', {}, ...items)]
      : []
  find('sealed-about').replaceChildren(facts, id, ...list)
  show(true, menu)
}
