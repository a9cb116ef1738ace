import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { LastingFailure } from '../errors.js'
import { ifMissing } from '../files/missing.js'
import { namingSpace } from '../files/no-space.js'
import { Places } from '../flow/places.js'
import { RecentMap } from '../flow/recent.js'
import { SingleFlight } from '../flow/single-flight.js'
import type { SnapshotLease } from '../ports.js'
import { SnapshotFolder, sync } from '../snapshots/folder.js'
import { isSnapshotId } from '../snapshots/ids.js'
import {
  DamagedSnapshot,
  FILE_NAME,
  MANIFEST_FILE,
  readManifest,
  type SnapshotManifest,
} from '../snapshots/manifest.js'
import type { Bucket, Listed } from './bucket.js'
import { download, type Stored } from './download-snapshot.js'
import { filesKey, nameInKey } from './object-keys.js'

/** Folder of drafts of snapshots that are being sealed, beside the copies; they are not bounded. */
export const SEALING = '.sealing'
/** A lease waits this long while another process tries to remove the copy. */
const WITHIN_MS = 2000
/** Times to copy a snapshot whose copy is removed before it can be opened. */
const MOST_ATTEMPTS = 5
/** Copies that were compared with the bucket since this process has started. */
const MOST_CHECKED = 10_000
/**
 * Damaged snapshots that are remembered, and how long; copying one again would read all of its files again.
 */
const MOST_DAMAGED = 100
const DAMAGED_FOR_MS = 60_000

/**
 * Copies of snapshots in a folder of this machine, because the engine reads files. All together take at most
 * `bytes`: the copies that were opened least recently are removed first, and none with a lease. Several
 * processes may share the folder.
 */
