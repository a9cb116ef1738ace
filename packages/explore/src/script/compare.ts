import type { Client, QueryParams, Row } from 'foldgate/client'
import { differences, tableOf } from './differences.js'
import { counted, find, latest, make, onClick, show } from './dom.js'
import type { RefusalBox } from './refused-statement.js'
import { moment, type SealedSnapshot } from './sealed.js'
import { fillTable } from './table.js'
import type { RowColumn } from './values.js'

/** The question whose rows are shown, and the snapshot that they are of. */
export interface Compared {
  client: Client
  params: QueryParams
  columns: readonly RowColumn[]
}

/** The rows of one question in two snapshots, side by side. */
export interface Comparison {
  /** Offers snapshots other than that of the rows that are shown now, and forgets what was compared. */
  offer(of: string | undefined): void
}

/** Most rows of either snapshot: of a part of the rows, others would seem to be gone. */
const MOST_COMPARED = 5000

/** Manages the panel that compares the rows shown with those of another snapshot. */
export function comparing(
  refusal: RefusalBox,
  sealed: Pick<SealedSnapshot, 'kept'>,
  shown: () => Compared | null,
): Comparison {
  const [field, begin, said] = [find('compare-with'), find('compare'), find('compare-said')]
  const [table, scroll] = [find('compared'), find('compare-scroll')]
  const running = latest()

  async function rowsOf({ client, params }: Compared, snapshot: string | undefined, signal: AbortSignal) {
    const rows: Row[] = []
    const pinned = { ...params, ...(snapshot === undefined ? {} : { snapshot }) }
    for await (const row of client.rows(pinned, { signal })) if (rows.push(row) > MOST_COMPARED) return null
    return rows
  }

  async function compare(): Promise<void> {
    const run = shown()
    const kept = sealed.kept()
    const place = (id: string | undefined) => kept.findIndex(({ snapshot }) => snapshot === id)
    if (!run) return
    // Newest first: the one further down is the older one.
    const ids = [run.params.snapshot ?? undefined, field.value].sort(
      (one, other) => place(other) - place(one),
    )
    const [older, newer] = ids.map(id => moment(kept[place(id)]?.sealedAt ?? ''))
    const signal = running.start()
    clear('Reading the rows of both snapshots …')
    refusal.clear()
    try {
      const [before, after] = [await rowsOf(run, ids[0], signal), await rowsOf(run, ids[1], signal)]
      if (!before || !after) {
        said.textContent = `More than ${counted(MOST_COMPARED, 'row')}: aggregate or filter them to compare.`
        return
      }
      const pairs = differences(run.columns, before, after)
      const { columns, rows } = tableOf(run.columns, pairs)
      fillTable(table, { columns, rows, from: 0, sort: null })
      show(rows.length > 0, scroll)
      const counts = ['changed', 'new', 'gone', 'the same'].map(
        state => [pairs.filter(pair => pair.state === state).length, state] as const,
      )
      const told = counts
        .filter(([count]) => count > 0)
        .map(([count, state]) => `${count.toLocaleString('en')} ${state}`)
      said.textContent = `${counted(pairs.length, 'row')}: ${told.join(', ') || 'none in either'}. Before: ${older}; after: ${newer}.`
    } catch (error) {
      if (signal.aborted) return
      said.textContent = 'Failed'
      refusal.tell(error, () => void compare(), run.params.sql)
    }
  }

  function clear(words: string): void {
    table.replaceChildren()
    show(false, scroll)
    said.textContent = words
  }

  onClick(begin, compare)
  return {
    offer(of) {
      running.stop()
      const others = sealed.kept().filter(({ snapshot }) => snapshot !== of)
      field.replaceChildren(
        ...others.map(({ snapshot, sealedAt }) => make('option', { value: snapshot }, moment(sealedAt))),
      )
      begin.disabled = others.length === 0
      clear(others.length === 0 ? 'No other snapshot of this project is kept.' : '')
    },
  }
}
