import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { listAll, TimeIsOver, workOfNobody } from 'foldgate/internal'
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
import { isThrottled, type Send, statusOf } from './requests.js'
import { s3Snapshots } from './snapshots.js'

/** Names the store whose snapshots a bucket has. */
const MARKER = '.store'
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
  const objects = new Bucket({ client, bucket, prefix })
  const marker = objects.at(MARKER)
  const snapshots = s3Snapshots({ client, bucket, prefix, cache })
  const send = <Answer>(request: string, sending: Send<Answer>) =>
    objects.send(workOfNobody().signal, { request, key: MARKER }, sending)

  async function readMarker(): Promise<string | null> {
    const chunks = await objects.get(MARKER, workOfNobody().signal)
    if (!chunks) return null
    return (await Readable.from(chunks).setEncoding('utf8').toArray()).join('').trim()
  }

  /**
   * Throws a Refusal when the store ignores conditions, or knows none. Writes the marker unless there is one:
   * a store that ignores this writes what is there, so nothing changes in either case.
   */
  async function requireConditions(id: string): Promise<void> {
    try {
      const given = { ...marker, Body: `${id}\n`, IfNoneMatch: '*' }
      await send('PutObject', (to, options) => to.send(new PutObjectCommand(given), options))
    } catch (cause) {
      const status = statusOf(cause) ?? 0
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
    const pages = objects.list('', signal)
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
    objects: new Bucket({ client, bucket, prefix }),
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
      const given = { ...marker, Body: `${id}\n` }
      await send('PutObject', (to, options) => to.send(new PutObjectCommand(given), options))
      try {
        await requireConditions(id)
      } catch (cause) {
        if (isNew) await objects.delete([MARKER], workOfNobody().signal)
        throw cause
      }
    },
    check: async () => {},
    async probe() {
      const { signal } = workOfNobody()
      const key = `clock/${randomUUID()}` // where a sweep removes it if this process is killed
      try {
        await objects.put(key, 'probe', signal)
        const listed = await listAll(objects, key, signal)
        if (listed.length === 0) throw new Error('the store does not list what was just written')
        await objects.delete([key], signal)
      } catch (cause) {
        throw refusal(name, cause)
      }
    },
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

/**
 * Names the error of the store or the client without its message, which may contain account names, and says what to
 * do: nothing of the settings is wrong when a store throttles, breaks connections or fails.
 */
export function refusal(name: string, cause: unknown): Refusal {
  const { code, name: kind, message } = cause as NodeJS.ErrnoException
  const status = statusOf(cause) ?? 0
  const why = code ?? (kind === 'Error' ? message : kind)
  const known = /^(UnknownError|Error)?$/.test(kind ?? '') && status > 0 ? String(status) : why
  const told = (what: string, advice: string) =>
    new Refusal(`The shared bucket ${quoted(name)} ${what} (${known}): ${advice}`, { cause })
  if (isThrottled(cause))
    return told(
      'is throttled by its store',
      'try again later, with fewer commands and servers at once, or raise the limits of the store',
    )
  if (status >= 500) return told('cannot be used, since its store fails', 'try again later')
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return told('cannot be reached', 'connections to its store break: look at the network and at the store')
  if (cause instanceof TimeIsOver)
    return new Refusal(
      `The shared bucket ${quoted(name)} does not answer in time: look at the network, the store and, for one other ` +
        'than that of AWS, AWS_ENDPOINT_URL_S3',
      { cause },
    )
  return told(
    'cannot be used',
    'check its name, AWS_REGION, the credentials and, for a store other than that of AWS, AWS_ENDPOINT_URL_S3',
  )
}
