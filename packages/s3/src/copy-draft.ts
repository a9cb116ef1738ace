import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SnapshotLease } from 'foldgate'
import {
  DamagedSnapshot,
  digestOfFile,
  MANIFEST_FILE,
  manifestText,
  type Places,
  type SnapshotFolder,
} from 'foldgate/internal'
import type { Bucket } from './bucket.js'
import type { CopyEviction } from './copy-eviction.js'
import { linkAlike } from './copy-links.js'
import { download, type Listing, makeFile, placeOf } from './download-snapshot.js'

/** Where copies are made. */
export interface Workshop {
  bucket: Bucket
  folder: SnapshotFolder
  eviction: CopyEviction
  /** Of files that are copied at once; each snapshot is a group. */
  places: Places
  /** Ends downloads. */
  signal: AbortSignal
}

/** A folder in which files of a snapshot are downloaded, before they are moved to its copy. */
export class CopyDraft {
  readonly path: string
  readonly #workshop: Workshop
  readonly #listing: Listing
  readonly #hold: SnapshotLease | null
  /** Files that another copy had. */
  readonly #linked: ReadonlySet<string>
  #failure: unknown

  private constructor(
    path: string,
    workshop: Workshop,
    given: { listing: Listing; hold: SnapshotLease | null; linked: ReadonlySet<string> },
  ) {
    this.path = path
    this.#workshop = workshop
    this.#listing = given.listing
    this.#hold = given.hold
    this.#linked = given.linked
  }

  /**
   * Creates a draft with room for these files. `hold` is a lease on the copy to which they are added, which is
   * released in the end; without one the draft is of a new copy, and has the manifest.
   */
  static create(
    workshop: Workshop,
    listing: Listing,
    names: readonly string[],
    hold: SnapshotLease | null,
  ): Promise<CopyDraft> {
    return workshop.eviction.inTurn(() => CopyDraft.#create(workshop, listing, names, hold))
  }

  static async #create(
    workshop: Workshop,
    listing: Listing,
    names: readonly string[],
    hold: SnapshotLease | null,
  ): Promise<CopyDraft> {
    let path: string | null = null
    try {
      path = await workshop.folder.drafts.create()
      const manifest = hold ? '' : manifestText(listing.manifest)
      if (!hold) await writeFile(join(path, MANIFEST_FILE), manifest)
      const linked = await linkAlike(workshop.folder, listing, names, path)
      let bytes = Buffer.byteLength(manifest)
      for (const name of names) {
        const size = listing.files.get(name)?.bytes ?? 0
        if (!linked.has(name)) await makeFile(join(path, name), size)
        bytes += size // also of a linked file: the copy that had it may be removed at this moment
      }
      await workshop.eviction.makeRoom(bytes, listing.snapshotId)
      return new CopyDraft(path, workshop, { listing, hold, linked })
    } catch (cause) {
      if (path !== null) await rm(path, { recursive: true, force: true })
      await hold?.release()
      throw cause
    }
  }

  /**
   * Downloads a file, unless another copy has it undamaged. Once a download has failed for another reason than damage,
   * the downloads that wait fail too.
   */
  async download(name: string): Promise<void> {
    const { bucket, places, signal } = this.#workshop
    const listed = this.#listing.files.get(name)
    if (!listed) throw new DamagedSnapshot(`${name} is missing`)
    const [path, sha256] = [join(this.path, name), this.#listing.digests.get(name)]
    await places.run({ group: placeOf(this.#listing) }, async () => {
      if (this.#failure !== undefined) throw this.#failure
      try {
        if (this.#linked.has(name)) {
          // What the disk has damaged in one copy would otherwise be in those of all later snapshots.
          if ((await digestOfFile(path, signal)) === sha256) return
          await rm(path)
          await makeFile(path, listed.bytes)
        }
        await download(bucket, listed, sha256, path, signal)
      } catch (cause) {
        if (!(cause instanceof DamagedSnapshot)) this.#failure = cause
        throw cause
      }
    })
  }

  /** Removes the files that were not moved, and ends the lease. */
  async close(): Promise<void> {
    await this.#hold?.release()
    await rm(this.path, { recursive: true, force: true })
  }
}
