import { setMaxListeners } from 'node:events'
import { join, resolve } from 'node:path'
import {
  checkKeep,
  checkOptions,
  checkProjectId,
  checkTextPlace,
  DamagedSnapshot,
  Drafts,
  isSnapshotId,
  numberOf,
  olderThan,
  parseManifest,
  placeProblems,
  RecentMap,
  SHARED_FILES_VERSION,
  SingleFlight,
} from 'foldgate/internal'
import { type SnapshotManifest, type SnapshotStore, snapshotFiles } from 'foldgate/sealing'
import { removeAbandoned } from './abandoned.js'
import { BUCKET_OPTIONS, Bucket, type BucketOptions } from './bucket.js'
import { Copies, SEALING } from './copies.js'
import { digestIn } from './download-snapshot.js'
import { ABANDONED_MS } from './linking.js'
import {
  FILES,
  fileKey,
  filesKey,
  filesOf,
  idInKey,
  MANIFESTS,
  manifestKey,
  manifestsOf,
  nameInKey,
  numbersOf,
  TABLES,
} from './object-keys.js'
import { Publisher } from './publish.js'
import { removeUnnamed } from './remove-unnamed.js'
import { cancelUploads } from './upload.js'

/** Options of {@link s3Snapshots}. */
export interface S3SnapshotsOptions extends BucketOptions {
  /**
   * The folder for copies of the snapshots that this machine reads, and for drafts of those that it seals,
   * and the most bytes that the copies may take. Several processes of a machine may share it.
   */
  cache: { folder: string; bytes: number }
}

/**
 * Sealed snapshots in a bucket, below `manifests/`, `tables/`, `numbers/`, `linking/` and `removing/`, and those of earlier
 * versions below `files/`. Files are stored once per project by their content: a snapshot names those that the one before
 * it has, too. `open` copies a snapshot to this
 * machine unless it has a copy; the copying goes on when the call has run out of time. `prune` removes no
 * copies on other machines: processes there evict them.
 */
export interface S3Snapshots extends SnapshotStore {
  /**
   * Removes the drafts of ended processes of this machine, and from the bucket the files of snapshots that were begun a
   * day ago and never published. For the latter it lists all objects: of many processes, one may do so once a day.
   * Default: both. Rejects with the error of the store or of the file system.
   */
  sweep(where?: 'machine' | 'bucket'): Promise<void>
  /** Abandons the copies that are being made; leases stay. */
  close(): void
}

/** Manifests that are kept in memory: they never change. */
const KEPT = 256

