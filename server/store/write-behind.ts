import { setImmediate } from 'node:timers/promises'
import type { Store } from './store.js'

/** How long something waits in memory before it is written. */
const WRITE_AFTER_MS = 1000
/** Rows that wait at most. */
const MAX_ROWS = 20_000
/** Eight columns of so many rows are well below what a statement takes in parameters. */
const ROWS_A_STATEMENT = 500

/** Tells the operator what failed, in words that "failed" can follow, and why. */
export type Report = (what: string, cause: unknown) => void

/** Rows on their way to the store. */
export interface WriteBehind<Row> {
  /** Hands over a row; it becomes one with the row of the same id that still waits. */
  put(id: string, row: Row): void
  /** Writes what waits and ends: what is put after it is not written. */
  close(): Promise<void>
}

/**
 * Writes rows at most once a second, all that wait in one transaction, and never makes who puts them wait: a process
 * that is killed loses those of its last second. What cannot be written is reported, once until it can be again, and
 * waits; past 20 000 rows new ids are let go.
 */
export function writeBehind<Row>(
  store: Store,
  options: {
    /** What the rows are, for the message. */
    what: string
    write(within: Store, rows: Row[]): Promise<void>
    merge(older: Row, newer: Row): Row
    report: Report
  },
): WriteBehind<Row> {
  let waiting = new Map<string, Row>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let isFailing = false
  let isClosed = false

  const add = (id: string, row: Row) => {
    const older = waiting.get(id)
    if (older !== undefined) waiting.set(id, options.merge(older, row))
    else if (waiting.size < MAX_ROWS) waiting.set(id, row)
  }
  const schedule = () => {
    if (isClosed) return
    timer ??= setTimeout(() => {
      writing = writing.then(write)
    }, WRITE_AFTER_MS).unref()
  }
  const write = async () => {
    timer = undefined
    if (waiting.size === 0) return
    const batch = waiting
    waiting = new Map()
    try {
      await store.transaction(async within => {
        const rows = [...batch.values()]
        for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) {
          await options.write(within, rows.slice(at, at + ROWS_A_STATEMENT))
          await setImmediate() // the driver holds the process up, and calls want their turn
        }
      })
      isFailing = false
    } catch (cause) {
      if (!isFailing) options.report(`writing ${options.what}`, cause)
      isFailing = true
      const newer = waiting
      waiting = batch
      for (const [id, row] of newer) add(id, row)
      schedule()
    }
  }
  return {
    put(id, row) {
      add(id, row)
      schedule()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await writing
      await write()
    },
  }
}
