import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { LastingFailure } from '../errors.js'
import { BEAT_EVERY_MS, SILENT_MS } from '../files/locks.js'
import { ifMissing } from '../files/missing.js'
import { namingSpace } from '../files/no-space.js'
import { CLOSED, leftIn, ownFolderName } from '../files/own-folder.js'
import { digestOfFile } from '../files/regular.js'
import { Places } from '../flow/places.js'
import { RecentMap } from '../flow/recent.js'
import { SingleFlight } from '../flow/single-flight.js'
import { waitForWork } from '../flow/waiting.js'
import { nameIn, type ObjectStore } from '../objects/store.js'
import type { SnapshotLease } from '../ports.js'
import { removeTree } from '../sandbox/remove-tree.js'
import { DamagedSnapshot, type StoredFile } from './manifest.js'
import { tableKey } from './manifests.js'
import type { LocalFiles } from './objects.js'

/** How often a file is tried whose connection breaks: clients do not repeat what broke in the middle of a body. */
const ATTEMPTS = 3
/** Files of one project that are copied at once: most are small, so what takes time is the wait for each answer. */
const FILES_AT_ONCE = 16
/**
 * Files of all projects that are copied at once. Clients have 50 connections unless told otherwise: the others are for
 * manifests and listings, which would fail while they wait for a connection.
 */
const ALL_AT_ONCE = 32
/** Damaged files that are remembered, and how long: copying one again would read all of it again. */
const MOST_DAMAGED = 100
const DAMAGED_FOR_MS = 60_000
const UNFINISHED = '.part'

/** A file of a project that was copied, or is being copied. */
interface Copy {
  projectId: string
  /** Bytes that it takes of the room. */
  bytes: number
  /** Leases on it, and work that looks at it. */
  uses: number
  /** Whether its digest was compared since this process has it. */
  isCompared: boolean
  /** Ends when the file was removed to make room; whoever wants it by then has to wait. */
  removal: Promise<void> | null
}

/**
 * Copies of files of snapshots in a folder of this machine, because engines read files. All together take at most `bytes`:
 * files without a lease make room, those first that were leased least recently. Each process has a folder of its own in
 * `folder`, and takes over that of a process which has ended, with its copies; others that were left are removed.
 */
export class Copies implements LocalFiles {
  readonly #store: ObjectStore
  readonly #folder: string
  readonly #bytes: number
  readonly #places = new Places(ALL_AT_ONCE, FILES_AT_ONCE)
  /** By key, those first that were leased least recently. */
  readonly #copies = new Map<string, Copy>()
  readonly #copying = new SingleFlight<void>()
  readonly #damaged = new RecentMap<string, { cause: DamagedSnapshot; until: number }>(MOST_DAMAGED)
  readonly #closed = new AbortController()
  #opened: Promise<string> | null = null
  #taken = 0
  #beating: NodeJS.Timeout | undefined

  constructor(store: ObjectStore, { folder, bytes }: { folder: string; bytes: number }) {
    this.#store = store
    this.#folder = resolve(folder)
    this.#bytes = bytes
  }

