import { join } from 'node:path'
import { AnalyticsError } from '../errors.js'
import type { AnalyticsEvent } from '../events.js'
import { readRegular } from '../files/regular.js'
import { inParallel } from '../flow/in-parallel.js'
import { RecentMap } from '../flow/recent.js'
import { stopwatch, workOfNobody } from '../flow/work.js'
import type { KeptSnapshot } from '../model.js'
import type { SnapshotLease, SnapshotPort } from '../ports.js'
import { numberOf, unreadableId } from './ids.js'
import {
  checkManifest,
  DamagedSnapshot,
  parseManifest,
  type Snapshot,
  type SnapshotManifest,
} from './manifest.js'
import { TRUSTED_MS } from './publishing.js'

const ID_BYTES = 16
/** Snapshots kept in memory; each takes about as much for its manifest, and its entity ids. */
const KEPT_BYTES = 32 * 1024 ** 2
const MANIFEST_BYTES = 32 * 1024
/** Snapshots of which it is remembered when they were sealed. */
const KEPT_DATES = 10_000
/** Manifests that are read at once, to list the snapshots of a project. */
const MANIFESTS_AT_ONCE = 8
/**
 * Times to list: a listed snapshot can be superseded and removed before it is opened; then a newer one
 * exists.
 */
const MAX_LOOKS = 3

const LATEST_UNREADABLE = 'The latest snapshot of the project cannot be read now.'
/** What callers are told of damage to a snapshot that they have pinned. */
export const PINNED_UNREADABLE = 'The pinned snapshot of the project cannot be read now.'

/** What was read of a snapshot, null for one that cannot be used, and how long ago. */
interface KeptRead {
  snapshot: Snapshot | null
  elapsed(): number
}

/**
 * Finds and reads the sealed snapshots of a project. Caches what it reads: sealed snapshots never
 * change.
 */
export class SnapshotReader {
  readonly #port: SnapshotPort
  readonly #needsTree: boolean
  readonly #onEvent: (event: AnalyticsEvent) => void
  readonly #kept = new RecentMap<string, KeptRead>(KEPT_BYTES, { weigh: weightOf })
  readonly #sealedAt = new RecentMap<string, string>(KEPT_DATES)

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

  /**
   * The snapshot of this id; null when the project has none of it that this version can read. The id that a caller
   * sends is looked for among those that the port lists: it never reaches the port itself, and no call is answered from
   * the memory of a removed snapshot. Throws UNAVAILABLE when its files cannot be read.
   */
  async find(projectId: string, snapshotId: string, signal: AbortSignal): Promise<Snapshot | null> {
    const ids = await this.#port.list(projectId, signal)
    if (ids.includes(unreadableId(numberOf(snapshotId))))
      throw this.#unreadable(
        PINNED_UNREADABLE,
        new DamagedSnapshot(`${snapshotId} may be a damaged snapshot`),
      )
    if (!ids.includes(snapshotId)) return null
    return (await this.#read(projectId, snapshotId, signal, PINNED_UNREADABLE)) ?? null
  }

