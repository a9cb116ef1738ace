import { open } from 'node:fs/promises'
import type { Store } from '../database/store.js'
import type { Report } from '../operation/log.js'
import { lastRecord, recordsOf } from '../store/audit.js'
import { keepDoing } from '../store/chores.js'

const LOOK_EVERY_MS = 500
const RECORDS_AT_ONCE = 500

/**
 * Appends the records of the audit that any process makes from now on, one line of JSON each, to a file that only its owner
 * may read, or for `-` to standard output. A record is there within half a second. Records that cannot be written stay in
 * the store, and are written as soon as that succeeds; the first failure in a row is reported. `stop` writes what is
 * there.
 */
export async function keepAuditLog(
  store: Store,
  file: string,
  report: Report,
): Promise<{ stop(): Promise<void> }> {
  let last = await lastRecord(store)
  let hasFailed = false
  const writeNew = async () => {
    for (;;) {
      const records = await recordsOf(store, { after: last, most: RECORDS_AT_ONCE })
      if (records.length === 0) return
      await append(file, records.map(record => `${JSON.stringify(record)}\n`).join(''))
      last = records.at(-1)?.id ?? last
    }
  }
  const look = async () => {
    try {
      await writeNew()
      hasFailed = false
    } catch (cause) {
      if (!hasFailed) report('writing the log of the audit', cause)
      hasFailed = true
    }
  }
  const keeping = keepDoing([{ what: 'writing the log of the audit', run: look }], report, LOOK_EVERY_MS)
  return {
    async stop() {
      await keeping.stop()
      await look()
    },
  }
}

/** Appends all of the lines or none. */
async function append(file: string, lines: string): Promise<void> {
  if (file === '-') {
    process.stdout.write(lines)
    return
  }
  // Opened each time, so that a file that was rotated away is made anew.
  const handle = await open(file, 'a', 0o600)
  try {
    const { size } = await handle.stat()
    try {
      await handle.writeFile(lines)
    } catch (cause) {
      await handle.truncate(size).catch(() => {}) // the lines are written again
      throw cause
    }
  } finally {
    await handle.close()
  }
}
