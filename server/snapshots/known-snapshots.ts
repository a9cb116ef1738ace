import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ExportPort, SnapshotPort } from 'foldgate'
import { manifestIn, RecentMap } from 'foldgate/internal'
import { whileUnchanged } from '../database/changes.js'
import type { Store } from '../database/store.js'
import { loggedReason } from '../operation/event-log.js'
import type { Log, Report } from '../operation/log.js'
import {
  hasNewest,
  type KnownNewest,
  knownNewest,
  newestSnapshot,
  recordSealed,
} from '../store/newest-snapshots.js'
import { checkSharedFolder } from './marker.js'
import { Rounds, type Visited } from './rounds.js'
import type { Shared } from './shared.js'

const LOOK_EVERY_MS = 30_000
const STOP_MS = 1_000
/** Projects of which it is kept what a bucket has listed. */
const MOST_LISTED = 10_000
/** Projects whose newest snapshot is missing that a look visits, besides those of its turn. */
const MOST_MISSING = 1_000

/** The watched places; `sharedId` is the id of the shared folder or bucket. */
interface WatchedPlaces {
  store: Store
  shared: Shared
  sharedId: string
}

/**
 * The snapshots and exports in the shared folder or bucket, compared with what the store records. A project
 * whose newest snapshot is missing is UNAVAILABLE, since its callers would take the numbers of an older one
 * for the latest.
 */
export class KnownSnapshots {
  readonly #store: Store
  readonly #shared: Shared
  readonly #sharedId: string
  readonly #log: Log
  readonly #report: Report
  readonly #newest: (projectId: string) => Promise<KnownNewest>
  readonly #rounds: Rounds
  /**
   * What a bucket has listed of a project, for as long as the store knows of no change of its snapshots. A folder is
   * listed for each call.
   */
  readonly #listed = new RecentMap<string, { ids: readonly string[]; known: KnownNewest | null }>(MOST_LISTED)
  /** Projects whose newest snapshot was missing when it was last looked for. */
  readonly #missing = new Set<string>()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | null = null
  #isGone = false
  #isStopped = false

