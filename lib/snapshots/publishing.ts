import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { inParallel } from '../flow/in-parallel.js'
import { type stopwatch, workOfNobody } from '../flow/work.js'
import { digestIn, type ObjectStore, textOf } from '../objects/store.js'
import { checkProjectId, checkSnapshotId, numberOf, snapshotIdOf } from './ids.js'
import {
  hasSameContents,
  isOf,
  isSameSnapshot,
  manifestText,
  parseManifest,
  type SnapshotManifest,
  type StoredFile,
  snapshotFiles,
  withFiles,
} from './manifest.js'
import { type Entries, type Manifests, manifestKey, markKey, tableKey, tablesIn } from './manifests.js'
import { checkNewest } from './outdated.js'
import { KEPT_MS, type Removal } from './removal.js'
import type { PublishedSnapshot, PublishOptions, UnpublishedManifest } from './store.js'

/** A publisher relies on what it saw for half of the time for which files are kept, and a removal may be taken back as long. */
export const TRUSTED_MS = KEPT_MS / 2
/** Of so many of the newest snapshots, the first that this version reads is the one whose files are named again. */
const MOST_LOOKS = 3
/** Times to publish a snapshot while others are published. */
const ATTEMPTS = 100

/** Publishes snapshots in an object store, see {@link objectSnapshots}. */
export class Publisher {
  readonly #store: ObjectStore
  readonly #manifests: Manifests
  readonly #removal: Removal
  readonly #watch: typeof stopwatch

  constructor(store: ObjectStore, manifests: Manifests, removal: Removal, watch: typeof stopwatch) {
    this.#store = store
    this.#manifests = manifests
    this.#removal = removal
    this.#watch = watch
  }

  /** Publishes a snapshot, see {@link SnapshotStore.publish}. */
  async publish(
    folder: string,
    contents: UnpublishedManifest,
    signal: AbortSignal,
    { after }: PublishOptions,
  ): Promise<PublishedSnapshot> {
    const { projectId } = contents
    checkProjectId(projectId)
    checkSnapshotId(contents.snapshotId)
    const elapsed = this.#watch()
    snapshotFiles({ ...contents, snapshotId: '' }) // checks the names of the files
    const stored: string[] = []
    let isPut = false
    try {
      const revived = await this.#revive(contents, signal)
      if (revived) return { manifest: revived, unchanged: false }
      let compared: Compared | null = null
      let placed: UnpublishedManifest | null = null
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const now = await this.#manifests.look(projectId, signal)
        await this.#mustFollow(projectId, now, after, signal)
        signal.throwIfAborted()
        if (contents.snapshotId === undefined && !isCompared(compared, now)) {
          compared = await this.#compare(contents, now, signal)
          if (compared.same) continue // and looks again: somebody may remove it while its files are looked at
        } else if (compared?.same) {
          await this.#store.delete(stored, signal).catch(() => {}) // a sweep will
          return { manifest: compared.same, unchanged: true }
        }
        if (!placed) {
          placed = await this.#place(folder, contents, now, stored, signal)
          continue // and looks again, since that may have taken long
        }
        if (elapsed() > TRUSTED_MS)
          throw new Error('publishing the snapshot took more than half a day: seal again')
        const last = Math.max(0, ...now.numbers, ...now.removed.keys())
        const snapshotId = contents.snapshotId ?? snapshotIdOf(last + 1, randomUUID())
        const manifest = { ...placed, snapshotId }
        isPut = true // from here on, its files stay whatever happens: a store that does not answer may have it
        if (await this.#putManifest(manifest, signal)) return { manifest, unchanged: false }
        isPut = false
        if (contents.snapshotId !== undefined) throw await this.#taken(contents.snapshotId, projectId, signal)
      }
      throw new Error('Other processes keep publishing snapshots of the project.')
    } catch (cause) {
      if (!isPut) await this.#store.delete(stored, workOfNobody().signal).catch(() => {}) // a sweep will
      throw cause
    }
  }

