import { checkOptions, listAll, type StoredFile, tableKey, workOfNobody } from 'foldgate/internal'
import { BUCKET_OPTIONS, Bucket, type BucketOptions } from './bucket.js'
import { cancelUploads } from './upload.js'

/** Files in a bucket that a service writes and a cluster reads, beside the snapshots there. */
export interface S3ClusterFiles {
  /** URL of the files as the cluster names it. */
  readonly location: string
  /** Uploads the file at `path`, whole or not at all, as `name` below the location. The file at `path` stays. */
  put(name: string, path: string): Promise<void>
  /** Removes all files in a folder below the location. */
  remove(folder: string): Promise<void>
  /** URL under which the cluster finds a file of a sealed snapshot, which may not exist. */
  fileLocation(snapshot: { projectId: string; snapshotId: string }, file: StoredFile): string
}

const FOLDER = 'trino/'

/**
 * Where `trinoEngine` of `foldgate-trino` puts files, below `trino/`, and where its cluster reads these and the
 * snapshots of `s3Snapshots`, in the same bucket and with the same prefix. The cluster has credentials of its own: the
 * library sends it no credentials.
 *
 * @param options - The client, the bucket and the prefix of `s3Snapshots`.
 * @returns The value of `shared` of `trinoEngine`.
 * @throws TypeError when an option does not exist, `prefix` does not end with a slash, or `timeoutMs` is not above 0.
 *
 * @example
 * ```ts
 * const shared = s3ClusterFiles({ client: new S3Client({}), bucket: 'analytics', prefix: 'foldgate/' })
 * ```
 */
export function s3ClusterFiles(
  options: BucketOptions & {
    /** URL of the bucket and the prefix as the cluster names them. Default: `s3://`, the bucket and the prefix. */
    location?: string
  },
): S3ClusterFiles {
  checkOptions('s3ClusterFiles', options, { ...BUCKET_OPTIONS, location: true })
  const { bucket: name, prefix = '' } = options
  const bucket = new Bucket(options)
  const root = (options.location ?? `s3://${name}/${prefix}`).replace(/\/$/, '')
  return {
    location: `${root}/${FOLDER.slice(0, -1)}`,
    async put(file, path) {
      await bucket.put(FOLDER + file, { path }, workOfNobody().signal)
    },
    async remove(folder) {
      const { signal } = workOfNobody()
      const prefix = `${FOLDER}${folder}/`
      await cancelUploads(bucket, [prefix], 0)
      const listed = await listAll(bucket, prefix, signal)
      await bucket.delete(
        listed.map(({ key }) => key),
        signal,
      )
    },
    fileLocation: ({ projectId }, file) => `${root}/${tableKey(projectId, file)}`,
  }
}
