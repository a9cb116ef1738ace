import { setMaxListeners } from 'node:events'
import { inParallel } from '../flow/in-parallel.js'
import { RecentMap } from '../flow/recent.js'
import { SingleFlight } from '../flow/single-flight.js'
import { stopwatch, workOfNobody } from '../flow/work.js'
import { digestIn, type ObjectStore } from '../objects/store.js'
import type { SnapshotLease } from '../ports.js'
import { checkKeep, checkProjectId, isSnapshotId, numberOf, olderThan } from './ids.js'
import {
  DamagedSnapshot,
  isOf,
  manifestIn,
  type SnapshotManifest,
  type StoredFile,
  snapshotFiles,
} from './manifest.js'
import { Manifests, READ_AT_ONCE, tableKey } from './manifests.js'
import { Publisher, TRUSTED_MS } from './publishing.js'
import { Removal } from './removal.js'
import type { SnapshotStore } from './store.js'
import { problemsIn } from './verify.js'

/**
 * A listing serves all calls of so long, since a listing costs a fifth of a small call: what another process publishes or
 * removes is seen so much later.
 */
const LISTED_FOR_MS = 20
/** Projects whose listings are remembered. */
const MOST_LISTED = 10_000
/** Snapshots whose files are remembered, each some kilobytes. */
const MOST_OPENED = 1_000

/** Files of snapshots that an engine reads, in a folder of this machine. */
export interface LocalFiles {
  /** Has files of a project in a folder until they are released. Throws a {@link DamagedSnapshot} for files that are missing or damaged. */
  lease(
    projectId: string,
    files: readonly StoredFile[],
    signal: AbortSignal,
  ): Promise<Omit<SnapshotLease, 'snapshotId'>>
}

/** Options of {@link objectSnapshots}. */
interface ObjectSnapshotsOptions {
  local: LocalFiles
  /** Makes what tells how much time has passed. Default: {@link stopwatch}. */
  watch?: typeof stopwatch
}

/**
 * Opens the snapshots in an object store, for any number of processes:
 * - `tables/<project>/<table>-<SHA-256>-<random>.parquet` are files, each for as many snapshots as name it;
 * - `snapshots/<project>/<number>.json` is the manifest of a snapshot. It is put in one request that fails when there
 *   is one of this number, and then the snapshot exists;
 * - `snapshots/<project>/<number>.gone` says that it was removed.
 *
 * Nothing is locked, and a publisher that is killed leaves files that no manifest names. A sweep removes files that are
 * a day old and that no manifest names; a removed snapshot has its manifest and its mark until that is a day old. No
 * file that a manifest names is removed. Say that a sweep begins at n by the clock of the store, and that somebody
 * publishes a snapshot within half a day of looking at those that are there, or not at all.
 * - A file that it stored itself is removed only if it is older than n minus a day, so the manifest was there before n,
 *   and the sweep reads it.
 * - A file that an older snapshot has is removed only if that one was removed before n minus a day. The publisher looked
 *   before that, so its manifest was there before n, too.
 *
 * A number is given again once its manifest and its mark are gone, also when somebody takes a manifest away. So a process
 * remembers the id in a manifest together with the time at which that was put.
 */
