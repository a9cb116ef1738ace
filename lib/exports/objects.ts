import { inParallel } from '../flow/in-parallel.js'
import { workOfNobody } from '../flow/work.js'
import { nameIn, type ObjectStore } from '../objects/store.js'
import type { Clock, ExportPort } from '../ports.js'
import { FORMATS } from './formats.js'

/** Exports that are stored until their retention is over: in a folder or a bucket. */
export interface StoredExports extends ExportPort {
  /** How long each file is served, milliseconds. */
  readonly retentionMs: number
  /**
   * Removes the file of an export; nothing happens when there is none. Rejects with a TypeError for an id that is no
   * UUID, and with the error of the store.
   */
  remove(exportId: string): Promise<void>
  /**
   * Removes expired files, and what killed processes have left. Also runs at the start and now and then. Rejects with
   * the error of the store.
   */
  sweep(): Promise<void>
  /** Stops sweeping; stored files stay. */
  close(): void
}

/** Options of exports, wherever they are stored. */
export interface ExportOptions {
  /** How long each file is served after it was stored, in milliseconds; at least `limits.linkValidityMs`. */
  retentionMs: number
  /** Source of the current time. Default: the system clock. */
  clock?: Clock
}

const EXPORT_ID = /^[0-9a-f-]{36}$/
/** A stored export, or what a killed process has left beside it; any other object is the host's. */
const OWN = /^[0-9a-f-]{36}(~[0-9a-f-]{36})?$/

/**
 * Stores exports in an object store, below `prefix`. Throws a TypeError when `retentionMs` is not a whole number of
 * milliseconds above 0. `sweepEveryMs` is how often expired files are removed, unless `retentionMs` is shorter.
 */
export function objectExports(
  store: ObjectStore,
  { retentionMs, clock = Date }: ExportOptions,
  { prefix, sweepEveryMs }: { prefix: string; sweepEveryMs: number },
): StoredExports {
  if (!(Number.isSafeInteger(retentionMs) && retentionMs > 0))
    throw new TypeError(`retentionMs must be a whole number above 0, not ${retentionMs}`)
  const closed = new AbortController()
  const isOver = (modifiedAt: number) => clock.now() - modifiedAt > retentionMs
  const keyOf = (exportId: string) => {
    if (!EXPORT_ID.test(exportId)) throw new TypeError('an export id is a UUID')
    return prefix + exportId
  }

  async function sweep(): Promise<void> {
    const { signal } = closed
    for await (const page of store.list(prefix, signal)) {
      const expired = page.filter(({ key, modifiedAt }) => OWN.test(nameIn(key)) && isOver(modifiedAt))
      // A file that cannot be removed does not keep the others from being removed.
      await inParallel(expired, ({ key }) => store.delete([key], signal).catch(() => {}))
    }
  }

  const sweepQuietly = () => void sweep().catch(() => {}) // expired files are not served, and the next sweep tries again
  sweepQuietly()
  const timer = setInterval(sweepQuietly, Math.min(sweepEveryMs, retentionMs))
  timer.unref()

  return {
    retentionMs,
    async put({ exportId, path, format = 'parquet' }, signal) {
      const key = keyOf(exportId)
      try {
        await store.put(key, { path, type: FORMATS[format].type }, signal)
        signal.throwIfAborted()
      } catch (cause) {
        // The caller gets no link to it any more. If the file cannot be removed now, the sweep removes it when its
        // retention is over.
        if (signal.aborted) await store.delete([key], workOfNobody().signal).catch(() => {})
        throw cause
      }
    },
    async open(exportId, signal) {
      const key = keyOf(exportId)
      const found = await store.stat(key, signal)
      if (!found || isOver(found.modifiedAt)) return null
      return { bytes: found.bytes, body: () => bodyOf(store, key) }
    },
    remove: exportId => store.delete([keyOf(exportId)], closed.signal),
    sweep,
    close() {
      clearInterval(timer)
      closed.abort()
    },
  }
}

/** Streams an object from when it is first read on; cancelling the stream frees what reads it. */
function bodyOf(store: ObjectStore, key: string): ReadableStream<Uint8Array> {
  const over = new AbortController()
  let chunks: AsyncGenerator<Buffer, void> | null = null
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= await store.get(key, over.signal)
        if (!chunks) throw new Error('the stored file was removed')
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel(reason) {
        over.abort(reason)
        await chunks?.return()
      },
    },
    { highWaterMark: 0 },
  )
}