  /** Whether a snapshot is the newest one that the port lists, an older one, or gone. */
  async standing(
    { projectId, snapshotId }: Snapshot,
    signal: AbortSignal,
  ): Promise<'newest' | 'older' | 'gone'> {
    const at = (await this.#port.list(projectId, signal)).indexOf(snapshotId)
    return at === 0 ? 'newest' : at > 0 ? 'older' : 'gone'
  }

  /** The snapshots that this version can read, newest first; damaged snapshots are left out. */
  async all(projectId: string, signal: AbortSignal): Promise<KeptSnapshot[]> {
    const ids = await this.#port.list(projectId, signal)
    const read = async (snapshotId: string) => {
      const sealedAt = await this.#dateOf(projectId, snapshotId, signal).catch(cause => {
        if (isDamage(cause)) return null
        throw cause
      })
      return sealedAt === null ? [] : [{ snapshot: snapshotId, sealedAt }]
    }
    return (await inParallel(ids, read, MANIFESTS_AT_ONCE)).flat()
  }

  /** The newest snapshot before another that this version can read, or null. Throws when its manifest cannot be read. */
  async before({ projectId, snapshotId }: Snapshot, signal: AbortSignal): Promise<KeptSnapshot | null> {
    const ids = await this.#port.list(projectId, signal)
    const older = ids.includes(snapshotId) ? ids.slice(ids.indexOf(snapshotId) + 1) : []
    for (const id of older) {
      const sealedAt = await this.#dateOf(projectId, id, signal)
      if (sealedAt !== null) return { snapshot: id, sealedAt }
    }
    return null
  }

  /** When a snapshot was sealed; null when it is gone, or this version does not read its format. */
  async #dateOf(projectId: string, snapshotId: string, signal: AbortSignal): Promise<string | null> {
    const place = `${projectId} ${snapshotId}`
    const known = this.#sealedAt.get(place)
    if (known !== undefined) return known
    const manifest = await this.#manifestOf(projectId, snapshotId, signal).catch(cause => {
      if (!(cause instanceof AnalyticsError)) this.#onEvent({ type: 'dependency', port: 'snapshots', cause })
      throw cause
    })
    if (!manifest || this.#lacksTree(manifest)) return null
    this.#sealedAt.set(place, manifest.sealedAt)
    return manifest.sealedAt
  }

  async #manifestOf(
    projectId: string,
    snapshotId: string,
    signal: AbortSignal,
  ): Promise<SnapshotManifest | null> {
    const text = await this.#port.manifestOf(projectId, snapshotId, signal)
    return text === null ? null : dated(parseManifest(text))
  }

  #lacksTree({ rootId }: SnapshotManifest): boolean {
    return this.#needsTree && rootId === undefined
  }

  /** Null when this version does not read its format, undefined when it is gone. */
  async #read(
    projectId: string,
    snapshotId: string,
    signal: AbortSignal,
    unreadable = LATEST_UNREADABLE,
  ): Promise<Snapshot | null | undefined> {
    // The key includes the project: a host may use the same snapshot ids in several projects.
    const place = `${projectId} ${snapshotId}`
    const kept = this.#kept.get(place)
    // One that was removed can come back a day later, from a copy of its project, with files of other names.
    if (kept && kept.elapsed() < TRUSTED_MS) return kept.snapshot
    const elapsed = stopwatch()
    const text = await this.#port.manifestOf(projectId, snapshotId, signal).catch(cause => {
      if (cause instanceof AnalyticsError) throw cause
      throw this.#unreadable(unreadable, cause)
    })
    if (text === null) return undefined
    try {
      const manifest = parseManifest(text)
      if (manifest) checkManifest(manifest)
      const entityIds = manifest && (await this.#entityIds(projectId, snapshotId, manifest, signal))
      if (entityIds === undefined) return undefined
      const snapshot =
        manifest === null || entityIds === null || this.#lacksTree(manifest)
          ? null
          : {
              projectId,
              snapshotId,
              manifest,
              hasEntity: entityLookup(entityIds),
              open: (files: readonly string[]) => this.#open(projectId, snapshotId, files),
            }
      this.#kept.set(place, { snapshot, elapsed })
      return snapshot
    } catch (cause) {
      throw cause instanceof AnalyticsError ? cause : this.#unreadable(unreadable, cause)
    }
  }

  /** No fallback to the previous snapshot: callers would take its numbers for the latest. */
  #unreadable(message: string, cause: unknown): AnalyticsError {
    this.#onEvent({ type: 'dependency', port: 'snapshots', cause })
    return new AnalyticsError('UNAVAILABLE', message, { cause })
  }

  /** The entity ids of a snapshot, none without a tree; undefined when the snapshot is gone. */
  async #entityIds(
    projectId: string,
    snapshotId: string,
    { entities }: SnapshotManifest,
    signal: AbortSignal,
  ): Promise<Buffer | undefined> {
    if (!entities) return Buffer.alloc(0)
    const lease = await this.#port.open(projectId, snapshotId, [entities.file], signal)
    if (!lease) return undefined
    try {
      const ids = await readRegular(join(lease.folder, entities.file))
      if (ids.length === ID_BYTES * entities.count) return ids
      throw new DamagedSnapshot(`${entities.file} is not as it was sealed`)
    } finally {
      await lease.release()
    }
  }

  async #open(projectId: string, snapshotId: string, files: readonly string[]): Promise<SnapshotLease> {
    const lease = await this.#port.open(projectId, snapshotId, files, workOfNobody().signal)
    if (!lease) throw new Error('the snapshot is gone')
    return lease
  }
}

function weightOf({ snapshot }: KeptRead): number {
  return MANIFEST_BYTES + ID_BYTES * (snapshot?.manifest.entities?.count ?? 0)
}

/** A manifest that says when its snapshot was sealed. */
function dated(manifest: SnapshotManifest | null): SnapshotManifest | null {
  if (manifest) checkManifest(manifest)
  if (manifest && typeof manifest.sealedAt !== 'string')
    throw new DamagedSnapshot('manifest.json does not say when it was sealed')
  return manifest
}

/** Whether a failure is of one snapshot, and not of the port. */
function isDamage(cause: unknown): boolean {
  return !(cause instanceof AnalyticsError) || cause.cause instanceof DamagedSnapshot
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
