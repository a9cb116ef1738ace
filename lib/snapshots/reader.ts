import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AnalyticsError } from '../errors.js'
import type { AnalyticsEvent } from '../options.js'
import type { SnapshotLease, SnapshotPort } from '../ports.js'
import { workOfNobody } from '../work.js'
import { checkManifest, DamagedSnapshot, readManifest, type SnapshotManifest } from './manifest.js'

/** A sealed snapshot as the methods and the engine see it. */
export interface Snapshot {
  projectId: string
  snapshotId: string
  manifest: SnapshotManifest
  /** Whether an entity of this UUID is in the ownership tree. */
  hasEntity(entityId: string): boolean
  /** Hold its folder for as long as it is read. */
  open(): Promise<SnapshotLease>
}

const ID_BYTES = 16
/** Snapshots that stay in memory; one takes a few kilobytes and 16 bytes an entity. */
const KEPT = 64
/** The newest snapshot of a list can be superseded and removed before it is opened; then there is a newer one. */
const MAX_LOOKS = 3

/** Finds and reads the latest sealed snapshot of a project. What it has read it keeps: sealed snapshots never change. */
export class SnapshotReader {
  readonly #port: SnapshotPort
  readonly #onEvent: (event: AnalyticsEvent) => void
  readonly #kept = new Map<string, Snapshot | null>()

  constructor(port: SnapshotPort, onEvent: (event: AnalyticsEvent) => void = () => {}) {
    this.#port = port
    this.#onEvent = onEvent
  }

  /** The newest snapshot that this version can read, or null. */
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

  /** Null when this version cannot read it, undefined when it is gone. */
  async #read(projectId: string, snapshotId: string, signal: AbortSignal): Promise<Snapshot | null | undefined> {
    // By the project too: a host may name the snapshots of each project alike.
    const place = `${projectId} ${snapshotId}`
    const kept = this.#kept.get(place)
    if (kept !== undefined) return kept
    const lease = await this.#port.open(projectId, snapshotId, signal)
    if (!lease) return undefined
    try {
      const manifest = await readManifest(lease.folder)
      if (manifest) checkManifest(manifest)
      const snapshot = manifest && {
        projectId,
        snapshotId,
        manifest,
        hasEntity: entityLookup(await readEntities(lease.folder, manifest)),
        open: () => this.#open(projectId, snapshotId),
      }
      this.#kept.set(place, snapshot)
      if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value as string)
      return snapshot
    } catch (cause) {
      // Not the one before it instead: its numbers would be taken for those of the latest.
      this.#onEvent({ type: 'dependency', port: 'snapshots', cause })
      throw new AnalyticsError('UNAVAILABLE', 'The latest snapshot of the project cannot be read now.', { cause })
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
  const ids = await readFile(join(folder, entities.file))
  if (ids.length !== ID_BYTES * entities.count) throw new DamagedSnapshot(`${entities.file} is not as it was sealed`)
  return ids
}

/** Binary search in ids of 16 bytes each, ascending. */
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
