import type { StoredFile } from 'foldgate/internal'
import type { Bucket } from './bucket.js'
import { linkingOf, removingOf, tablesKey, tablesOf } from './object-keys.js'

/**
 * A publisher that takes longer gives up. What it has announced counts for a day, so a request that it sends last has
 * hours to arrive.
 */
const MOST_MS = 43_200_000
/** An announcement that is a day old was left by a process that has ended. */
export const ABANDONED_MS = 86_400_000
/** A removal that began so much earlier has ended, see `removeUnnamed`. */
const REMOVED_MS = 7_200_000

/**
 * Announces what a publisher needs of the bucket, for as long as no manifest does.
 *
 * Snapshots of a project share files, and one may be removed while another that names its files is published. Nothing
 * is needed for it but that a listing has every object that was written before it begins. A publisher
 * 1. writes an object below `linking/` with the keys of others that it is going to name,
 * 2. lists `removing/`; if a removal is under way, it names no files of others, but uploads its own,
 * 3. otherwise lists the files that it names, and uploads those that are not there,
 * 4. uploads the rest, writes its manifest, and removes what it wrote first.
 *
 * Whoever removes files (`removeUnnamed`) has removed manifests, and
 * 1. writes an object below `removing/`,
 * 2. lists the files of the project,
 * 3. then reads what is announced below `linking/`,
 * 4. then reads the manifests that are left,
 * 5. removes the listed files that no manifest names, that nobody announced, and whose place is that of no publisher,
 * 6. removes what it wrote first, once every request to remove a file was answered.
 *
 * No file that a published manifest names is removed. Say that a publisher names a file that was listed in 2.
 * - The file is its own: it was announced before it was uploaded, so before 2. In 3 that is still to be seen, or it was
 *   gone since the manifest was there, which is then read in 4.
 * - The file belongs to another publisher. If the publisher looked for removals before 1, it had announced the file
 *   before, and the same holds. If it did so after 1 and before 6, it saw the removal and named no such file. If it
 *   looked after 6, its listing then showed which files were missing.
 *
 * A process that is killed leaves its object, which a sweep removes a day later. Publishers give up after half a day. A
 * removal gives up after an hour. While one has not ended, publishers upload all files, for two hours by the clock of
 * the store.
 */
export class Linking {
  readonly #bucket: Bucket
  readonly #projectId: string
  readonly #holder: string
  readonly #elapsed = stopwatch()

  /** `holder` is the place of the files that are uploaded. */
  constructor(bucket: Bucket, projectId: string, holder: string) {
    this.#bucket = bucket
    this.#projectId = projectId
    this.#holder = holder
  }

  /** The key of what this publisher announces. */
  get key(): string {
    return linkingOf(this.#projectId) + this.#holder
  }

  /**
   * Announces files of others, and returns the keys of those that may be named: they are there, with the size that
   * `bytesOf` says, and stay. To be called once, before anything is uploaded.
   */
  async announce(
    files: readonly (StoredFile & { holder: string })[],
    bytesOf: (file: StoredFile) => Promise<number>,
    signal: AbortSignal,
  ): Promise<Map<string, string>> {
    const keys = files.map(({ file, holder }) => tablesKey(this.#projectId, holder) + file)
    await this.#bucket.putNew(this.key, `${keys.join('\n')}\n`, signal)
    const linked = new Map<string, string>()
    if (files.length === 0) return linked
    if (await this.#isRemoving(signal)) return linked
    const there = await this.#bucket.list(tablesOf(this.#projectId), signal)
    const bytes = new Map(there.map(each => [each.key, each.bytes]))
    for (const [at, file] of files.entries())
      if (bytes.get(keys[at] ?? '') === (await bytesOf(file))) linked.set(file.file, file.holder)
    return linked
  }

  /** Throws once what was announced may soon be taken for abandoned. */
  mustBeCurrent(): void {
    if (this.#elapsed() > MOST_MS)
      throw new Error('publishing the snapshot took more than half a day: seal again')
  }

  async #isRemoving(signal: AbortSignal): Promise<boolean> {
    const marks = await this.#bucket.list(removingOf(this.#projectId), signal)
    if (marks.length === 0) return false
    const own = await this.#bucket.head(this.key, signal)
    return own === null || marks.some(({ modifiedAt }) => own.modifiedAt - modifiedAt < REMOVED_MS)
  }
}

/**
 * Tells how long ago it was made, in milliseconds, by the clock that says more: the monotonic clock may stand still
 * while the machine is suspended, and the clock of the day may be set back.
 */
export function stopwatch(): () => number {
  const [startedAt, dated] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - startedAt, Date.now() - dated)
}
