import type { SealProblem } from 'foldgate/sealing'
import { counted, find, make, show } from './dom.js'

/** The newest snapshot of a project: its id, when it was sealed and with which warnings, and the SQL of the project. */
interface Sealed {
  snapshotId: string
  sealedAt: Date
  warnings: SealProblem[]
  dialect: string | undefined
}

/** Shows when the newest snapshot of a project was sealed, its id and its warnings, and which SQL it speaks. */
export async function showSealed(key: string, projectId: string, signal: AbortSignal): Promise<void> {
  const menu = find('sealed')
  show(false, menu)
  menu.open = false
  const sealed = await readSealed(key, projectId, signal).catch(() => null)
  if (signal.aborted) return
  find('dialect').textContent = sealed?.dialect ?? 'DuckDB'
  if (!sealed) return
  const { snapshotId, sealedAt, warnings } = sealed
  const day = sealedAt.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
  const warned = warnings.length > 0 ? ` · ${counted(warnings.length, 'warning')}` : ''
  const word = make('span', { class: 'sealed-word' }, 'Sealed ')
  find('sealed-told').replaceChildren(word, day + warned)
  const at = sealedAt.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })
  const facts = make('p', {}, `Every query reads the snapshot that was sealed on ${at}: it never changes.`)
  const id = make('p', { class: 'hint' }, 'Snapshot ', make('code', {}, snapshotId))
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

/**
 * Reads the snapshot from a path of this page, which takes
 * the key as the API does; null when there is none to read.
 */
async function readSealed(key: string, projectId: string, signal: AbortSignal): Promise<Sealed | null> {
  const headers = { authorization: `Bearer ${key}` }
  const init: RequestInit = { headers, credentials: 'omit', cache: 'no-store', signal }
  const response = await fetch(`/explore/warnings/${projectId}`, init)
  if (!response.ok) return null
  const { warnings, dialect } = (await response.json()) as Pick<Sealed, 'warnings' | 'dialect'>
  const [sealedAt, tag] = ['Last-Modified', 'ETag'].map(name => response.headers.get(name))
  if (!sealedAt) return null
  return { snapshotId: tag?.replaceAll('"', '') ?? '', sealedAt: new Date(sealedAt), warnings, dialect }
}
