import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Report } from '../operation/log.js'
import type { StoreSchema } from './schema.js'

/** How long a row waits in memory before it is written. */
const WRITE_AFTER_MS = 1000
/** Maximum number of waiting rows. */
const MAX_ROWS = 20_000
/** With fifteen columns per row, well below the limit on parameters of a statement. */
const ROWS_PER_STATEMENT = 500

/** A buffer of rows that are to be written. */
export interface WriteBehind<Row> {
  /** Adds a row, merged with the waiting row of the same id. */
  put(id: string, row: Row): void
  /** Writes the waiting rows and ends: rows put later are not written. */
  close(): Promise<void>
}

/**
 * Writes rows in the background at most once per second, all waiting rows in one transaction; a process that
 * is killed loses those of its last second. Rows that cannot be written keep waiting, and the failure is
 * reported once until writing works again. Beyond 20 000 waiting rows, rows with new ids are dropped.
 * The transaction does not lock out other writers: rows are written in the order of their ids, so that processes which
 * write the same rows wait for each other in that order.
 */
export function writeBehind<Row>(
  { db }: { db: Kysely<StoreSchema> },
  options: {
    /** What the rows are, for the message. */
    what: string
    write(within: Kysely<StoreSchema>, rows: Row[]): Promise<void>
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
      await db.transaction().execute(async within => {
        const rows = [...batch].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
        for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
          await options.write(within, rows.slice(at, at + ROWS_PER_STATEMENT))
          await setImmediate() // the driver blocks the process: let calls run in between
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
