import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LastingFailure } from '../errors.js'
import { ifMissing } from '../files/missing.js'
import { namingSpace } from '../files/no-space.js'
import { takeOwnFolder } from '../files/own-folder.js'
import { digestOfFile } from '../files/regular.js'
import { Places } from '../flow/places.js'
import { RecentMap } from '../flow/recent.js'
import { SingleFlight } from '../flow/single-flight.js'
import type { ObjectStore } from '../objects/store.js'
import type { SnapshotLease } from '../ports.js'
import { DamagedSnapshot, type StoredFile } from './manifest.js'
import { type LocalFiles, tableKey } from './objects.js'

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
/** A process touches its folder as often as this, so that no other one takes it for abandoned. */
const TOUCHED_EVERY_MS = 3_600_000
const UNFINISHED = '.part'

/** A file of a project that was copied, or is being copied. */
interface Copy {
  projectId: string
  bytes: number
  /** Leases on it, and work that looks at it. */
  uses: number
  /** Whether its digest was compared since this process has it. */
  isCompared: boolean
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
  #touching: NodeJS.Timeout | undefined

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
        this.#copying.join(tableKey(projectId, file), { signal }, () => this.#find(projectId, file, folder)),
      )
      await Promise.allSettled(found)
      await Promise.all(found)
      return { folder, release }
    } catch (cause) {
      await release()
      throw cause
    }
  }

  /** Abandons the copies that are being made; leases stay. */
  close(): void {
    clearInterval(this.#touching)
    this.#closed.abort()
  }

  /** Counts a use of a file, which is the last that makes room from now on. */
  #use(projectId: string, file: StoredFile): Copy {
    const key = tableKey(projectId, file)
    const known = this.#copies.get(key)
    const copy = known ?? { projectId, bytes: 0, uses: 0, isCompared: false }
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
      const there = await stat(path).catch(ifMissing(null))
      if (there && !copy.isCompared)
        copy.isCompared = (await digestOfFile(path).catch(() => null)) === file.sha256
      if (there?.size === file.bytes && copy.isCompared) return
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

  /** Counts the bytes of a file, and removes others until all are within the bound. */
  async #makeRoom(copy: Copy, bytes: number): Promise<void> {
    this.#taken += bytes - copy.bytes
    copy.bytes = bytes
    const root = await this.#open()
    for (const [key, other] of this.#copies) {
      if (this.#taken <= this.#bytes) return
      if (other.uses > 0) continue
      this.#forget(key, other)
      await unlink(join(root, other.projectId, key.slice(key.lastIndexOf('/') + 1))).catch(
        ifMissing(undefined),
      )
    }
    if (this.#taken > this.#bytes)
      throw new Error(
        `there is no room for a copy of a table: with those in use, copies would take ${this.#taken} bytes, and they may ` +
          `take ${this.#bytes}`,
      )
  }

  #forget(key: string, copy: Copy): void {
    this.#taken -= copy.bytes
    copy.bytes = 0
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

  /** The folder of this process, with what was left in one that it has taken over. */
  #open(): Promise<string> {
    this.#opened ??= this.#takeFolder().catch(cause => {
      this.#opened = null
      throw cause
    })
    return this.#opened
  }

  async #takeFolder(): Promise<string> {
    const own = await takeOwnFolder(this.#folder, 'copies')
    await this.#register(own)
    const touch = () => utimes(own, new Date(), new Date()).catch(() => {}) // the next one comes long before a day is over
    this.#touching = setInterval(touch, TOUCHED_EVERY_MS).unref()
    return own
  }

  /** Counts the copies that another process has left, whose digests are compared before they are used. */
  async #register(own: string): Promise<void> {
    for (const projectId of await readdir(own))
      for (const file of await readdir(join(own, projectId))) {
        const path = join(own, projectId, file)
        if (file.endsWith(UNFINISHED)) {
          await unlink(path)
          continue
        }
        const { size: bytes } = await stat(path)
        this.#copies.set(tableKey(projectId, { file }), { projectId, bytes, uses: 0, isCompared: false })
        this.#taken += bytes
      }
  }
}
