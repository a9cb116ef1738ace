import { checkNewest, isSnapshotId, isProjectId as isUuid, numberOf, OutdatedBase } from 'foldgate/internal'
import type { Bucket } from './bucket.js'
import { ABANDONED_MS } from './linking.js'
import { idInKey, linkingOf, manifestsOf, nameInKey, numberKey, numbersOf } from './object-keys.js'

/**
 * Attempts to take a number. An attempt fails only when another publisher of the project takes the number
 * first.
 */
const ATTEMPTS = 100

/** Who takes a number. */
export interface Taker {
  projectId: string
  /** The place of its files, under which it is announced. */
  holder: string
  /** Id of the newest snapshot when the publisher began. */
  newest: string | undefined
  /** Id of the snapshot that must still be the newest; null for none, undefined for any. */
  after: string | null | undefined
}

/**
 * The numbers that give snapshots their places. Of several requests for a number, the one that creates its object takes
 * it; the object names the publisher.
 */
export class Numbers {
  readonly #bucket: Bucket

  constructor(bucket: Bucket) {
    this.#bucket = bucket
  }

  /**
   * Takes the number after those of all snapshots of a project. With `after`, throws an {@link OutdatedBase} unless that
   * is the newest snapshot, and nobody who may still publish has a number after it.
   */
  async take(taker: Taker, signal: AbortSignal): Promise<number> {
    const { projectId, holder, newest, after } = taker
    let number = numberOf(newest) + 1
    for (let attempt = 0; attempt < ATTEMPTS; attempt++, number++) {
      const key = numberKey(projectId, number)
      if (!(await this.#isTaken(key, holder, signal))) {
        const id = await this.#newest(projectId, signal)
        checkNewest(id, after)
        // Pruning frees the numbers of removed snapshots, so this one may be below that of a newer snapshot.
        if (numberOf(id) < number) return number
        number = numberOf(id)
      } else if (after !== undefined) await this.#mustHaveEnded(key, taker, after, signal)
      else if (attempt === 0) number = Math.max(number, await this.#last(projectId, signal))
    }
    throw new Error('Other processes keep publishing snapshots of the project.')
  }

  /** Whether another publisher has a number, which is taken otherwise. */
  async #isTaken(key: string, holder: string, signal: AbortSignal): Promise<boolean> {
    // A request whose answer was lost has taken the number, too.
    if (await this.#bucket.putNew(key, `${holder}\n`, signal)) return false
    return (await this.#bucket.text(key, signal))?.trim() !== holder
  }

  /**
   * Throws unless the publisher that has a number has ended without a snapshot: what it announced is gone, or a day
   * old. If it has published one instead, that is found to be the newest later. A publisher of an earlier version left
   * no name, and has a day.
   */
  async #mustHaveEnded(
    key: string,
    { projectId }: Taker,
    after: string | null,
    signal: AbortSignal,
  ): Promise<void> {
    const other = (await this.#bucket.text(key, signal))?.trim()
    if (other === undefined) throw new OutdatedBase(after) // removed with snapshots that were older than a newer one
    const announced = isUuid(other) ? linkingOf(projectId) + other : key
    const found = await this.#bucket.head(announced, signal)
    if (found && Date.now() - found.modifiedAt < ABANDONED_MS) throw new OutdatedBase(after)
  }

  /** The last number that is taken. */
  async #last(projectId: string, signal: AbortSignal): Promise<number> {
    const taken = await this.#bucket.list(numbersOf(projectId), signal)
    return Math.max(0, ...taken.slice(-1).map(({ key }) => Number(nameInKey(key))))
  }

  async #newest(projectId: string, signal: AbortSignal): Promise<string | undefined> {
    const listed = await this.#bucket.list(manifestsOf(projectId), signal)
    const ids = listed.map(({ key }) => idInKey(key)).filter(isSnapshotId)
    return ids.sort().at(-1)
  }
}
