import { mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { FileLocks } from '../files/locks.js'
import { ifMissing } from '../files/missing.js'
import { namingSpace } from '../files/no-space.js'
import { Places } from '../flow/places.js'
import { RecentMap } from '../flow/recent.js'
import type { SnapshotLease } from '../ports.js'
import { Drafts } from './drafts.js'
import { checkProjectId, isSnapshotId } from './ids.js'
import { linkStored, storedFiles } from './linked-files.js'
import {
  checkPlace,
  checkTextPlace,
  DamagedSnapshot,
  MANIFEST_FILE,
  readManifest,
  readManifestText,
  type SnapshotManifest,
  type StoredFile,
} from './manifest.js'

const DRAFTS = '.drafts'
const LOCKS = '.leases'
const MOST_IN_PLACE = 10_000
/** Files that are written to the disk at once: one thread fewer than Node has, since that takes long on a slow disk. */
const MOST_SETTLING = 3

/**
 * Snapshots as folders `<project>/<snapshot>/`, which any number of processes may read, place and remove:
 * each one is renamed into its place when it is complete, and is not removed while there is a lease on it.
 */
export class SnapshotFolder {
  readonly root: string
  readonly locks: FileLocks
  readonly drafts: Drafts
  readonly #settling = new Places(MOST_SETTLING)
  /** The project of each snapshot whose manifest has been compared with its place. */
  readonly #inPlace = new RecentMap<string, string>(MOST_IN_PLACE)

  constructor(folder: string) {
    this.root = resolve(folder)
    this.locks = new FileLocks(join(this.root, LOCKS))
    this.drafts = new Drafts(join(this.root, DRAFTS))
  }

  /** The folder of a project. Throws a TypeError unless `projectId` is a UUID in lower case. */
  ofProject(projectId: string): string {
    checkProjectId(projectId)
    return join(this.root, projectId)
  }

  /**
   * Takes a lease on a snapshot; null when there is none. Waits `withinMs` while another process tries to
   * remove it. Default: not at all.
   */
  async open(projectId: string, snapshotId: string, withinMs = 0): Promise<SnapshotLease | null> {
    if (!isSnapshotId(snapshotId)) return null
    const path = join(this.ofProject(projectId), snapshotId)
    const { locks } = this
    const release = await namingSpace([this.root], () =>
      withinMs > 0 ? locks.takeWithin(withinMs, snapshotId, 'shared') : locks.take(snapshotId, 'shared'),
    )
    if (!release) return null
    try {
      if (await this.#isComplete(projectId, snapshotId)) return { snapshotId, folder: path, release }
    } catch (cause) {
      await release()
      throw cause
    }
    await release()
    return null
  }

  /**
   * The text of the manifest of a snapshot; null when there is none. Throws a DamagedSnapshot when it is the one of
   * another place, or none.
   */
  async manifestOf(projectId: string, snapshotId: string): Promise<string | null> {
    if (!isSnapshotId(snapshotId)) return null
    const path = join(this.ofProject(projectId), snapshotId)
    const text = await readManifestText(path).catch(ifMissing(null))
    if (text !== null) checkTextPlace(text, projectId, snapshotId)
    return text
  }

  /**
   * Writes the files of a draft to the disk. A file that the newest snapshot of the project has is stored once: it
   * becomes a hard link to the older file, which is on the disk already. `ids` are those of the project's snapshots.
   */
  async settle(
    draft: string,
    { projectId, files }: { projectId: string; files: readonly StoredFile[] },
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const stored = await storedFiles(this.ofProject(projectId), ids)
    const digests = new Map(files.map(({ file, sha256 }) => [file, sha256]))
    const settling = (await readdir(draft)).map(name =>
      this.#settling.run({}, async () => {
        const path = join(draft, name)
        const older = stored.get(digests.get(name) ?? '')
        if (older === undefined || !(await linkStored(path, older, signal))) await sync(path)
      }),
    )
    await Promise.allSettled(settling) // wait for all: no file is written after the call has failed
    await Promise.all(settling)
  }

  /**
   * Writes the manifest of a complete draft, and renames the draft into its place, where there must be none. The caller
   * has the exclusive lock of the project.
   */
  async place(draft: string, manifest: Pick<SnapshotManifest, 'projectId' | 'snapshotId'>): Promise<void> {
    const home = this.ofProject(manifest.projectId)
    await mkdir(home, { recursive: true })
    await writeFile(join(draft, MANIFEST_FILE), manifestText(manifest))
    await sync(join(draft, MANIFEST_FILE))
    await sync(draft)
    await rename(draft, join(home, manifest.snapshotId))
    await sync(home)
  }

  /**
   * Removes a snapshot unless there is a lease on it; false when it is still there, or was gone already. It
   * is moved away with one rename first, so that no reader finds half of it.
   */
  async remove(projectId: string, snapshotId: string): Promise<boolean> {
    const release = await this.locks.take(snapshotId, 'exclusive')
    if (!release) return false
    try {
      const grave = await this.drafts.grave(snapshotId)
      const found = await rename(join(this.ofProject(projectId), snapshotId), grave).then(
        () => true,
        ifMissing(false),
      )
      await rm(grave, { recursive: true, force: true })
      return found
    } finally {
      await release()
    }
  }

  /** Removes the folder of a project unless it has something in it, or a snapshot is being placed there. */
  async removeEmpty(projectId: string): Promise<void> {
    const release = await this.locks.take(projectId, 'exclusive')
    if (!release) return
    try {
      await rmdir(this.ofProject(projectId))
    } catch (cause) {
      const { code = '' } = cause as NodeJS.ErrnoException
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(code)) throw cause
    } finally {
      await release()
    }
  }

  /**
   * Whether the snapshot has a manifest. Throws when that is the one of another place, and not when it is
   * damaged.
   */
  async #isComplete(projectId: string, snapshotId: string): Promise<boolean> {
    const path = join(this.ofProject(projectId), snapshotId)
    if (this.#inPlace.get(snapshotId) === projectId)
      return (await stat(join(path, MANIFEST_FILE)).catch(ifMissing(null))) !== null
    const manifest = await readManifest(path).catch(cause => {
      if (cause instanceof DamagedSnapshot) return null
      return ifMissing(undefined)(cause)
    })
    if (manifest) {
      checkPlace(manifest, projectId, snapshotId)
      this.#inPlace.set(snapshotId, projectId)
    }
    return manifest !== undefined
  }
}

/** Lists the ids of the snapshots in the folder of a project, newest first. */
export async function snapshotsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(ifMissing([] as string[]))
  return Object.freeze(names.filter(isSnapshotId).sort((a, b) => (a < b ? 1 : -1)))
}

/** A manifest as it is stored. */
export function manifestText(manifest: object): string {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** Waits until a file or folder is on the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
