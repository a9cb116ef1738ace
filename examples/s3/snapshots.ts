import { randomUUID } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { SnapshotManifest, SnapshotPort } from 'foldgate'
import type { Bucket } from './bucket.js'

const SNAPSHOT_ID = /^\d{6}-[0-9a-f-]{36}$/
/** Local copies that are kept although no call uses them, because they are likely to be read again. */
const KEPT = 8

/** Sealed snapshots in a bucket. */
export interface BucketSnapshots extends SnapshotPort {
  /** Uploads the folder of a sealed snapshot as the newest snapshot of its project. Returns its id. */
  publish(folder: string): Promise<string>
  /** Removes a snapshot from the bucket. Local copies that are in use stay readable. */
  remove(projectId: string, snapshotId: string): Promise<void>
}

/**
 * The engine reads folders, so a snapshot is copied to `cache` when it is first opened. All calls share the copy, which
 * is kept at least until they release it. A snapshot exists once its manifest exists, which is uploaded last.
 */
export function bucketSnapshots(bucket: Bucket, cache: string): BucketSnapshots {
  const copies = new Map<string, { folder: Promise<string>; holders: number }>()
  const manifestOf = (projectId: string, snapshotId: string) => `manifests/${projectId}/${snapshotId}.json`
  const tablesOf = (projectId: string, snapshotId: string) => `tables/${projectId}/${snapshotId}/`

  const list: SnapshotPort['list'] = async (projectId, signal) => {
    const found = await bucket.list(`manifests/${projectId}/`, signal)
    return found
      .map(({ key }) => key.slice(key.lastIndexOf('/') + 1, -'.json'.length))
      .sort()
      .reverse()
  }

  rmSync(cache, { recursive: true, force: true }) // left by an earlier process

  async function copy(projectId: string, snapshotId: string, manifest: string): Promise<string> {
    const folder = resolve(cache, randomUUID())
    await mkdir(folder, { recursive: true })
    const prefix = tablesOf(projectId, snapshotId)
    for (const { key } of await bucket.list(prefix)) {
      const body = await bucket.get(key)
      if (body) await pipeline(body, createWriteStream(join(folder, key.slice(prefix.length))))
    }
    await writeFile(join(folder, 'manifest.json'), manifest)
    return folder
  }

  async function evict(): Promise<void> {
    const free = [...copies].filter(([, { holders }]) => holders === 0)
    for (const [snapshotId, { folder }] of free.slice(0, Math.max(0, free.length - KEPT))) {
      copies.delete(snapshotId)
      await rm(await folder, { recursive: true, force: true })
    }
  }

  return {
    list,
    async open(projectId, snapshotId, signal) {
      if (!SNAPSHOT_ID.test(snapshotId)) return null // an S3 client may resolve `..` in a key
      const body = await bucket.get(manifestOf(projectId, snapshotId), signal)
      if (!body) return null
      const manifest = await text(body)
      const held = copies.get(snapshotId) ?? { folder: copy(projectId, snapshotId, manifest), holders: 0 }
      copies.delete(snapshotId)
      copies.set(snapshotId, held) // the most recently used comes last
      held.holders += 1
      let isHeld = true
      const release = async () => {
        if (isHeld) held.holders -= 1
        isHeld = false
        await evict()
      }
      try {
        return { snapshotId, folder: await held.folder, release }
      } catch (cause) {
        if (copies.get(snapshotId) === held) copies.delete(snapshotId) // the next call tries again
        throw cause
      }
    },
    async publish(folder) {
      const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as SnapshotManifest
      const { projectId } = manifest
      const newest = Number((await list(projectId, new AbortController().signal))[0]?.slice(0, 6) ?? 0)
      const snapshotId = `${String(newest + 1).padStart(6, '0')}-${randomUUID()}`
      for (const name of await readdir(folder))
        if (name !== 'manifest.json')
          await bucket.put(tablesOf(projectId, snapshotId) + name, { path: join(folder, name) })
      await bucket.put(manifestOf(projectId, snapshotId), JSON.stringify({ ...manifest, snapshotId }))
      return snapshotId
    },
    async remove(projectId, snapshotId) {
      await bucket.remove(manifestOf(projectId, snapshotId)) // first, so that no reader finds half of a snapshot
      for (const { key } of await bucket.list(tablesOf(projectId, snapshotId))) await bucket.remove(key)
    },
  }
}
