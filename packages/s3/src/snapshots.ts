import { Copies, checkOptions, objectSnapshots } from 'foldgate/internal'
import type { SnapshotStore } from 'foldgate/sealing'
import { BUCKET_OPTIONS, Bucket, type BucketOptions } from './bucket.js'
import { cancelUploads } from './upload.js'

/** Options of {@link s3Snapshots}. */
export interface S3SnapshotsOptions extends BucketOptions {
  /**
   * The folder for copies of the tables that this process reads, and the most bytes that they may take. Several processes
   * of a machine may name the same one, and each has copies of its own in it: a process takes over those of one that has
   * ended.
   */
  cache: { folder: string; bytes: number }
}

/**
 * Sealed snapshots in a bucket, below `snapshots/` and `tables/`. Files are stored once per project by their content.
 * `open` copies the files of a snapshot to this machine unless it has them; the copying goes on when the call has run out
 * of time.
 */
export interface S3Snapshots extends SnapshotStore {
  /** Abandons the copies that are being made; leases stay. */
  close(): void
}

/**
 * Reads and publishes sealed snapshots in a bucket. Any number of processes on any number of machines may share it, and each
 * sees what another one changes within 20 ms. The store must support conditional writes (`If-None-Match`).
 *
 * @param options - The client and the bucket, and the folder for copies with its most bytes.
 * @returns The store. Its methods throw a TypeError for a `projectId` that is not a UUID in lower case, and reject with
 * the error of the store.
 * @throws TypeError when an option does not exist, `cache.bytes` is not a whole number above 0, `prefix` does not end
 * with a slash, or `timeoutMs` is not above 0.
 *
 * @example
 * ```ts
 * const client = new S3Client({}) // of @aws-sdk/client-s3
 * const cache = { folder: 'data/copies', bytes: 20 * 1024 ** 3 }
 * const snapshots = s3Snapshots({ client, bucket: 'analytics', prefix: 'foldgate/', cache })
 * ```
 */
export function s3Snapshots(options: S3SnapshotsOptions): S3Snapshots {
  checkOptions('s3Snapshots', options, { ...BUCKET_OPTIONS, cache: true })
  const { cache } = options
  checkOptions('cache', cache, { folder: true, bytes: true })
  if (!(Number.isSafeInteger(cache.bytes) && cache.bytes > 0))
    throw new TypeError(`cache.bytes must be a whole number above 0, not ${cache.bytes}`)
  const bucket = new Bucket(options)
  const local = new Copies(bucket, cache)
  const snapshots = objectSnapshots(bucket, { local })
  return {
    ...snapshots,
    async sweep(signal) {
      await cancelUploads(bucket, ['tables/'])
      await snapshots.sweep(signal)
    },
    close: () => local.close(),
  }
}
