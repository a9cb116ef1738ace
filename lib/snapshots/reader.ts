import { join } from 'node:path'
import { workOfNobody } from '../call/work.js'
import { AnalyticsError } from '../errors.js'
import type { AnalyticsEvent } from '../events.js'
import { readRegular } from '../files/regular.js'
import { RecentMap } from '../flow/recent.js'
import type { SnapshotLease, SnapshotPort } from '../ports.js'
import {
  checkManifest,
  DamagedSnapshot,
  readManifest,
  type Snapshot,
  type SnapshotManifest,
} from './manifest.js'

const ID_BYTES = 16
/** Snapshots kept in memory; each takes a few kilobytes plus 16 bytes per entity. */
const KEPT = 64
/**
 * Times to list: a listed snapshot can be superseded and removed before it is opened; then a newer one
 * exists.
 */
const MAX_LOOKS = 3

/**
 * Finds and reads the sealed snapshots of a project. Caches what it reads: sealed snapshots never
 * change.
 */
export class SnapshotReader {
  readonly #port: SnapshotPort
  readonly #needsTree: boolean
  readonly #onEvent: (event: AnalyticsEvent) => void
  readonly #kept = new RecentMap<string, Snapshot | null>(KEPT)

  /** With `needsTree`, a snapshot without a tree of ownership is none that can be read. */
  constructor(port: SnapshotPort, onEvent: (event: AnalyticsEvent) => void = () => {}, needsTree = true) {
    this.#port = port
    this.#needsTree = needsTree
    this.#onEvent = onEvent
  }

  /**
   * The newest snapshot that this version can read, or null. Throws UNAVAILABLE when its files cannot be
   * read.
   */
  async latest(projectId: string, signal: AbortSignal): Promise<Snapshot | null> {
    for (let look = 1; ; look++) {
      let isGone = false
      for (const snapshotId of await this.#port.list(projectId, signal)) {
        const snapshot = await this.#read(projectId, snapshotId, signal)
        if (snapshot) return snapshot
        isGone = snapshot === undefined && look < MAX_LOOKS
        if (isGone) break
      }
      if (!isGone) return null
    }
  }

  /** The newest snapshot before another that this version can read, or null. Throws as `latest` does. */
  async before({ projectId, snapshotId }: Snapshot, signal: AbortSignal): Promise<Snapshot | null> {
    const ids = await this.#port.list(projectId, signal)
    const older = ids.includes(snapshotId) ? ids.slice(ids.indexOf(snapshotId) + 1) : []
    for (const id of older) {
      const snapshot = await this.#read(projectId, id, signal)
      if (snapshot) return snapshot
    }
    return null
  }

  /** Null when this version does not read its format, undefined when it is gone. */
  async #read(
    projectId: string,
    snapshotId: string,
    signal: AbortSignal,
  ): Promise<Snapshot | null | undefined> {
    // The key includes the project: a host may use the same snapshot ids in several projects.
    const place = `${projectId} ${snapshotId}`
    const kept = this.#kept.get(place)
    if (kept !== undefined) return kept
    const lease = await this.#port.open(projectId, snapshotId, signal)
    if (!lease) return undefined
    try {
      const manifest = await readManifest(lease.folder)
      if (manifest) checkManifest(manifest)
      const lacksTree = this.#needsTree && manifest?.rootId === undefined
      const snapshot =
        manifest === null || lacksTree
          ? null
          : {
              projectId,
              snapshotId,
              manifest,
              hasEntity: entityLookup(await readEntities(lease.folder, manifest)),
              open: () => this.#open(projectId, snapshotId),
            }
      this.#kept.set(place, snapshot)
      return snapshot
    } catch (cause) {
      // No fallback to the previous snapshot: callers would take its numbers for the latest.
      this.#onEvent({ type: 'dependency', port: 'snapshots', cause })
      throw new AnalyticsError('UNAVAILABLE', 'The latest snapshot of the project cannot be read now.', {
        cause,
      })
    } finally {
      await lease.release()
    }
  }

  async #open(projectId: string, snapshotId: string): Promise<SnapshotLease> {
    const { signal } = workOfNobody()
    const lease = await this.#port.open(projectId, snapshotId, signal)
    if (!lease) throw new Error('the snapshot is gone')
    return lease
  }
}

async function readEntities(folder: string, { entities }: SnapshotManifest): Promise<Buffer> {
  if (!entities) return Buffer.alloc(0)
  const ids = await readRegular(join(folder, entities.file))
  if (ids.length !== ID_BYTES * entities.count)
    throw new DamagedSnapshot(`${entities.file} is not as it was sealed`)
  return ids
}

/** Binary search over ids of 16 bytes each, ascending. */
function entityLookup(ids: Buffer): (entityId: string) => boolean {
  return entityId => {
    const wanted = Buffer.from(entityId.replaceAll('-', ''), 'hex')
    let low = 0
    let high = ids.length / ID_BYTES - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const order = ids.compare(wanted, 0, ID_BYTES, middle * ID_BYTES, (middle + 1) * ID_BYTES)
      if (order === 0) return true
      if (order < 0) low = middle + 1
      else high = middle - 1
    }
    return false
  }
}
