import type { Client, QueryParams } from 'foldgate/client'
import { counted, find, latest, make, show } from './dom.js'
import type { HintList } from './hints.js'
import type { RefusalBox } from './refused-statement.js'

/** What the statement would return, as the service says without running it. */
export interface Checking {
  check(client: Client, params: QueryParams): void
  /** Stops a check, and removes what the last one has told. */
  clear(): void
}

/**
 * Manages the check of the statement: a dry run. It is asked for, and not made while the user types: each takes a
 * unit of the quota, which other programs with the same key need, too, and half a statement would be marked as
 * wrong, which screen readers read out.
 */
export function checking(refusal: RefusalBox, hints: HintList): Checking {
  const told = find('checked')
  const running = latest()

  function clear(): void {
    running.stop()
    told.replaceChildren()
    show(false, told)
  }
  async function check(client: Client, params: QueryParams): Promise<void> {
    clear()
    refusal.clear()
    const signal = running.start()
    find('status').textContent = ''
    told.replaceChildren(make('p', {}, 'Checking …'))
    show(true, told)
    try {
      const wanted = { ...params, dryRun: true as const, include: ['hints' as const] }
      const { columns, relations, hints: found } = await client.query(wanted, { signal })
      const items = columns.map(({ name, type }) =>
        make('li', {}, make('code', {}, name), ' ', make('span', { class: 'type' }, type)),
      )
      const words = `The statement is valid. It returns ${counted(columns.length, 'column')}.`
      told.replaceChildren(
        make('p', {}, make('strong', {}, words), ` ${readsOf(relations)}`),
        make('ul', { 'aria-label': 'Columns of the result' }, ...items),
      )
      hints.tell(params.sql, found)
    } catch (error) {
      if (signal.aborted) return
      clear()
      refusal.tell(error, () => void check(client, params), params.sql)
    }
  }
  return { check: (client, params) => void check(client, params), clear }
}

/** Which relations a statement reads, and which of them are not built yet. */
export function readsOf(relations: readonly { name: string; built: boolean }[]): string {
  if (relations.length === 0) return 'It reads no relation.'
  const missing = relations.flatMap(({ name, built }) => (built ? [] : [name]))
  const reads = `It reads ${listed(relations.map(({ name }) => name))}.`
  if (missing.length === 0) return reads
  return `${reads} The first run builds ${listed(missing)}, and takes longer.`
}

/** `a`, `a and b`, `a, b and c`. */
function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