  async lease(
    projectId: string,
    files: readonly StoredFile[],
    signal: AbortSignal,
  ): Promise<Omit<SnapshotLease, 'snapshotId'>> {
    const folder = join(await this.#open(), projectId)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    if (bytes > this.#bytes)
      throw new LastingFailure(
        `files of the project ${projectId} have ${bytes} bytes, and all copies may take ${this.#bytes}: give them more ` +
          'room, or seal less',
      )
    const used = files.map(file => this.#use(projectId, file))
    let isReleased = false
    const release = async () => {
      if (!isReleased) for (const copy of used) copy.uses -= 1
      isReleased = true
    }
    try {
      const found = files.map(file =>
        this.#copying.join(tableKey(projectId, file), {}, () => this.#find(projectId, file, folder)),
      )
      await waitForWork({ signal }, Promise.allSettled(found))
      await Promise.all(found)
      return { folder, release }
    } catch (cause) {
      await release()
      throw cause
    }
  }

  /** Abandons the copies that are being made. Leases stay until another process begins, which may take over the folder. */
  close(): void {
    clearInterval(this.#beating)
    this.#closed.abort()
    // Otherwise, others would wait for 15 minutes of silence.
    this.#opened?.then(own => utimes(own, CLOSED, CLOSED)).catch(() => {})
  }

  /** Counts a use of a file, which is the last that makes room from now on. */
  #use(projectId: string, file: Pick<StoredFile, 'file'>): Copy {
    const key = tableKey(projectId, file)
    const known = this.#copies.get(key)
    const copy = known ?? { projectId, bytes: 0, uses: 0, isCompared: false, removal: null }
    this.#copies.delete(key)
    this.#copies.set(key, copy)
    copy.uses += 1
    return copy
  }

  /** Has a file in its place, as it was sealed. The work goes on when those who wait for it have left. */
  async #find(projectId: string, file: StoredFile, folder: string): Promise<void> {
    const key = tableKey(projectId, file)
    const path = join(folder, file.file)
    const copy = this.#use(projectId, file)
    try {
      await copy.removal
      const there = await stat(path).catch(ifMissing(null))
      if (there && !copy.isCompared)
        copy.isCompared = (await digestOfFile(path).catch(() => null)) === file.sha256
      if (there?.size === file.bytes && copy.isCompared) return this.#count(copy, file.bytes)
      if (there) await unlink(path)
      const damaged = this.#damaged.get(key)
      if (damaged && performance.now() < damaged.until) throw damaged.cause
      await this.#makeRoom(copy, file.bytes)
      await this.#places.run({ group: projectId }, () =>
        namingSpace([this.#folder], () => this.#download(key, file, path)),
      )
      copy.isCompared = true
    } catch (cause) {
      this.#forget(key, copy)
      if (cause instanceof DamagedSnapshot)
        this.#damaged.set(key, { cause, until: performance.now() + DAMAGED_FOR_MS })
      throw cause
    } finally {
      copy.uses -= 1
    }
  }

  #count(copy: Copy, bytes: number): void {
    this.#taken += bytes - copy.bytes
    copy.bytes = bytes
  }

  /** Counts the bytes of a file, and removes others until all are within the bound. */
  async #makeRoom(copy: Copy, bytes: number): Promise<void> {
    this.#count(copy, bytes)
    for (const [key, other] of this.#copies) {
      if (this.#taken <= this.#bytes) return
      if (other.uses > 0 || other.bytes === 0) continue
      other.removal = this.#remove(key, other)
      await other.removal
      if (other.uses === 0 && this.#copies.get(key) === other) this.#copies.delete(key)
    }
    if (this.#taken > this.#bytes)
      throw new Error(
        `there is no room for a copy of a table: with those in use, copies would take ${this.#taken} bytes, and they may ` +
          `take ${this.#bytes}`,
      )
  }

  async #remove(key: string, copy: Copy): Promise<void> {
    const { bytes } = copy
    this.#count(copy, 0)
    copy.isCompared = false
    try {
      await unlink(join(await this.#open(), copy.projectId, nameIn(key))).catch(ifMissing(undefined))
    } catch (cause) {
      this.#count(copy, bytes)
      throw cause
    } finally {
      copy.removal = null
    }
  }

  #forget(key: string, copy: Copy): void {
    this.#count(copy, 0)
    copy.isCompared = false
    if (this.#copies.get(key) === copy) this.#copies.delete(key)
  }

  async #download(key: string, { file, sha256, bytes }: StoredFile, path: string): Promise<void> {
    const unfinished = `${path}${UNFINISHED}`
    await mkdir(join(path, '..'), { recursive: true })
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          const target = await open(unfinished, 'w')
          const digest = await this.#copyTo(target, key, bytes).finally(() => target.close())
          if (digest === null) throw new DamagedSnapshot(`${file} is missing`)
          if (digest !== sha256) throw new DamagedSnapshot(`${file} is not as it was sealed`)
          return await rename(unfinished, path)
        } catch (cause) {
          if (attempt === ATTEMPTS || this.#closed.signal.aborted || cause instanceof DamagedSnapshot)
            throw cause
        }
      }
    } catch (cause) {
      await unlink(unfinished).catch(ifMissing(undefined))
      throw cause
    }
  }

  /** Writes an object to a file that never becomes larger than it should be. Returns its digest; null when there is none. */
  async #copyTo(target: FileHandle, key: string, bytes: number): Promise<string | null> {
    const chunks = await this.#store.get(key, this.#closed.signal)
    if (!chunks) return null
    const hash = createHash('sha256')
    let at = 0
    for await (const chunk of chunks) {
      hash.update(chunk)
      at += chunk.length
      if (at > bytes) return ''
      await target.writeFile(chunk)
    }
    return hash.digest('hex')
  }

  /** The folder of this process, with the copies of one that has ended. */
  #open(): Promise<string> {
    this.#opened ??= this.#takeFolder().catch(cause => {
      this.#opened = null
      throw cause
    })
    return this.#opened
  }

  async #takeFolder(): Promise<string> {
    const own = join(this.#folder, ownFolderName('copies'))
    await mkdir(this.#folder, { recursive: true })
    let isTaken = false
    for (const path of await this.#left()) {
      await touch(path) // first, so that it never looks abandoned under its new name
      isTaken = await rename(path, own).then(() => true, ifMissing(false))
      if (isTaken) break
    }
    if (isTaken)
      await this.#register(own).catch(ifMissing(undefined)) // of a folder that another process is removing
    else await mkdir(own)
    // Other processes have a minute to take over what is abandoned. If a beat fails, the next one may succeed in time.
    this.#beating = setInterval(() => void this.#beat(own).catch(() => {}), BEAT_EVERY_MS).unref()
    return own
  }

  /** Shows others that this process goes on, and removes what they have left. */
  async #beat(own: string): Promise<void> {
    await touch(own)
    for (const path of await this.#left()) await removeTree(path)
  }

  /** The folders of processes that have ended. */
  #left(): Promise<string[]> {
    return leftIn(this.#folder, SILENT_MS, 'copies')
  }

  /** Counts the copies that another process has left, whose digests are compared before they are used. */
  async #register(own: string): Promise<void> {
    const entries = await readdir(own, { recursive: true, withFileTypes: true })
    for (const { name: file, parentPath } of entries.filter(entry => entry.isFile())) {
      const path = join(parentPath, file)
      const found = file.endsWith(UNFINISHED)
        ? await unlink(path).catch(ifMissing(null))
        : await stat(path).catch(ifMissing(null))
      if (!found) continue
      const copy = this.#use(basename(parentPath), { file })
      copy.uses = 0
      this.#count(copy, found.size)
    }
  }
}

async function touch(path: string): Promise<void> {
  await utimes(path, new Date(), new Date()).catch(ifMissing(undefined))
}
