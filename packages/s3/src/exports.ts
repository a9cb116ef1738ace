import type { Clock, ExportPort } from 'foldgate'
import { checkOptions, FORMATS, workOfNobody } from 'foldgate/internal'
import { BUCKET_OPTIONS, Bucket, type BucketOptions } from './bucket.js'
import { cancelUploads, upload } from './upload.js'

/** Exports stored in a bucket until their retention is over. */
export interface S3Exports extends ExportPort {
  /** How long each file is served, milliseconds. */
  readonly retentionMs: number
  /**
   * Removes the file of an export; nothing happens when there is none. Rejects with a TypeError for an id that is no
   * UUID, and with the error of the store.
   */
  remove(exportId: string): Promise<void>
  /**
   * Removes expired files, at most 20,000 at a time, and uploads that were begun a day ago. Also runs at the start and
   * every hour, or every `retentionMs` if that is shorter; a lifecycle rule of the bucket may do it as well. Rejects
   * with the error of the store.
   */
  sweep(): Promise<void>
  /** Stops sweeping; stored files stay. */
  close(): void
}

const EXPORT_ID = /^[0-9a-f-]{36}$/
const FOLDER = 'exports/'
const SWEEP_EVERY_MS = 3_600_000
const PAGES_PER_SWEEP = 20
const DAY_MS = 86_400_000

/**
 * Stores exports below `exports/` in a bucket. An export is served for `retentionMs` after it was stored, by the clock
 * of the store, and then removed. Any number of servers may share the bucket.
 *
 * A download holds a connection of the client for as long as its reader takes. Give exports a client of their own, with
 * enough connections (`requestHandler.httpsAgent.maxSockets`, 50 by default), so that slow readers delay no query.
 *
 * @param options - The client and the bucket, and how long files are served. Times are in milliseconds.
 * @returns The port, which also removes single files and stops sweeping with `close()`. Its methods reject with the
 * error of the store.
 * @throws TypeError when an option does not exist, `retentionMs` is not a whole number above 0, `prefix` does not end
 * with a slash, or `timeoutMs` is not above 0.
 *
 * @example
 * ```ts
 * const exports = s3Exports({ client: new S3Client({}), bucket: 'analytics', retentionMs: 86_400_000 })
 * ```
 */
export function s3Exports(
  options: BucketOptions & {
    /** How long each file is served after it was stored, in milliseconds; at least `limits.linkValidityMs`. */
    retentionMs: number
    /** Source of the current time. Default: the system clock. */
    clock?: Clock
  },
): S3Exports {
  checkOptions('s3Exports', options, { ...BUCKET_OPTIONS, retentionMs: true, clock: true })
  const { retentionMs, clock = Date } = options
  if (!(Number.isSafeInteger(retentionMs) && retentionMs > 0))
    throw new TypeError(`retentionMs must be a whole number above 0, not ${retentionMs}`)
  const bucket = new Bucket(options)
  const closed = new AbortController()
  const isOver = (modifiedAt: number) => clock.now() - modifiedAt > retentionMs
  const keyOf = (exportId: string) => {
    if (!EXPORT_ID.test(exportId)) throw new TypeError('an export id is a UUID')
    return FOLDER + exportId
  }

  /** Where the last sweep has stopped, so that the next one continues there. */
  let after: string | undefined
  async function sweep(): Promise<void> {
    const { signal } = closed
    let pages = 0
    for await (const page of bucket.pages(FOLDER, signal, after)) {
      const expired = page.filter(
        ({ key, modifiedAt }) => EXPORT_ID.test(key.slice(FOLDER.length)) && isOver(modifiedAt),
      )
      await bucket.remove(
        expired.map(({ key }) => key),
        signal,
      )
      after = page.at(-1)?.key
      if (++pages === PAGES_PER_SWEEP) return
    }
    after = undefined
    await cancelUploads(bucket, FOLDER, clock.now() - DAY_MS, signal)
  }

  const sweepQuietly = () => void sweep().catch(() => {}) // expired files are not served, and the next sweep tries again
  sweepQuietly()
  const timer = setInterval(sweepQuietly, Math.min(SWEEP_EVERY_MS, retentionMs))
  timer.unref()

  return {
    retentionMs,
    async put({ exportId, path, format = 'parquet' }, signal) {
      const key = keyOf(exportId)
      try {
        await upload(bucket, { key, path, type: FORMATS[format].type }, signal)
        signal.throwIfAborted()
      } catch (cause) {
        // The caller gets no link to it any more. If the file cannot be removed now, the sweep removes it when its
        // retention is over.
        if (signal.aborted) void bucket.remove([key], workOfNobody().signal).catch(() => {})
        throw cause
      }
    },
    async open(exportId, signal) {
      const key = keyOf(exportId)
      const found = await bucket.head(key, signal)
      if (!found || isOver(found.modifiedAt)) return null
      return { bytes: found.bytes, body: () => bodyOf(bucket, key) }
    },
    remove: exportId => bucket.remove([keyOf(exportId)], closed.signal),
    sweep,
    close() {
      clearInterval(timer)
      closed.abort()
    },
  }
}

/** Streams an object from when it is first read on; cancelling the stream closes its connection. */
function bodyOf(bucket: Bucket, key: string): ReadableStream<Uint8Array> {
  const over = new AbortController()
  let chunks: AsyncGenerator<Buffer, void> | null = null
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= await bucket.get(key, over.signal)
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