  constructor({ store, shared, sharedId }: WatchedPlaces, log: Log, report: Report) {
    this.#store = store
    this.#shared = shared
    this.#sharedId = sharedId
    this.#log = log
    this.#report = report
    this.#newest = whileUnchanged(store, projectId => knownNewest(store, projectId), {
      idsOf: (_, id) => [id],
    })
    this.#rounds = new Rounds(store, shared.snapshots)
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  /** The snapshots as the API reads them. */
  readonly port: SnapshotPort = {
    manifestOf: async (projectId, snapshotId, signal) =>
      (await this.#shared.snapshots.manifestOf(projectId, snapshotId, signal)) ??
      this.#gone(projectId, snapshotId, signal),
    list: async (projectId, signal) => {
      const known = await this.#newest(projectId)
      const kept = this.#listed.get(projectId)
      if (kept && isDeepStrictEqual(kept.known, known)) return kept.ids
      const ids = await this.#shared.snapshots.list(projectId, signal)
      const listed = await this.#compare(projectId, { ids, known: known.snapshotId }, signal)
      if (this.#shared.what === 'shared bucket' && known.snapshotId !== null)
        this.#listed.set(projectId, { ids: listed, known })
      return listed
    },
    open: async (projectId, snapshotId, files, signal) =>
      (await this.#shared.snapshots.open(projectId, snapshotId, files, signal)) ??
      this.#gone(projectId, snapshotId, signal),
  }

  /** Number of projects whose newest snapshot is missing. */
  get missing(): number {
    return this.#missing.size
  }

  /** Makes writes, and reads that find nothing, fail while the shared folder is missing. */
  guard(exports: ExportPort): ExportPort {
    return {
      ...exports,
      put: async (file, signal) => {
        await this.checkFolder()
        await exports.put(file, signal)
      },
      open: async (exportId, signal) => {
        const found = await exports.open(exportId, signal)
        if (!found) await this.checkFolder()
        return found
      },
    }
  }

  /**
   * Looks for the newest snapshots of some projects: all have their turn, and those whose newest one is missing are
   * looked at each time. Concurrent calls share one look.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    try {
      await this.checkFolder()
      const { signal } = new AbortController()
      for (const projectId of [...this.#missing].slice(0, MOST_MISSING)) {
        if (this.#isStopped) return
        const known = await newestSnapshot(this.#store, projectId)
        await this.#see({ projectId, known, ids: await this.#shared.snapshots.list(projectId, signal) })
      }
      for await (const visited of this.#rounds.look(signal)) {
        if (this.#isStopped) return
        await this.#see(visited)
      }
    } catch (error) {
      if (!this.#isGone && !this.#isStopped) this.#report('looking for the newest snapshots', error)
    }
  }

  async #see({ projectId, known, ids }: Visited): Promise<void> {
    const listed = this.#listed.get(projectId)
    if (listed && !isDeepStrictEqual(listed.ids, ids)) this.#forget(projectId)
    if (ids.length === 0 && known === null) return void this.#missing.delete(projectId)
    await this.#compare(projectId, { ids, known }, new AbortController().signal).catch(() => {}) // it is logged
  }

  /** Answers for a snapshot that cannot be opened. Without the newest one, the API would look for an older one. */
  async #gone(projectId: string, snapshotId: string, signal: AbortSignal): Promise<null> {
    this.#forget(projectId)
    if ((await this.#shared.snapshots.list(projectId, signal))[0] === snapshotId)
      throw new Error(`the newest snapshot ${snapshotId} has no manifest`)
    return null
  }

  /** Has the snapshots of a project listed again: they are not as they were. */
  #forget(projectId: string): void {
    this.#listed.set(projectId, { ids: [], known: null })
  }

  /** Stops looking; waits for a look under way, unless the share hangs. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    const given = new AbortController()
    await Promise.race([this.#looking, setTimeout(STOP_MS, undefined, { signal: given.signal })])
    given.abort()
  }

  /** Rejects when the shared folder or bucket is missing, and logs that once. */
  async checkFolder(): Promise<void> {
    try {
      await checkSharedFolder(this.#shared, this.#sharedId)
      if (this.#isGone) this.#log.info({ type: 'snapshot' }, `the ${this.#shared.what} is there again`)
      this.#isGone = false
    } catch (error) {
      if (!this.#isGone)
        this.#log.error({ type: 'snapshot' }, `${loggedReason(error)}: calls that need it are UNAVAILABLE`)
      this.#isGone = true
      throw error
    }
  }

  /**
   * Returns the ids, newest first. Throws when the newest snapshot that the store knows is not there; records
   * a newer one. A snapshot that was published since the ids were listed is looked for again.
   */
  async #compare(
    projectId: string,
    { ids, known }: { ids: readonly string[]; known: string | null },
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const listed = hasNewest(ids, known) ? ids : await this.#shared.snapshots.list(projectId, signal)
    const [newest] = listed
    if (newest === undefined || !hasNewest(listed, known)) await this.checkFolder()
    if (!hasNewest(listed, known)) {
      // Since it was read, the project was removed, or an older snapshot accepted.
      const still = await newestSnapshot(this.#store, projectId)
      if (still !== known) return this.#compare(projectId, { ids: listed, known: still }, signal)
      if (!this.#missing.has(projectId))
        this.#log.error(
          { type: 'snapshot', projectId, snapshotId: known },
          'the newest snapshot of a project is missing: its queries are UNAVAILABLE',
        )
      this.#missing.add(projectId)
      throw new Error(`the newest snapshot of the project ${projectId} is missing`)
    }
    if (this.#missing.delete(projectId))
      this.#log.info(
        { type: 'snapshot', projectId, snapshotId: newest },
        'the newest snapshot of a project is there',
      )
    if (newest !== undefined && (known === null || newest > known))
      await this.#raise(projectId, newest).catch(error =>
        this.#report('recording the newest snapshot', error),
      )
    return listed
  }

  async #raise(projectId: string, snapshotId: string): Promise<void> {
    // A damaged snapshot is recorded too: its project must not be answered from an older one.
    const { signal } = new AbortController()
    const named = { projectId, snapshotId }
    const manifest = await manifestIn(this.#shared.snapshots, named, signal).catch(() => null)
    await recordSealed(this.#store, { ...named, sealedAt: manifest?.sealedAt ?? null })
  }
}
