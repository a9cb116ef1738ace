import type { SealProblem } from 'foldgate'
import type { Api } from './api.js'
import { counted, find, make, show } from './dom.js'

/** Shows the warnings with which the newest snapshot of a project was sealed. Without an answer, none are shown. */
export async function showWarnings(api: Api, projectId: string, signal: AbortSignal): Promise<void> {
  const fold = find('sealed', HTMLDetailsElement)
  show(false, fold)
  const warnings = await api.warnings(projectId, signal).catch((): SealProblem[] => [])
  if (signal.aborted || warnings.length === 0) return
  fold.replaceChildren(
    make('summary', {}, `Sealed with ${counted(warnings.length, 'warning')}`),
    make(
      'ul',
      {},
      ...warnings.map(warning => make('li', {}, make('code', {}, placeOf(warning)), `: ${warning.message}`)),
    ),
  )
  show(true, fold)
}

function placeOf({ table, column }: SealProblem): string {
  return column === undefined ? table : `${table}.${column}`
}
