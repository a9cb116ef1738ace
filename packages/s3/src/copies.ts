import { setMaxListeners } from 'node:events'
import { utimes } from 'node:fs/promises'
import type { SnapshotLease } from 'foldgate'
import {
  DamagedSnapshot,
  LastingFailure,
  manifestText,
  Places,
  RecentMap,
  SingleFlight,
  SnapshotFolder,
} from 'foldgate/internal'
import type { Bucket } from './bucket.js'
import { hasOthers, isCopyOf, sizesIn } from './compare-copy.js'
import { CopyEviction, NoRoom } from './copy-eviction.js'
import { CopyMaker, REMOVED, unlessGone } from './copy-maker.js'
import { type Listing, listingOf, placeOf, type StoredSnapshot } from './download-snapshot.js'

/** Folder of drafts of snapshots that are being sealed, beside the copies; they are not bounded. */
export const SEALING = '.sealing'
/** A lease waits this long while another process tries to remove the copy. */
const WITHIN_MS = 2000
/** Files of one snapshot that are copied at once: most are small, so what takes time is the wait for each answer. */
const FILES_AT_ONCE = 16
/**
 * Files of all snapshots that are copied at once. Clients have 50 connections unless told otherwise: the others are for
 * manifests and listings, which would fail while they wait for a connection.
 */
const ALL_AT_ONCE = 32
/** Times to copy a snapshot whose copy is removed before it can be opened. */
const MOST_ATTEMPTS = 5
/** Copies that are remembered as compared with the bucket, of some 30 KiB each. */
const MOST_COMPARED = 1_000

/** A copy that is kept from eviction until its callers have leases of their own. */
interface Held {
  hold: SnapshotLease
  listing: Listing
}

type Place = Pick<StoredSnapshot, 'projectId' | 'snapshotId'>

/**
 * Copies of snapshots in a folder of this machine, because the engine reads files. A copy has the files that
 * were asked for. All together take at most `bytes`: the copies that were opened least recently are removed
 * first, and none with a lease. Several processes may share the folder.
 */
