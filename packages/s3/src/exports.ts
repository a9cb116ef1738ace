import { checkOptions, type ExportOptions, objectExports, type StoredExports } from 'foldgate/internal'
import { BUCKET_OPTIONS, Bucket, type BucketOptions } from './bucket.js'
import { cancelUploads } from './upload.js'

/** Exports stored in a bucket until their retention is over. */
export interface S3Exports extends StoredExports {}

const FOLDER = 'exports/'
const SWEEP_EVERY_MS = 3_600_000

/**
 * Stores exports below `exports/` in a bucket. An export is served for `retentionMs` after it was stored, by the clock
 * of the store, and then removed; a lifecycle rule of the bucket may do so as well. Any number of servers may share the
 * bucket.
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
export function s3Exports(options: BucketOptions & ExportOptions): S3Exports {
  checkOptions('s3Exports', options, { ...BUCKET_OPTIONS, retentionMs: true, clock: true })
  const bucket = new Bucket(options)
  const exports = objectExports(bucket, options, { prefix: FOLDER, sweepEveryMs: SWEEP_EVERY_MS })
  return {
    ...exports,
    async sweep() {
      await cancelUploads(bucket, [FOLDER])
      await exports.sweep()
    },
  }
}
