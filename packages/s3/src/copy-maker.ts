import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  DamagedSnapshot,
  ifMissing,
  namingSpace,
  RecentMap,
  SingleFlight,
  sync,
  waitForWork,
} from 'foldgate/internal'
import type { Bucket, Listed } from './bucket.js'
import { CopyDraft, type Workshop } from './copy-draft.js'
import { type Listing, placeOf, type StoredSnapshot } from './download-snapshot.js'
import { manifestKey } from './object-keys.js'

export const REMOVED = 'the local copy of a snapshot differs from the stored one, or is removed again'

/** A lease waits this long while another process tries to remove the copy. */
const WITHIN_MS = 2000
/** Damaged files that are remembered, and how long; copying one again would read all of it again. */
const MOST_DAMAGED = 100
const DAMAGED_FOR_MS = 60_000

/** Copies files of snapshots to this machine. */
export class CopyMaker {
  readonly #workshop: Workshop
  readonly #damaged = new RecentMap<string, { listed: Listed; cause: DamagedSnapshot; until: number }>(
    MOST_DAMAGED,
  )
  /** Files that are being added to copies; false when their snapshot was removed. */
  readonly #adding = new SingleFlight<boolean>()

  constructor(workshop: Workshop) {
    this.#workshop = workshop
  }

  /** The damage found a moment ago in one of these files, if the bucket still lists the file as it did then. */
  damageOf(listing: Listing, names: readonly string[]): DamagedSnapshot | undefined {
    for (const name of names) {
      const damaged = this.#damaged.get(fileKey(listing, name))
      const isSame = damaged && isDeepStrictEqual(damaged.listed, listing.files.get(name))
      if (isSame && performance.now() < damaged.until) return damaged.cause
    }
    return undefined
  }

  /** Makes a copy with these files in a draft, then moves it to its place. */
  make(listing: Listing, names: readonly string[]): Promise<void> {
    return namingSpace([this.#workshop.folder.root], () => this.#make(listing, names))
  }

  async #make(listing: Listing, names: readonly string[]): Promise<void> {
    const draft = await CopyDraft.create(this.#workshop, listing, names, null)
    try {
      await settled(names.map(name => this.#download(draft, listing, name)))
      // Another process may have been faster.
      await this.#workshop.folder.place(draft.path, listing.manifest).catch(ifThere)
    } finally {
      await draft.close()
    }
  }

  /**
   * Adds files to the copy, on which the caller has a lease; false when the snapshot was removed. Concurrent calls
   * share the work, which goes on when they have left.
   */
  async add(listing: Listing, names: readonly string[], signal: AbortSignal): Promise<boolean> {
    const own = names.filter(name => !this.#adding.underWay(fileKey(listing, name)))
    const opening = own.length > 0 ? this.#openDraft(listing, own) : null
    const adding = names.map(name =>
      this.#adding.join(fileKey(listing, name), {}, async () =>
        namingSpace([this.#workshop.folder.root], async () =>
          this.#addFile((await opening) as CopyDraft, listing, name),
        ),
      ),
    )
    const work = own.map(name => this.#adding.underWay(fileKey(listing, name)))
    const ended = Promise.allSettled(work).then(async () => (await opening)?.close())
    ended.catch(() => {}) // the work has failed for the same reason
    try {
      return (await waitForWork({ signal }, settled(adding))).every(isThere => isThere)
    } finally {
      if (!signal.aborted) await ended.catch(() => {})
    }
  }

  /** A draft of files for a copy, which has a lease on the copy: the work may go on when its callers have left. */
  async #openDraft(listing: Listing, names: readonly string[]): Promise<CopyDraft> {
    const hold = await this.#workshop.folder.open(listing.projectId, listing.snapshotId, WITHIN_MS)
    if (!hold) throw new Error(REMOVED)
    return CopyDraft.create(this.#workshop, listing, names, hold)
  }

  #addFile(draft: CopyDraft, listing: Listing, name: string): Promise<boolean> {
    const folder = join(this.#workshop.folder.ofProject(listing.projectId), listing.snapshotId)
    const found = unlessGone(this.#workshop.bucket, listing, this.#workshop.signal, async () => {
      const path = join(folder, name)
      // Another call may have added it since this one has looked.
      if ((await stat(path).catch(ifMissing(null))) !== null) return true
      await this.#download(draft, listing, name)
      await rename(join(draft.path, name), path)
      await sync(folder)
      return true
    })
    return found.then(isThere => isThere ?? false)
  }

  async #download(draft: CopyDraft, listing: Listing, name: string): Promise<void> {
    try {
      await draft.download(name)
    } catch (cause) {
      const listed = listing.files.get(name)
      const until = performance.now() + DAMAGED_FOR_MS
      if (listed && cause instanceof DamagedSnapshot)
        this.#damaged.set(fileKey(listing, name), { listed, cause, until })
      throw cause
    }
  }
}

/** Runs work; null when it finds damage because the snapshot was removed. */
export async function unlessGone<Found>(
  bucket: Bucket,
  { projectId, snapshotId }: StoredSnapshot,
  signal: AbortSignal,
  work: () => Promise<Found>,
): Promise<Found | null> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof DamagedSnapshot)) throw cause
    if ((await bucket.text(manifestKey(projectId, snapshotId), signal)) === null) return null
    throw cause
  }
}

function fileKey(place: StoredSnapshot, name: string): string {
  return `${placeOf(place)}/${name}`
}

/** As `Promise.all`, but waits for all of the work when some of it fails. */
async function settled<Value>(work: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

/** Handles that there is a copy already. */
function ifThere(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'ENOTEMPTY' && cause.code !== 'EEXIST') throw cause
}