export class Copies {
  readonly #bucket: Bucket
  readonly #folder: SnapshotFolder
  readonly #bytes: number
  readonly #checked = new RecentMap<string, true>(MOST_CHECKED)
  readonly #damaged = new RecentMap<string, { listed: readonly Listed[]; cause: unknown; until: number }>(
    MOST_DAMAGED,
  )
  /**
   * Copies that are being looked for or made: a lease keeps each from eviction until its callers have their
   * own.
   */
  readonly #holds = new SingleFlight<SnapshotLease | null>({
    release: hold => void hold?.release().catch(() => {}),
  })
  readonly #closed = new AbortController()
  /** Room is made for one copy at a time. */
  readonly #making = new Places(1)

  constructor(bucket: Bucket, { folder, bytes }: { folder: string; bytes: number }) {
    this.#bucket = bucket
    this.#folder = new SnapshotFolder(folder)
    this.#bytes = bytes
  }

  /**
   * Takes a lease on the copy of a snapshot, which is made first unless there is one; null when the snapshot
   * was removed meanwhile. Concurrent calls share the work, which goes on when they have left. Throws a
   * DamagedSnapshot when a file is missing or not as it was sealed.
   */
  async open(stored: Stored, signal: AbortSignal): Promise<SnapshotLease | null> {
    const { projectId, snapshotId } = stored
    const place = `${projectId}/${snapshotId}`
    if (this.#checked.get(place)) {
      const lease = await this.#folder.open(projectId, snapshotId, WITHIN_MS)
      if (lease) return touched(lease)
    }
    const find = async () => {
      const hold = await this.#find(stored)
      if (hold) this.#checked.set(place, true)
      return hold
    }
    return this.#holds.use(
      place,
      { signal },
      find,
      async hold => hold && this.#folder.open(projectId, snapshotId, WITHIN_MS),
    )
  }

  /** Removes what ended processes have left. */
  sweep(): Promise<void> {
    return this.#folder.drafts.sweep()
  }

  /** Abandons the copies that are being made. */
  close(): void {
    this.#closed.abort()
  }

  async #find(stored: Stored): Promise<SnapshotLease | null> {
    const { projectId, snapshotId } = stored
    const all = await this.#bucket.list(filesKey(projectId, snapshotId), this.#closed.signal)
    const listed = all.filter(({ key }) => FILE_NAME.test(nameInKey(key)))
    for (let attempt = 1; ; attempt++) {
      const found = await this.#openCopy(stored, listed)
      if (found) return touched(found)
      // Another process may make room by removing a copy as soon as it is there.
      if (attempt > MOST_ATTEMPTS)
        throw new Error('the local copy of a snapshot differs from the stored one, or is removed again')
      await this.#folder.remove(projectId, snapshotId) // a copy of something else, if there is one
      const damaged = this.#damaged.get(snapshotId)
      if (damaged && performance.now() < damaged.until && isDeepStrictEqual(damaged.listed, listed))
        throw damaged.cause
      const isCopied = await namingSpace([this.#folder.root], () => this.#copy(stored, listed)).catch(
        cause => {
          const until = performance.now() + DAMAGED_FOR_MS
          if (cause instanceof DamagedSnapshot) this.#damaged.set(snapshotId, { listed, cause, until })
          throw cause
        },
      )
      if (!isCopied) return null
    }
  }

  /** Takes a lease on the copy if it equals what is stored. */
  async #openCopy(stored: Stored, listed: readonly Listed[]): Promise<SnapshotLease | null> {
    const found = await this.#folder.open(stored.projectId, stored.snapshotId, WITHIN_MS).catch(() => null)
    if (found && (await isCopyOf(found.folder, stored, listed))) return found
    await found?.release()
    return null
  }

  /** Copies a snapshot to a draft, then moves it to its place; false when it was removed meanwhile. */
  async #copy(stored: Stored, listed: readonly Listed[]): Promise<boolean> {
    const { projectId, snapshotId, manifest } = stored
    const draft = await this.#folder.drafts.create()
    try {
      const { signal } = this.#closed
      const made = await download(this.#bucket, draft, stored, {
        listed,
        signal,
        makeRoom: () => this.#makeRoom(snapshotId, draft),
      })
      if (!made) return false
      for (const name of await readdir(draft)) await sync(join(draft, name))
      // Another process may have been faster.
      await this.#folder.place(draft, { ...manifest, projectId, snapshotId }).catch(ifThere)
      return true
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  /** Removes copies until all of them, and what is being copied, are within the bound. */
  #makeRoom(snapshotId: string, draft: string): Promise<void> {
    return this.#making.run({}, async () => {
      const { root } = this.#folder
      const needed = await bytesIn(draft)
      if (needed > this.#bytes)
        throw new LastingFailure(
          `the snapshot ${snapshotId} has ${needed} bytes, and all copies may take ${this.#bytes}: give them more ` +
            'room, or seal less',
        )
      const copies: { projectId: string; snapshotId: string; bytes: number; usedAt: number }[] = []
      let total = 0
      for (const home of (await namesIn(root)).filter(name => name !== SEALING))
        for (const name of await namesIn(join(root, home))) {
          const path = join(root, home, name)
          const [bytes, found] = [await bytesIn(path), await stat(path).catch(ifMissing(null))]
          total += bytes
          if (found && isSnapshotId(name))
            copies.push({ projectId: home, snapshotId: name, bytes, usedAt: found.mtimeMs })
        }
      for (const copy of copies.sort((a, b) => a.usedAt - b.usedAt)) {
        if (total <= this.#bytes) return
        if (await this.#folder.remove(copy.projectId, copy.snapshotId)) total -= copy.bytes
      }
      if (total > this.#bytes)
        throw new Error(
          `there is no room for a copy of the snapshot ${snapshotId}: with those in use, it would take ${total} bytes, ` +
            `and copies may take ${this.#bytes}`,
        )
    })
  }
}

/** Notes that a copy is used now, also for other processes and after a restart. */
async function touched(lease: SnapshotLease): Promise<SnapshotLease> {
  const now = new Date()
  await utimes(lease.folder, now, now).catch(() => {}) // at worst, the copy is evicted too early
  return lease
}

/** Whether a copy has the manifest and, by their sizes, the files that are stored. */
async function isCopyOf(folder: string, { manifest }: Stored, listed: readonly Listed[]): Promise<boolean> {
  const own = await readManifest(folder).catch(() => null)
  if (own !== null && !isDeepStrictEqual(own, manifest as SnapshotManifest)) return false
  for (const { key, bytes } of listed) {
    const found = await stat(join(folder, nameInKey(key))).catch(ifMissing(null))
    if (found?.size !== bytes) return false
  }
  const names = (await namesIn(folder)).filter(name => name !== MANIFEST_FILE)
  return own !== null && names.length === listed.length
}

/** The names in a folder; none when it is no folder. */
async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return []
    throw cause
  })
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const name of await namesIn(folder))
    bytes += (await stat(join(folder, name)).catch(ifMissing(null)))?.size ?? 0
  return bytes
}

function ifThere(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'ENOTEMPTY' && cause.code !== 'EEXIST') throw cause
}