/**
 * Reads and publishes sealed snapshots in a bucket. Any number of processes on any number of machines may share it. The
 * store must support conditional writes (`If-None-Match`).
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
  const copies = new Copies(bucket, cache)
  const drafts = new Drafts(join(resolve(cache.folder), SEALING))
  const publisher = new Publisher(options)
  const known = new RecentMap<string, object>(KEPT)
  const closed = new AbortController()
  const own = closed.signal
  setMaxListeners(0, own) // of any number of requests

  // Listings that hang while the store does would pile up unless they were aborted.
  const listings = new SingleFlight<readonly string[]>({ isAbortedWhenLeft: true })
  /** Lists the ids in the bucket as it is now, and so never takes a listing that began before the call. */
  const list = async (projectId: string, signal: AbortSignal) => {
    checkProjectId(projectId)
    return listings.joinNext(projectId, { signal }, async wanted => {
      const found = await bucket.list(manifestsOf(projectId), wanted)
      const ids = found.map(({ key }) => idInKey(key)).filter(isSnapshotId)
      return ids.sort().reverse()
    })
  }

  /** Reads the manifest of a snapshot anew; null when there is none. */
  async function read(projectId: string, snapshotId: string, signal: AbortSignal): Promise<object | null> {
    const text = await bucket.text(manifestKey(projectId, snapshotId), signal)
    if (text === null) return null
    checkTextPlace(text, projectId, snapshotId)
    const manifest = JSON.parse(text) as object
    known.set(`${projectId}/${snapshotId}`, manifest)
    return manifest
  }

  async function manifestOf(projectId: string, snapshotId: string): Promise<SnapshotManifest | null> {
    try {
      const found = known.get(`${projectId}/${snapshotId}`) ?? (await read(projectId, snapshotId, own))
      return found && parseManifest(JSON.stringify(found))
    } catch (cause) {
      if (!(cause instanceof DamagedSnapshot)) throw cause
      throw new DamagedSnapshot(`snapshot ${snapshotId} of the project ${projectId}: ${cause.message}`)
    }
  }

  async function manifests(projectId: string): Promise<SnapshotManifest[]> {
    const found = (await list(projectId, own)).map(id => manifestOf(projectId, id))
    return (await Promise.all(found)).filter(manifest => manifest !== null)
  }

  /** Before their files, so that no reader finds half of a snapshot. */
  async function removeManifests(projectId: string, ids: readonly string[]): Promise<void> {
    await bucket.remove(
      ids.map(id => manifestKey(projectId, id)),
      own,
    )
  }

  async function removeListed(objects: readonly { key: string }[]): Promise<void> {
    await bucket.remove(
      objects.map(({ key }) => key),
      own,
    )
  }

  return {
    list,
    async listBetween(after, last, signal) {
      const found = new Map<string, string[]>()
      const start = after === '' ? undefined : `${MANIFESTS}${after}0` // 0 comes right after the slash
      for await (const page of bucket.pages(MANIFESTS, signal, start))
        for (const { key } of page) {
          const [projectId = '', id] = [key.split('/')[1], idInKey(key)]
          if (last !== null && projectId > last) return newestFirst(found)
          if (isSnapshotId(id)) found.set(projectId, [...(found.get(projectId) ?? []), id])
        }
      return newestFirst(found)
    },
    async open(projectId, snapshotId, signal) {
      checkProjectId(projectId)
      if (!isSnapshotId(snapshotId)) return null
      const manifest = await read(projectId, snapshotId, signal)
      return manifest && copies.open({ projectId, snapshotId, manifest }, null, signal)
    },
    async openFiles(projectId, snapshotId, files, signal) {
      checkProjectId(projectId)
      if (!isSnapshotId(snapshotId)) return null
      const known = await copies.openKnown({ projectId, snapshotId }, files, signal)
      if (known !== undefined) return known
      const manifest = await read(projectId, snapshotId, signal)
      return manifest && copies.open({ projectId, snapshotId, manifest }, files, signal)
    },
    async manifestOf(projectId, snapshotId, signal) {
      checkProjectId(projectId)
      if (!isSnapshotId(snapshotId)) return null
      const text = await bucket.text(manifestKey(projectId, snapshotId), signal)
      if (text !== null) checkTextPlace(text, projectId, snapshotId)
      return text
    },
    manifests,
    async verify(projectId, snapshotId) {
      checkProjectId(projectId)
      try {
        const text = isSnapshotId(snapshotId)
          ? await bucket.text(manifestKey(projectId, snapshotId), own)
          : null
        if (text === null) return ['manifest.json is missing']
        const manifest = parseManifest(text)
        if (manifest === null) return ['manifest.json is in a format of another version']
        const files = snapshotFiles(manifest)
        const problems = placeProblems(manifest, { projectId, snapshotId })
        for (const stored of files) {
          const digest = await digestIn(bucket, fileKey({ projectId, snapshotId }, stored), own)
          if (digest === null) problems.push(`${stored.file} is missing`)
          else if (digest !== stored.sha256) problems.push(`${stored.file} is not as it was sealed`)
        }
        return problems
      } catch (error) {
        if (error instanceof DamagedSnapshot) return [error.message]
        throw error
      }
    },
    async prune(projectId, keep) {
      checkKeep(keep)
      const ids = await list(projectId, own)
      const known = await manifests(projectId)
      const kept = known.slice(0, keep).map(manifest => manifest.snapshotId)
      const removed = [...olderThan(ids, new Set(kept))]
      if (removed.length === 0) return removed
      await removeManifests(projectId, removed)
      const isShared = new Map(
        known.map(each => [each.snapshotId, each.formatVersion === SHARED_FILES_VERSION]),
      )
      for (const id of removed.filter(each => !isShared.get(each)))
        await removeListed(await bucket.list(filesKey(projectId, id), own))
      await removeUnnamed(bucket, projectId, own)
      const oldest = numberOf(kept.at(-1))
      const numbers = await bucket.list(numbersOf(projectId), own)
      await removeListed(numbers.filter(({ key }) => Number(nameInKey(key)) < oldest))
      return removed
    },
    async remove(projectId) {
      const removed = [...(await list(projectId, own))]
      await removeManifests(projectId, removed)
      for (const folder of [filesOf(projectId), numbersOf(projectId)])
        await removeListed(await bucket.list(folder, own))
      await removeUnnamed(bucket, projectId, own)
      return removed
    },
    async sweep(where) {
      if (where !== 'bucket') await Promise.all([drafts.sweep(), copies.sweep()])
      if (where === 'machine') return
      const before = Date.now() - ABANDONED_MS
      for (const part of [FILES, TABLES]) await cancelUploads(bucket, part, before, own)
      await removeAbandoned(bucket, before, own)
    },
    draft: () => drafts.create(),
    publish: (draft, contents, signal = own, options = {}) =>
      publisher.publish(draft, contents, signal, options),
    close() {
      closed.abort()
      copies.close()
    },
  }
}

function newestFirst(found: Map<string, string[]>): Map<string, string[]> {
  for (const ids of found.values()) ids.sort().reverse()
  return found
}