export class Copies {
  readonly #bucket: Bucket
  readonly #folder: SnapshotFolder
  readonly #bytes: number
  readonly #maker: CopyMaker
  readonly #compared = new RecentMap<string, Listing | null>(MOST_COMPARED)
  /** Copies that are being looked for or made. */
  readonly #finding = new SingleFlight<Held | null>({
    release: held => void held?.hold.release().catch(() => {}),
  })
  readonly #closed = new AbortController()

  constructor(bucket: Bucket, { folder, bytes }: { folder: string; bytes: number }) {
    this.#bucket = bucket
    this.#folder = new SnapshotFolder(folder)
    this.#bytes = bytes
    setMaxListeners(0, this.#closed.signal) // each file that is copied listens
    const eviction = new CopyEviction(this.#folder, bytes)
    const places = new Places(ALL_AT_ONCE, FILES_AT_ONCE)
    const signal = this.#closed.signal
    this.#maker = new CopyMaker({ bucket, folder: this.#folder, eviction, places, signal })
  }

  /**
   * Takes a lease on the copy of a snapshot that has these files, or all; missing files are copied first. Null when the
   * snapshot was removed meanwhile. Concurrent calls share the work, which goes on when they have left. Throws a
   * DamagedSnapshot when a file is missing or not as it was sealed.
   */
  async open(
    stored: StoredSnapshot,
    names: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<SnapshotLease | null> {
    const known = await this.openKnown(stored, names, signal)
    if (known !== undefined) return known
    const key = JSON.stringify([placeOf(stored), names])
    return this.#finding.use(
      key,
      { signal },
      () => this.#find(stored, names),
      async held => {
        const lease = held && (await this.#lease(held.listing, names, signal))
        if (lease === undefined) throw new Error(REMOVED)
        return lease
      },
    )
  }

  /**
   * As `open`, for a copy that this process has compared with the bucket, which is asked only for files that
   * the copy lacks; undefined when there is none.
   */
  async openKnown(
    place: Place,
    names: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<SnapshotLease | null | undefined> {
    const listing = this.#compared.get(placeOf(place))
    if (!listing) return undefined
    try {
      return await this.#lease(listing, names, signal)
    } catch (cause) {
      // Its other files may be what takes the room: it begins anew, without them.
      if (cause instanceof NoRoom && (await this.#folder.remove(place.projectId, place.snapshotId)))
        return undefined
      throw cause
    }
  }

  /** Removes what ended processes have left. */
  sweep(): Promise<void> {
    return this.#folder.drafts.sweep()
  }

  /** Abandons the copies that are being made. */
  close(): void {
    this.#closed.abort()
  }

  /** Takes a lease on a copy, and adds the files that it lacks; undefined when it must be looked for anew. */
  async #lease(
    listing: Listing,
    names: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<SnapshotLease | null | undefined> {
    const wanted = this.#check(listing, names)
    if (this.#maker.damageOf(listing, wanted)) return undefined // unless it was restored
    const lease = await this.#folder.open(listing.projectId, listing.snapshotId, WITHIN_MS)
    if (!lease) return undefined
    try {
      const sizes = await sizesIn(lease.folder, wanted)
      const isWrong = hasOthers(sizes, listing)
      const missing = wanted.filter(name => !sizes.has(name))
      const isThere = !isWrong && (missing.length === 0 || (await this.#maker.add(listing, missing, signal)))
      if (isThere) return await touched(lease)
      this.#compared.set(placeOf(listing), null)
      await lease.release()
      return isWrong ? undefined : null
    } catch (cause) {
      if (cause instanceof DamagedSnapshot) this.#compared.set(placeOf(listing), null) // it is listed again
      await lease.release()
      throw cause
    }
  }

  /** The files that are wanted. Throws when all copies have no room for them. */
  #check(listing: Listing, names: readonly string[] | null): string[] {
    const { files, snapshotId } = listing
    const wanted = names ? [...new Set([...listing.always, ...names])] : [...files.keys()]
    const unknown = wanted.find(name => !files.has(name))
    if (unknown !== undefined)
      throw new Error(`the snapshot ${snapshotId} has no file ${JSON.stringify(unknown)}`)
    if (bytesOf(listing, wanted) > this.#bytes)
      throw new LastingFailure(
        `the snapshot ${snapshotId} has ${bytesOf(listing, files.keys())} bytes, and all copies may take ` +
          `${this.#bytes}: give them more room, or seal less`,
      )
    return wanted
  }

  /** Finds the copy, which equals what is stored, or makes it with these files. */
  #find(stored: StoredSnapshot, names: readonly string[] | null): Promise<Held | null> {
    return unlessGone(this.#bucket, stored, this.#closed.signal, async () => {
      const listing = await listingOf(this.#bucket, stored, this.#closed.signal)
      const wanted = this.#check(listing, names)
      const damage = this.#maker.damageOf(listing, wanted)
      if (damage) throw damage
      for (let attempt = 1; ; attempt++) {
        const hold = await this.#openCopy(listing)
        if (hold) {
          this.#compared.set(placeOf(stored), listing)
          return { hold, listing }
        }
        // Another process may make room by removing a copy as soon as it is there.
        if (attempt > MOST_ATTEMPTS) throw new Error(REMOVED)
        await this.#maker.make(listing, wanted)
      }
    })
  }

  /** Takes a lease on the copy if it equals what is stored; removes one that does not. */
  async #openCopy(listing: Listing): Promise<SnapshotLease | null> {
    const { projectId, snapshotId } = listing
    const found = await this.#folder.open(projectId, snapshotId, WITHIN_MS).catch(() => null)
    if (found && (await isCopyOf(found.folder, listing).catch(() => false))) return found
    await found?.release()
    await this.#folder.remove(projectId, snapshotId)
    return null
  }
}

/** The bytes of these files and the manifest. */
function bytesOf({ manifest, files }: Listing, names: Iterable<string>): number {
  let bytes = Buffer.byteLength(manifestText(manifest))
  for (const name of names) bytes += files.get(name)?.bytes ?? 0
  return bytes
}

/** Notes that a copy is used now, also for other processes and after a restart. */
async function touched(lease: SnapshotLease): Promise<SnapshotLease> {
  const now = new Date()
  await utimes(lease.folder, now, now).catch(() => {}) // at worst, the copy is evicted too early
  return lease
}
