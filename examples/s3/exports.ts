import { Readable } from 'node:stream'
import type { Clock, ExportPort } from 'foldgate'
import type { Bucket } from './bucket.js'

const FOLDER = 'exports/'

/** Exports in a bucket. Exports past their retention are no longer served, and `sweep()` removes them. */
export function bucketExports(
  bucket: Bucket,
  { retentionMs, clock = Date }: { retentionMs: number; clock?: Clock },
): ExportPort & { sweep(): Promise<void> } {
  const isOver = (modifiedAt: number) => clock.now() - modifiedAt > retentionMs
  return {
    put: ({ exportId, path }, signal) => bucket.put(FOLDER + exportId, { path }, signal),
    async open(exportId, signal) {
      const found = await bucket.head(FOLDER + exportId, signal)
      if (!found || isOver(found.modifiedAt)) return null
      const read = async function* () {
        yield* (await bucket.get(FOLDER + exportId)) ?? []
      }
      const body = () => Readable.toWeb(Readable.from(read(), { objectMode: false })) as ReadableStream<Uint8Array>
      return { bytes: found.bytes, body }
    },
    async sweep() {
      for (const { key, modifiedAt } of await bucket.list(FOLDER)) if (isOver(modifiedAt)) await bucket.remove(key)
    },
  }
}
