import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { workOfNobody } from '../call/work.js'
import { manifestText } from '../snapshots/folder.js'
import { checkProjectId, checkSnapshotId, numberOf, snapshotIdOf, uuidOf } from '../snapshots/ids.js'
import { type SnapshotManifest, snapshotFiles } from '../snapshots/manifest.js'
import type { UnpublishedManifest } from '../snapshots/store.js'
import { Bucket, type BucketOptions, inParallel } from './bucket.js'
import {
  filesKeyOf,
  idInKey,
  manifestKey,
  manifestsOf,
  nameInKey,
  numberKey,
  numbersOf,
} from './object-keys.js'
import { upload } from './upload.js'

/**
 * Attempts to take a number. An attempt fails only when another publisher of the project takes the number
 * first.
 */
const ATTEMPTS = 100

/**
 * Publishes snapshots in a bucket: first their files, then the number that gives them their place, then the
 * manifest. A number is taken by the one request of several that creates its object, so snapshots that are
 * published at the same time get different places. A publisher that is killed leaves files, which a sweep
 * removes, and perhaps a number that no snapshot has.
 */
export class Publisher {
  /** Patient: no call waits for a snapshot that is sealed, and sealing again takes long. */
  readonly #bucket: Bucket
  readonly #impatient: Bucket
  #isConditional = false

  constructor(options: BucketOptions) {
    this.#bucket = new Bucket(options, true)
    this.#impatient = new Bucket(options)
  }

  async publish(
    draft: string,
    contents: UnpublishedManifest,
    signal: AbortSignal,
  ): Promise<SnapshotManifest> {
    const { projectId } = contents
    checkProjectId(projectId)
    checkSnapshotId(contents.snapshotId)
    const uuid = contents.snapshotId === undefined ? randomUUID() : uuidOf(contents.snapshotId)
    if (
      contents.snapshotId !== undefined &&
      (await this.#ids(projectId, signal)).includes(contents.snapshotId)
    )
      throw new Error(`the project already has the snapshot ${contents.snapshotId}`)
    const folder = filesKeyOf(projectId, uuid)
    // The files do not depend on the id.
    const files = snapshotFiles({ ...contents, snapshotId: '' })
    let snapshotId: string
    try {
      await inParallel(files, ({ file, sha256 }) =>
        upload(this.#bucket, { key: folder + file, path: join(draft, file), sha256 }, signal),
      )
      snapshotId = contents.snapshotId ?? snapshotIdOf(await this.#takeNumber(projectId, signal), uuid)
      signal.throwIfAborted()
    } catch (cause) {
      if (contents.snapshotId === undefined) await this.#abandon(files.map(({ file }) => folder + file))
      throw cause
    }
    const manifest = { ...contents, snapshotId }
    // From here on, the files stay whatever happens: a store that did not answer may have the manifest all
    // the same.
    const isNew = await this.#writeManifest(manifest, signal)
    if (!isNew) throw new Error(`the project already has the snapshot ${snapshotId}`)
    await rm(draft, { recursive: true, force: true })
    return manifest
  }

  /** Takes the number after those of all snapshots of a project. */
  async #takeNumber(projectId: string, signal: AbortSignal): Promise<number> {
    const newest = async () => numberOf((await this.#ids(projectId, signal)).at(-1))
    const taken = (await this.#bucket.list(numbersOf(projectId), signal)).map(({ key }) =>
      Number(nameInKey(key)),
    )
    let number = Math.max(await newest(), ...taken.slice(-1)) + 1
    for (let attempt = 0; attempt < ATTEMPTS; attempt++, number++) {
      const key = numberKey(projectId, number)
      if (!(await this.#bucket.putNew(key, '\n', signal))) continue
      if (!this.#isConditional && (await this.#bucket.putNew(key, '\n', signal)))
        throw new Error('the store ignores If-None-Match, so snapshots could be lost: use another one')
      this.#isConditional = true
      // Pruning frees the numbers of removed snapshots, so this one may be below that of a newer snapshot.
      const last = await newest()
      if (last < number) return number
      number = last
    }
    throw new Error('Other processes keep publishing snapshots of the project.')
  }

  /**
   * False when the snapshot has another manifest. A request that fails may have written it all the same, if
   * its answer was lost: then the store is asked.
   */
  async #writeManifest(manifest: SnapshotManifest, signal: AbortSignal): Promise<boolean> {
    const { projectId, snapshotId } = manifest
    const [key, text] = [manifestKey(projectId, snapshotId), manifestText(manifest)]
    const written = await this.#bucket.putNew(key, text, signal).catch((cause: Error) => cause)
    if (written === true) return true
    if (written !== false && signal.aborted) throw written
    const found = await this.#bucket.text(key, signal).catch(cause => {
      if (written === false) throw cause
      const message = `the store did not answer whether it has the snapshot ${snapshotId} (${written.message})`
      throw new Error(`${message}: list the snapshots before sealing again`, { cause: written })
    })
    if (found === null && written !== false) throw written
    return found === text
  }

  /** The ids of a project's snapshots, oldest first. */
  async #ids(projectId: string, signal: AbortSignal): Promise<string[]> {
    return (await this.#bucket.list(manifestsOf(projectId), signal)).map(({ key }) => idInKey(key)).sort()
  }

  async #abandon(keys: readonly string[]): Promise<void> {
    await this.#impatient.remove(keys, workOfNobody().signal).catch(() => {}) // a sweep will
  }
}