export function objectSnapshots(
  store: ObjectStore,
  { local, watch = stopwatch }: ObjectSnapshotsOptions,
): SnapshotStore {
  const own = workOfNobody().signal
  const manifests = new Manifests(store)
  const removal = new Removal(store, manifests, watch)
  const publisher = new Publisher(store, manifests, removal, watch)
  const opened = new RecentMap<string, { files: readonly StoredFile[]; elapsed(): number }>(MOST_OPENED)
  // Listings that hang while the store does would pile up unless they were aborted.
  const listings = new SingleFlight<readonly string[]>({ isAbortedWhenLeft: true })

  const listed = new RecentMap<string, { ids: readonly string[]; at: number }>(MOST_LISTED)
  /** Snapshots that this process has published or removed. */
  let changes = 0

  /** Runs work that changes the snapshots of a project, which are listed again from then on. */
  async function changing<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } finally {
      changes++
      listed.delete(projectId)
    }
  }

  async function list(projectId: string, signal = own): Promise<readonly string[]> {
    const known = listed.get(projectId)
    if (known && performance.now() - known.at < LISTED_FOR_MS) return known.ids
    const [at, before] = [performance.now(), changes]
    const ids = await listNow(projectId, signal)
    if (changes === before) listed.set(projectId, { ids, at })
    return ids
  }

  /** Lists the ids as they are now, and so never takes a listing that began before the call. */
  async function listNow(projectId: string, signal = own): Promise<readonly string[]> {
    checkProjectId(projectId)
    setMaxListeners(0, signal) // a call may list many projects at once
    return listings.joinNext(projectId, { signal }, async wanted =>
      manifests.idsOf(projectId, await manifests.look(projectId, wanted), wanted),
    )
  }

  async function manifestOf(projectId: string, snapshotId: string, signal = own): Promise<string | null> {
    checkProjectId(projectId)
    if (!isSnapshotId(snapshotId)) return null
    const text = await manifests.text(projectId, numberOf(snapshotId), signal)
    if (text !== null && isOf(text, projectId, snapshotId)) return text
    listed.delete(projectId) // a listing that names it is no longer right, and its callers look again
    return null
  }

  async function readAll(projectId: string, ids: readonly string[]): Promise<SnapshotManifest[]> {
    const read = (snapshotId: string) => manifestIn({ manifestOf }, { projectId, snapshotId }, own)
    const found = await inParallel(ids, read, READ_AT_ONCE)
    return found.filter(manifest => manifest !== null)
  }

  /** The files of a snapshot; of one that is elsewhere, they are remembered, also while the store does not answer. */
  async function filesOf(
    projectId: string,
    snapshotId: string,
    signal: AbortSignal,
  ): Promise<readonly StoredFile[] | null> {
    const known = opened.get(`${projectId} ${snapshotId}`)
    if (known && known.elapsed() < TRUSTED_MS) return known.files
    const elapsed = watch()
    const manifest = await manifestIn({ manifestOf }, { projectId, snapshotId }, signal)
    const files = manifest && snapshotFiles(manifest)
    if (files && store.folder === undefined) opened.set(`${projectId} ${snapshotId}`, { files, elapsed })
    return files
  }

  async function open(
    projectId: string,
    snapshotId: string,
    names: readonly string[],
    signal = own,
  ): Promise<SnapshotLease | null> {
    const files = await filesOf(projectId, snapshotId, signal)
    if (!files) return null
    try {
      const unknown = names.find(name => !files.some(({ file }) => file === name))
      if (unknown !== undefined)
        throw new Error(`the snapshot ${snapshotId} has no file ${JSON.stringify(unknown)}`)
      const wanted = files.filter(({ file }) => names.includes(file))
      return { snapshotId, ...(await local.lease(projectId, wanted, signal)) }
    } catch (cause) {
      if (!(cause instanceof DamagedSnapshot)) throw cause
      if ((await manifests.text(projectId, numberOf(snapshotId), signal)) === null) return null
      throw cause
    }
  }

  async function verify(projectId: string, snapshotId: string, signal = own): Promise<string[]> {
    checkProjectId(projectId)
    try {
      const text = isSnapshotId(snapshotId)
        ? await manifests.text(projectId, numberOf(snapshotId), signal)
        : null
      const digestOf = async (stored: StoredFile) => {
        signal.throwIfAborted() // a folder reads small files whole
        return digestIn(store, tableKey(projectId, stored), signal)
      }
      return await problemsIn(text, { projectId, snapshotId }, digestOf)
    } catch (cause) {
      if (cause instanceof DamagedSnapshot) return [cause.message]
      throw cause
    }
  }

  return {
    list,
    listBetween: (after, last, signal) => manifests.idsBetween(after, last, signal),
    manifestOf,
    manifests: async projectId => readAll(projectId, await listNow(projectId)),
    open,
    verify,
    isWhole: (manifest, signal = own) => publisher.isWhole(manifest, signal),
    async prune(projectId, keep) {
      checkKeep(keep)
      const ids = await listNow(projectId)
      // Snapshots in a format of another version do not count: the newest that this version can read must stay.
      const kept = (await readAll(projectId, ids)).slice(0, keep).map(({ snapshotId }) => snapshotId)
      return changing(projectId, () => removal.remove(projectId, olderThan(ids, new Set(kept)), own))
    },
    remove: projectId =>
      changing(projectId, async () => removal.remove(projectId, await listNow(projectId), own)),
    sweep: (signal = own) => removal.sweep(signal),
    publish: (folder, contents, signal = own, options = {}) =>
      changing(contents.projectId, () => publisher.publish(folder, contents, signal, options)),
  }
}