  /**
   * Stores the files that the newest snapshot does not have, and adds their keys to `stored`. Returns the manifest with the
   * names that the files have in the store.
   */
  async #place(
    folder: string,
    contents: UnpublishedManifest,
    before: Entries,
    stored: string[],
    signal: AbortSignal,
  ): Promise<UnpublishedManifest> {
    const { projectId } = contents
    const files = snapshotFiles({ ...contents, snapshotId: '' })
    const known = await this.#known(projectId, before, signal)
    // First those that keep their names, since another one with their content could take their place.
    const kept = files.filter(({ file }) => known.some(each => each.file === file))
    const inOrder = [...kept, ...files.filter(file => !kept.includes(file))]
    const alike = inOrder.map(given => takeAlike(known, given))
    const sizes = alike.some(Boolean) ? await this.#sizes(projectId, signal) : new Map<string, number>()
    const places = new Map<string, StoredFile>()
    await inParallel([...inOrder.entries()], async ([at, given]) => {
      const same = alike[at]
      if (same && (await this.#isSound(projectId, same, given, sizes, signal)))
        return places.set(given.file, same)
      const file = objectName(given)
      const key = tableKey(projectId, { file })
      stored.push(key)
      await this.#store.put(key, { path: join(folder, given.file), sha256: given.sha256 }, signal)
      return places.set(given.file, { ...given, file })
    })
    return withFiles(contents, ({ file }) => places.get(file) as StoredFile)
  }

  /** Compares the newest snapshot with the one that is to be published. */
  async #compare(
    contents: UnpublishedManifest,
    { numbers, putAt }: Entries,
    signal: AbortSignal,
  ): Promise<Compared> {
    const { projectId } = contents
    const [number = null] = numbers
    const compared: Compared = { number, putAt: number === null ? undefined : putAt.get(number), same: null }
    const newest = number === null ? null : await this.#manifests.readable(projectId, number, signal)
    if (!newest || numberOf(newest.snapshotId) !== number || !hasSameContents(newest, contents))
      return compared
    const given = snapshotFiles({ ...contents, snapshotId: '' })
    return (await this.isWhole(newest, signal, given)) ? { ...compared, same: newest } : compared
  }

  /**
   * Whether the files of a snapshot are as they were published, see {@link SnapshotStore.isWhole}. `given` are files that
   * may be these, of which those with the same names are not read again.
   */
  async isWhole(
    manifest: SnapshotManifest,
    signal: AbortSignal,
    given: readonly StoredFile[] = [],
  ): Promise<boolean> {
    const { projectId } = manifest
    const sizes = await this.#sizes(projectId, signal)
    const sound = await inParallel([...snapshotFiles(manifest).entries()], ([at, stored]) =>
      this.#isSound(projectId, stored, given[at], sizes, signal),
    )
    return sound.every(Boolean)
  }

  /** False when there is another manifest of its number. */
  async #putManifest(manifest: SnapshotManifest, signal: AbortSignal): Promise<boolean> {
    const { projectId, snapshotId } = manifest
    const [key, text] = [manifestKey(projectId, numberOf(snapshotId)), manifestText(manifest)]
    const put = await this.#store.put(key, text, signal).catch((cause: Error) => cause)
    if (put === true) return true
    if (put !== false && signal.aborted) throw put
    const found = await textOf(this.#store, key, signal).catch(cause => {
      if (put === false) throw cause
      const message = `the store did not answer whether it has the snapshot ${snapshotId} (${put.message})`
      throw new Error(`${message}: list the snapshots before sealing again`, { cause: put })
    })
    if (found === null && put !== false) throw put
    return found === text
  }

  /** Why a copy of a snapshot cannot be published. */
  async #taken(snapshotId: string, projectId: string, signal: AbortSignal): Promise<Error> {
    const has = 'the project already has'
    const ids = await this.#manifests.idsOf(projectId, await this.#manifests.look(projectId, signal), signal)
    if (ids.includes(snapshotId)) return new Error(`${has} the snapshot ${snapshotId}`)
    const other = ids.find(id => numberOf(id) === numberOf(snapshotId))
    if (other !== undefined) return new Error(`${has} another snapshot of this number, ${other}`)
    return new Error(`a snapshot of the number of ${snapshotId} was removed: copy it again a day after that`)
  }

  /**
   * Takes back the removal of a snapshot that is published again, as from a copy of its project; null when it was not
   * removed, or so long ago that its files may be removed.
   */
  async #revive(contents: UnpublishedManifest, signal: AbortSignal): Promise<SnapshotManifest | null> {
    const { projectId, snapshotId } = contents
    if (snapshotId === undefined) return null
    const number = numberOf(snapshotId)
    const removedAt = (await this.#manifests.look(projectId, signal)).removed.get(number)
    if (removedAt === undefined) return null
    const agoMs = (await this.#removal.now(signal)) - removedAt
    if (agoMs > KEPT_MS) await this.#removal.remove(projectId, [], signal) // which frees the number
    if (agoMs > TRUSTED_MS) return null
    const text = await this.#manifests.text(projectId, number, signal)
    const manifest = text !== null && isOf(text, projectId, snapshotId) ? parseManifest(text) : null
    if (!manifest || !isSameSnapshot(manifest, { ...contents, snapshotId })) return null
    await this.#store.delete([markKey(projectId, number)], signal)
    return manifest
  }

  /** Throws unless the newest snapshot is the one that is expected, if one is. */
  async #mustFollow(
    projectId: string,
    { numbers, putAt }: Entries,
    after: string | null | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (after === undefined) return
    const [newest] = await this.#manifests.idsOf(projectId, { numbers: numbers.slice(0, 1), putAt }, signal)
    checkNewest(newest, after)
  }

  /** The files of the newest snapshot that can be read. */
  async #known(projectId: string, { numbers }: Entries, signal: AbortSignal): Promise<StoredFile[]> {
    for (const number of numbers.slice(0, MOST_LOOKS)) {
      const files = await this.#manifests.files(projectId, number, signal)
      if (files) return [...files]
    }
    return []
  }

  /** The sizes of the files of a project, by key. */
  async #sizes(projectId: string, signal: AbortSignal): Promise<Map<string, number>> {
    const listed = await tablesIn(this.#store, projectId, signal)
    return new Map(listed.map(({ key, bytes }) => [key, bytes]))
  }

  /**
   * Whether a file that is stored can stand for another one: it has its size, and where it is at hand, the digest. Files to
   * which rows were appended have been read a moment ago.
   */
  async #isSound(
    projectId: string,
    stored: StoredFile,
    given: StoredFile | undefined,
    sizes: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const key = tableKey(projectId, stored)
    if (sizes.get(key) !== stored.bytes) return false
    if (this.#store.folder === undefined || stored.file === given?.file) return true
    return (await digestIn(this.#store, key, signal).catch(() => null)) === stored.sha256
  }
}

/** The newest snapshot of a project when it was compared with what is to be published. */
interface Compared {
  /** Its number; null when there was none. */
  number: number | null
  /** When its manifest was put. */
  putAt: number | undefined
  /** The manifest, if it is whole and has the same contents. */
  same: SnapshotManifest | null
}

/** Whether the newest snapshot is still the one that was compared. */
function isCompared(compared: Compared | null, { numbers, putAt }: Entries): boolean {
  const [number = null] = numbers
  if (!compared || compared.number !== number) return false
  return number === null || compared.putAt === putAt.get(number)
}

/**
 * Takes the file out of those that are stored which can stand for another one, since it has its name or its content. A
 * manifest names a file once, so no file stands for two.
 */
function takeAlike(stored: StoredFile[], { file, sha256 }: StoredFile): StoredFile | undefined {
  const named = stored.findIndex(each => each.file === file && each.sha256 === sha256)
  const at = named >= 0 ? named : stored.findIndex(each => each.sha256 === sha256)
  return at >= 0 ? stored.splice(at, 1)[0] : undefined
}

/** Names an object after a file and its content; nobody else uses the name. */
function objectName({ file, sha256 }: StoredFile): string {
  const [, stem = '', extension = ''] = /^(.*?)(?:-[0-9a-f]{64}-[0-9a-f]{8})?(\.\w+)$/.exec(file) ?? []
  return `${stem}-${sha256}-${randomUUID().slice(0, 8)}${extension}`
}
