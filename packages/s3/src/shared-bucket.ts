import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import {
  type BucketPlace,
  type DiskUsage,
  LongestWaiting,
  quoted,
  Refusal,
  type Shared,
  slowly,
  watchUsage,
} from 'foldgate-server/parts'
import { Bucket } from './bucket.js'
import { s3ClusterFiles } from './cluster-files.js'
import { s3Exports } from './exports.js'
import { REREAD, renewCredentials } from './renewed-credentials.js'
import { s3Snapshots } from './snapshots.js'

/** Names the store whose snapshots a bucket has. */
const MARKER = '.store'
/** Timeout of a request for the marker, retries included. */
const MARKER_MS = 10_000
/** Concurrent downloads and uploads of exports; further ones wait. */
const MOST_DOWNLOADS = 1000
const MEASURE_EVERY_MS = 10 * 60_000
/** Each measurement lists all objects, a thousand per page: after the first ten, one page per second. */
const LISTING = { atOnce: 10, pauseMs: 1000 }

/**
 * Snapshots and exports in a bucket. The AWS client finds the region, the credentials and the address of the
 * store as it always does: in environment variables, profiles, or the metadata of the machine.
 */
export function sharedBucket(
  name: string,
  place: BucketPlace,
  cache: { folder: string; bytes: number },
): Shared {
  // The client warns on stderr of versions of Node that later versions of it will not run on.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  // Stores other than AWS rarely have a host name per bucket.
  const hasEndpoint = Boolean(process.env.AWS_ENDPOINT_URL_S3 || process.env.AWS_ENDPOINT_URL)
  const config = { ...REREAD, ...(hasEndpoint ? { forcePathStyle: true } : {}) }
  const client = renewCredentials(new S3Client(config))
  // Each download holds a connection for as long as its reader takes, and must not delay other requests.
  const requestHandler = {
    httpAgent: { maxSockets: MOST_DOWNLOADS },
    httpsAgent: { maxSockets: MOST_DOWNLOADS },
  }
  const exportClient = renewCredentials(new S3Client({ ...config, requestHandler }))
  const { bucket, prefix } = place
  const marker = { Bucket: bucket, Key: prefix + MARKER }
  const snapshots = s3Snapshots({ client, bucket, prefix, cache })
  const within = () => ({ abortSignal: AbortSignal.timeout(MARKER_MS) })

  async function readMarker(): Promise<string | null> {
    try {
      const found = await client.send(new GetObjectCommand(marker), within())
      return (await found.Body?.transformToString())?.trim() ?? ''
    } catch (cause) {
      if (cause instanceof Error && cause.name === 'NoSuchKey') return null
      throw cause
    }
  }

  /**
   * Throws a Refusal when the store ignores conditions, or knows none. Writes the marker unless there is one:
   * a store that ignores this writes what is there, so nothing changes in either case.
   */
  async function requireConditions(id: string): Promise<void> {
    try {
      const given = { ...marker, Body: `${id}\n`, IfNoneMatch: '*' }
      await client.send(new PutObjectCommand(given), within())
    } catch (cause) {
      const status = (cause as S3ServiceException).$metadata?.httpStatusCode ?? 0
      // 403: these credentials may only read.
      if ([412, 409, 403].includes(status)) return
      if (status !== 501) throw cause
    }
    throw new Refusal(
      `The store of the shared bucket ${quoted(name)} ignores conditions of writes (If-None-Match), so snapshots that are ` +
        'sealed at the same time could be lost: use a store that supports them, or a shared folder',
    )
  }

  async function measure(signal: AbortSignal): Promise<DiskUsage> {
    const waiting = new LongestWaiting()
    let [exportBytes, snapshotBytes] = [0, 0]
    const pages = new Bucket({ client, bucket, prefix }).list('', signal)
    for await (const page of slowly(pages, { ...LISTING, signal }))
      for (const { key, bytes, modifiedAt } of page) {
        const [folder, projectId] = key.split('/')
        if (folder === 'exports') exportBytes += bytes
        else if (folder === 'snapshots' || folder === 'tables') snapshotBytes += bytes
        if (folder === 'snapshots' && projectId && key.endsWith('.json')) waiting.see(projectId, modifiedAt)
      }
    return { exportBytes, snapshotBytes, newestSnapshots: waiting.newest }
  }

  return {
    what: 'shared bucket',
    name,
    markerName: MARKER,
    snapshots,
    openExports: retentionMs => s3Exports({ client: exportClient, bucket, prefix, retentionMs }),
    async prepare() {
      try {
        const id = await readMarker()
        if (id !== null) await requireConditions(id)
      } catch (cause) {
        throw cause instanceof Refusal ? cause : refusal(name, cause)
      }
    },
    readMarker,
    async writeMarker(id) {
      const isNew = (await readMarker()) === null
      await client.send(new PutObjectCommand({ ...marker, Body: `${id}\n` }), within())
      try {
        await requireConditions(id)
      } catch (cause) {
        if (isNew) await client.send(new DeleteObjectCommand(marker), within())
        throw cause
      }
    },
    check: async () => {},
    sweep: () => snapshots.sweep(),
    filesOfCluster: location =>
      s3ClusterFiles({ client, bucket, prefix, ...(location === null ? {} : { location }) }),
    watch: () => watchUsage(measure, MEASURE_EVERY_MS),
    close() {
      snapshots.close()
      client.destroy()
      exportClient.destroy()
    },
  }
}

/** Names the error of the store or the client without its message, which may contain account names. */
function refusal(name: string, cause: unknown): Refusal {
  const { code, name: kind, message } = cause as NodeJS.ErrnoException
  const why = code ?? (kind === 'Error' ? message : kind)
  return new Refusal(
    `The shared bucket ${quoted(name)} cannot be used (${why}): check its name, AWS_REGION, the credentials and, for a ` +
      'store other than that of AWS, AWS_ENDPOINT_URL_S3',
    { cause },
  )
}
