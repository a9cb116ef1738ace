import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PublishOptions, StoredFile, UnpublishedManifest } from 'foldgate/internal'
import {
  checkNewest,
  checkProjectId,
  checkSnapshotId,
  DamagedSnapshot,
  isSnapshotId,
  manifestText,
  parseManifest,
  snapshotIdOf,
  withHolders,
  workOfNobody,
} from 'foldgate/internal'
import { type SnapshotManifest, snapshotFiles } from 'foldgate/sealing'
import { Bucket, type BucketOptions, inParallel } from './bucket.js'
import { Linking } from './linking.js'
import { idInKey, manifestKey, manifestsOf, tablesKey } from './object-keys.js'
import { Numbers } from './snapshot-numbers.js'
import { upload } from './upload.js'

/** Of so many of the newest snapshots, the first that this version reads is the one whose files are named again. */
const MOST_LOOKS = 3

/**
 * Publishes snapshots in a bucket: first those of their files that the snapshot before does not have, then the number
 * that gives them their place, then the manifest. A number is taken by the one request of several that creates its
 * object, so snapshots that are published at the same time get different places. A publisher that is killed leaves
 * files, which a sweep removes, and perhaps a number that no snapshot has.
 */
export class Publisher {
  /** Patient: no call waits for a snapshot that is sealed, and sealing again takes long. */
  readonly #bucket: Bucket
  readonly #impatient: Bucket
  readonly #numbers: Numbers
  #isConditional = false

  constructor(options: BucketOptions) {
    this.#bucket = new Bucket(options, true)
    this.#impatient = new Bucket(options)
    this.#numbers = new Numbers(this.#bucket)
  }

  async publish(
    draft: string,
    contents: UnpublishedManifest,
    signal: AbortSignal,
    { after }: PublishOptions = {},
  ): Promise<SnapshotManifest> {
    const { projectId } = contents
    checkProjectId(projectId)
    checkSnapshotId(contents.snapshotId)
    const ids = await this.#ids(projectId, signal)
    const newest = ids.at(-1)
    if (contents.snapshotId !== undefined && ids.includes(contents.snapshotId))
      throw new Error(`the project already has the snapshot ${contents.snapshotId}`)
    checkNewest(newest, after)
    // Of a copy, the id says nothing: files of a snapshot that was removed may be in the place of that name.
    const holder = randomUUID()
    const linking = new Linking(this.#bucket, projectId, holder)
    // The files do not depend on the id.
    const files = snapshotFiles({ ...contents, snapshotId: '' })
    let manifest: SnapshotManifest
    try {
      const candidates = await this.#alikeIn(projectId, ids, files, signal)
      const bytesOf = async ({ file }: StoredFile) => (await stat(join(draft, file))).size
      const linked = await linking.announce(candidates, bytesOf, signal)
      await this.#mustBeConditional(linking, signal)
      const own = files.filter(({ file }) => !linked.has(file))
      await inParallel(own, ({ file, sha256 }) => {
        const key = tablesKey(projectId, holder) + file
        return upload(this.#bucket, { key, path: join(draft, file), sha256 }, signal)
      })
      const numberAt = () => this.#numbers.take({ projectId, holder, newest, after }, signal)
      const snapshotId = contents.snapshotId ?? snapshotIdOf(await numberAt(), holder)
      signal.throwIfAborted()
      linking.mustBeCurrent()
      manifest = { ...withHolders(contents, ({ file }) => linked.get(file) ?? holder), snapshotId }
    } catch (cause) {
      await this.#abandon(projectId, holder, files, linking)
      throw cause
    }
    // From here on, the files stay whatever happens, and so does what was announced: a store that did not answer may
    // have the manifest all the same.
    const isNew = await this.#writeManifest(manifest, signal)
    if (!isNew) throw new Error(`the project already has the snapshot ${manifest.snapshotId}`)
    await this.#impatient.remove([linking.key], signal).catch(() => {}) // a sweep will
    await rm(draft, { recursive: true, force: true })
    return manifest
  }

  /** Throws when the store writes an object that is there. */
  async #mustBeConditional(linking: Linking, signal: AbortSignal): Promise<void> {
    if (!this.#isConditional && (await this.#bucket.putNew(linking.key, '\n', signal)))
      throw new Error('the store ignores If-None-Match, so snapshots could be lost: use another one')
    this.#isConditional = true
  }

  /** The files that the newest snapshot has, too, and their places. */
  async #alikeIn(
    projectId: string,
    ids: readonly string[],
    files: readonly StoredFile[],
    signal: AbortSignal,
  ): Promise<(StoredFile & { holder: string })[]> {
    const nameOf = ({ file, sha256 }: StoredFile) => `${sha256} ${file}`
    for (const id of ids.slice(-MOST_LOOKS).toReversed()) {
      const text = await this.#bucket.text(manifestKey(projectId, id), signal)
      const known = new Map<string, string>()
      for (const each of filesIn(text)) if (each.holder !== undefined) known.set(nameOf(each), each.holder)
      if (known.size === 0) continue
      return files.flatMap(file => {
        const holder = known.get(nameOf(file))
        return holder === undefined ? [] : [{ ...file, holder }]
      })
    }
    return []
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
    const listed = await this.#bucket.list(manifestsOf(projectId), signal)
    return listed
      .map(({ key }) => idInKey(key))
      .filter(isSnapshotId)
      .sort()
  }

  /** Removes the uploaded files, and at last their announcement. */
  async #abandon(
    projectId: string,
    holder: string,
    files: readonly StoredFile[],
    linking: Linking,
  ): Promise<void> {
    const keys = files.map(({ file }) => tablesKey(projectId, holder) + file)
    await this.#impatient.remove([...keys, linking.key], workOfNobody().signal).catch(() => {}) // a sweep will
  }
}

/** The files that the text of a manifest names; none unless this version reads it. */
function filesIn(text: string | null): readonly StoredFile[] {
  try {
    const read = text === null ? null : parseManifest(text)
    return read ? snapshotFiles(read) : []
  } catch (cause) {
    if (cause instanceof DamagedSnapshot) return []
    throw cause
  }
}
