import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { digestOfChunks, UnusableFile } from '../files/regular.js'
import { RecentMap } from '../flow/recent.js'
import { SingleFlight } from '../flow/single-flight.js'
import { stopwatch } from '../flow/stopwatch.js'
import { workOfNobody } from '../flow/work.js'
import { inParallel, listAll, nameIn, type ObjectStore, type StoredObject, textOf } from '../objects/store.js'
import type { SnapshotLease } from '../ports.js'
import {
  checkKeep,
  checkProjectId,
  checkSnapshotId,
  isSnapshotId,
  numberOf,
  olderThan,
  snapshotIdOf,
} from './ids.js'
import {
  DamagedSnapshot,
  isOf,
  manifestText,
  parseManifest,
  type SnapshotManifest,
  type StoredFile,
  snapshotFiles,
  withFiles,
} from './manifest.js'
import { checkNewest } from './outdated.js'
import type { PublishOptions, SnapshotStore, UnpublishedManifest } from './store.js'
import { problemsIn } from './verify.js'

/**
 * What no manifest names is removed once it is as old as this; a snapshot that was removed names its files for as long.
 */
const KEPT_MS = 86_400_000
/** A publisher relies on what it saw for half of that time, and a removal may be taken back as long. */
const TRUSTED_MS = KEPT_MS / 2
/** Ids of snapshots that are remembered, each a hundred bytes. */
const MOST_IDS = 100_000
/** Manifests that are read at once, to list the snapshots of a project. */
const READ_AT_ONCE = 16
/** Of so many of the newest snapshots, the first that this version reads is the one whose files are named again. */
const MOST_LOOKS = 3
/** Times to publish a snapshot while others are published. */
const ATTEMPTS = 100
/** Stands for the id of a manifest that cannot be read, so that no call takes an older snapshot for the newest. */
const UNREADABLE = '00000000-0000-0000-0000-000000000000'

const SNAPSHOTS = 'snapshots/'
const TABLES = 'tables/'
const CLOCK = 'clock/'

/** Files of snapshots that an engine reads, in a folder of this machine. */
export interface LocalFiles {
  /** Has files of a project in a folder until they are released. Throws a {@link DamagedSnapshot} for files that are missing or damaged. */
  lease(
    projectId: string,
    files: readonly StoredFile[],
    signal: AbortSignal,
  ): Promise<Omit<SnapshotLease, 'snapshotId'>>
}

/** The entries of a project. */
interface Entries {
  /** The numbers of its snapshots, newest first. */
  numbers: number[]
  /** When their manifests were put, by number, epoch milliseconds by the clock of the store. */
  putAt: Map<number, number>
  /** When the others were removed, by number, epoch milliseconds by the clock of the store. */
  removed: Map<number, number>
}

/**
 * Snapshots in an object store, for any number of processes:
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
class ObjectSnapshots implements SnapshotStore {
  readonly #store: ObjectStore
  readonly #patient: ObjectStore
  readonly #local: LocalFiles
  readonly #own = workOfNobody().signal
  /** Listings that hang while the store does would pile up unless they were aborted. */
  readonly #listings = new SingleFlight<readonly string[]>({ isAbortedWhenLeft: true })
  readonly #ids = new RecentMap<string, string>(MOST_IDS)
  readonly #watch: typeof stopwatch

  constructor(store: ObjectStore, { local, patient = store, watch = stopwatch }: ObjectSnapshotsOptions) {
    this.#store = store
    this.#patient = patient
    this.#local = local
    this.#watch = watch
  }

  /** Lists the ids as they are now, and so never takes a listing that began before the call. */
  async list(projectId: string, signal = this.#own): Promise<readonly string[]> {
    checkProjectId(projectId)
    return this.#listings.joinNext(projectId, { signal }, async wanted =>
      this.#idsOf(projectId, await this.#look(projectId, wanted), wanted),
    )
  }

  async listBetween(
    after: string,
    last: string | null,
    signal: AbortSignal,
  ): Promise<Map<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>()
    const start = after === '' ? undefined : `${SNAPSHOTS}${after}0` // 0 comes right after the slash
    for await (const { projectId, objects } of byProject(this.#store.list(SNAPSHOTS, signal, start))) {
      if (last !== null && projectId > last) break
      const ids = await this.#idsOf(projectId, entriesOf(objects), signal)
      if (ids.length > 0) found.set(projectId, ids)
    }
    return found
  }

  async manifestOf(projectId: string, snapshotId: string, signal = this.#own): Promise<string | null> {
    checkProjectId(projectId)
    if (!isSnapshotId(snapshotId)) return null
    const text = await this.#text(projectId, numberOf(snapshotId), signal)
    return text !== null && isOf(text, projectId, snapshotId) ? text : null
  }

  async manifests(projectId: string): Promise<SnapshotManifest[]> {
    const found = new Map<string, SnapshotManifest | null>()
    const ids = await this.list(projectId)
    await inParallel(
      ids,
      async id => found.set(id, await this.#manifest(projectId, id, this.#own)),
      READ_AT_ONCE,
    )
    return ids.map(id => found.get(id) ?? null).filter(manifest => manifest !== null)
  }

  async open(
    projectId: string,
    snapshotId: string,
    names: readonly string[],
    signal = this.#own,
  ): Promise<SnapshotLease | null> {
    checkProjectId(projectId)
    if (!isSnapshotId(snapshotId)) return null
    const manifest = await this.#manifest(projectId, snapshotId, signal)
    if (!manifest) return null
    try {
      const files = new Map(snapshotFiles(manifest).map(file => [file.file, file]))
      const unknown = names.find(name => !files.has(name))
      if (unknown !== undefined)
        throw new Error(`the snapshot ${snapshotId} has no file ${JSON.stringify(unknown)}`)
      const wanted = [...files.values()].filter(({ file }) => names.includes(file))
      return { snapshotId, ...(await this.#local.lease(projectId, wanted, signal)) }
    } catch (cause) {
      if (!(cause instanceof DamagedSnapshot)) throw cause
      if ((await this.#text(projectId, numberOf(snapshotId), signal)) === null) return null
      throw cause
    }
  }

  async verify(projectId: string, snapshotId: string): Promise<string[]> {
    checkProjectId(projectId)
    try {
      const text = isSnapshotId(snapshotId)
        ? await this.#text(projectId, numberOf(snapshotId), this.#own)
        : null
      const digestOf = (stored: StoredFile) => this.#digestOf(projectId, stored)
      return await problemsIn(text, { projectId, snapshotId }, digestOf)
    } catch (cause) {
      if (cause instanceof DamagedSnapshot) return [cause.message]
      throw cause
    }
  }

  async prune(projectId: string, keep: number): Promise<string[]> {
    checkKeep(keep)
    const ids = await this.list(projectId)
    // Snapshots in a format of another version do not count: the newest that this version can read must stay.
    const kept = new Set((await this.manifests(projectId)).slice(0, keep).map(({ snapshotId }) => snapshotId))
    return this.#remove(projectId, olderThan(ids, kept))
  }

  async remove(projectId: string): Promise<string[]> {
    return this.#remove(projectId, await this.list(projectId))
  }

  async sweep(signal = this.#own): Promise<void> {
    const now = await this.#now(signal)
    await this.#delete(await listAll(this.#patient, CLOCK, signal), now, signal)
    for await (const each of this.#projects(signal)) await this.#clear(each, now, signal)
  }

  async publish(
    folder: string,
    contents: UnpublishedManifest,
    signal = this.#own,
    { after }: PublishOptions = {},
  ): Promise<SnapshotManifest> {
    const { projectId } = contents
    checkProjectId(projectId)
    checkSnapshotId(contents.snapshotId)
    const elapsed = this.#watch()
    const files = snapshotFiles({ ...contents, snapshotId: '' })
    const stored: string[] = []
    let isPut = false
    try {
      const revived = await this.#revive(contents, signal)
      if (revived) return revived
      const before = await this.#look(projectId, signal)
      await this.#mustFollow(projectId, before, after, signal)
      const known = await this.#known(projectId, before, signal)
      // First those that keep their names, since another one with their content could take their place.
      const kept = files.filter(({ file }) => known.some(each => each.file === file))
      const inOrder = [...kept, ...files.filter(file => !kept.includes(file))]
      const alike = inOrder.map(given => takeAlike(known, given))
      const places = new Map<string, StoredFile>()
      await inParallel([...inOrder.entries()], async ([at, given]) => {
        const same = alike[at]
        if (same && (await this.#isSound(projectId, same, given, signal))) return places.set(given.file, same)
        const file = objectName(given)
        const key = tableKey(projectId, { file })
        stored.push(key)
        await this.#patient.put(key, { path: join(folder, given.file), sha256: given.sha256 }, signal)
        return places.set(given.file, { ...given, file })
      })
      const placed = withFiles(contents, ({ file }) => places.get(file) as StoredFile)
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const now = await this.#look(projectId, signal)
        await this.#mustFollow(projectId, now, after, signal)
        signal.throwIfAborted()
        if (elapsed() > TRUSTED_MS)
          throw new Error('publishing the snapshot took more than half a day: seal again')
        const last = Math.max(0, ...now.numbers, ...now.removed.keys())
        const snapshotId = contents.snapshotId ?? snapshotIdOf(last + 1, randomUUID())
        const manifest = { ...placed, snapshotId }
        isPut = true // from here on, its files stay whatever happens: a store that does not answer may have it
        if (await this.#putManifest(manifest, signal)) return manifest
        isPut = false
        if (contents.snapshotId !== undefined) throw await this.#taken(contents.snapshotId, projectId, signal)
      }
      throw new Error('Other processes keep publishing snapshots of the project.')
    } catch (cause) {
      if (!isPut) await this.#patient.delete(stored, this.#own).catch(() => {}) // a sweep will
      throw cause
    }
  }

  /** False when there is another manifest of its number. */
  async #putManifest(manifest: SnapshotManifest, signal: AbortSignal): Promise<boolean> {
    const { projectId, snapshotId } = manifest
    const [key, text] = [manifestKey(projectId, numberOf(snapshotId)), manifestText(manifest)]
    const put = await this.#patient.put(key, text, signal).catch((cause: Error) => cause)
    if (put === true) return true
    if (put !== false && signal.aborted) throw put
    const found = await textOf(this.#patient, key, signal).catch(cause => {
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
    const ids = await this.list(projectId, signal)
    if (ids.includes(snapshotId)) return new Error(`${has} the snapshot ${snapshotId}`)
    const other = ids.find(id => numberOf(id) === numberOf(snapshotId))
    if (other !== undefined) return new Error(`${has} another snapshot of this number, ${other}`)
    return new Error(`a snapshot of the number of ${snapshotId} was removed: copy it again in two days`)
  }

  /**
   * Takes back the removal of a snapshot that is published again, as from a copy of its project; null when it was not
   * removed, or so long ago that its files may be removed.
   */
  async #revive(
    { projectId, snapshotId }: UnpublishedManifest,
    signal: AbortSignal,
  ): Promise<SnapshotManifest | null> {
    if (snapshotId === undefined) return null
    const number = numberOf(snapshotId)
    const removedAt = (await this.#look(projectId, signal)).removed.get(number)
    if (removedAt === undefined || (await this.#now(signal)) - removedAt > TRUSTED_MS) return null
    const manifest = await this.#manifest(projectId, snapshotId, signal)
    if (manifest) await this.#patient.delete([markKey(projectId, number)], signal)
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
    const [newest] = await this.#idsOf(projectId, { numbers: numbers.slice(0, 1), putAt }, signal)
    checkNewest(newest, after)
  }

  /** The files of the newest snapshot that can be read. */
  async #known(projectId: string, { numbers }: Entries, signal: AbortSignal): Promise<StoredFile[]> {
    for (const number of numbers.slice(0, MOST_LOOKS)) {
      const files = filesNamedIn(await this.#text(projectId, number, signal))
      if (files) return [...files]
    }
    return []
  }

  /**
   * Whether a file that is stored can stand for another one: it is there with its size and, where it is at hand, has the
   * digest. Files to which rows were appended have been read a moment ago.
   */
  async #isSound(
    projectId: string,
    stored: StoredFile,
    given: StoredFile,
    signal: AbortSignal,
  ): Promise<boolean> {
    const found = await this.#patient.stat(tableKey(projectId, stored), signal)
    if (found?.bytes !== stored.bytes) return false
    if (this.#store.folder === undefined || stored.file === given.file) return true
    return (await this.#digestOf(projectId, stored).catch(() => null)) === stored.sha256
  }

  async #digestOf(projectId: string, stored: StoredFile): Promise<string | null> {
    const chunks = await this.#store.get(tableKey(projectId, stored), this.#own)
    return chunks && digestOfChunks(chunks)
  }

  /** Marks snapshots as removed, the oldest first, and removes what was removed a day ago. Returns their ids. */
  async #remove(projectId: string, ids: readonly string[]): Promise<string[]> {
    const signal = this.#own
    await inParallel(ids.toReversed(), id => this.#patient.put(markKey(projectId, numberOf(id)), '', signal))
    const [now, snapshots] = [
      await this.#now(signal),
      await listAll(this.#patient, `${SNAPSHOTS}${projectId}/`, signal),
    ]
    const tables = await listAll(this.#patient, `${TABLES}${projectId}/`, signal)
    await this.#clear({ projectId, snapshots, tables }, now, signal)
    return [...ids]
  }

  /** Removes what is of no use of a project. With a manifest that cannot be read, nothing is. */
  async #clear({ projectId, snapshots, tables }: Project, now: number, signal: AbortSignal): Promise<void> {
    const isOld = ({ modifiedAt }: StoredObject) => now - modifiedAt > KEPT_MS
    const { numbers, removed } = entriesOf(snapshots)
    const over = [...removed].filter(([, at]) => now - at > KEPT_MS).map(([number]) => number)
    const old = tables.filter(object => isOld(object) && OWN.test(nameIn(object.key)))
    const unnamed = new Map(old.map(object => [nameIn(object.key), object]))
    for (const number of [...numbers, ...removed.keys()]) {
      if (unnamed.size === 0) break
      if (over.includes(number)) continue
      const text = await this.#text(projectId, number, signal)
      if (text === null && removed.has(number)) continue // a mark alone
      const files = filesNamedIn(text)
      if (!files) return
      for (const { file } of files) unnamed.delete(file)
    }
    await this.#delete([...unnamed.values()], now, signal)
    for (const number of over) {
      // Another sweep may have cleared all of the project, which may have new snapshots.
      const mark = markKey(projectId, number)
      if (!(await this.#patient.stat(mark, signal))) continue
      await this.#patient.delete([manifestKey(projectId, number)], signal)
      await this.#patient.delete([mark], signal)
    }
    await this.#delete(
      snapshots.filter(({ key }) => LEFT.test(nameIn(key))),
      now,
      signal,
    )
  }

  /** Deletes those of these objects that are old. */
  async #delete(objects: readonly StoredObject[], now: number, signal: AbortSignal): Promise<void> {
    const old = objects.filter(({ modifiedAt }) => now - modifiedAt > KEPT_MS)
    await this.#patient.delete(
      old.map(({ key }) => key),
      signal,
    )
  }

  /** The time by the clock of the store. */
  async #now(signal: AbortSignal): Promise<number> {
    const key = `${CLOCK}${randomUUID()}`
    await this.#patient.put(key, '', signal)
    const found = await this.#patient.stat(key, signal)
    await this.#patient.delete([key], signal)
    if (!found) throw new Error('the store does not have an object that it has just stored')
    return found.modifiedAt
  }

  async #look(projectId: string, signal: AbortSignal): Promise<Entries> {
    return entriesOf(await listAll(this.#store, `${SNAPSHOTS}${projectId}/`, signal))
  }

  /** The ids of snapshots by their numbers, without those that are gone. */
  async #idsOf(
    projectId: string,
    { numbers, putAt }: Pick<Entries, 'numbers' | 'putAt'>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const found = new Map<number, string | null>()
    await inParallel(
      numbers,
      async number => found.set(number, await this.#idOf(projectId, number, putAt.get(number) ?? 0, signal)),
      READ_AT_ONCE,
    )
    return Object.freeze(numbers.flatMap(number => found.get(number) ?? []))
  }

  async #idOf(projectId: string, number: number, putAt: number, signal: AbortSignal): Promise<string | null> {
    const key = `${manifestKey(projectId, number)} ${putAt}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const text = await this.#text(projectId, number, signal).catch(cause => {
      if (cause instanceof DamagedSnapshot) return ''
      throw cause
    })
    if (text === null) return null
    const id = idIn(text)
    if (id === null || numberOf(id) !== number) return snapshotIdOf(number, UNREADABLE)
    this.#ids.set(key, id)
    return id
  }

  async #text(projectId: string, number: number, signal: AbortSignal): Promise<string | null> {
    try {
      return await textOf(this.#store, manifestKey(projectId, number), signal)
    } catch (cause) {
      throw cause instanceof UnusableFile ? new DamagedSnapshot(cause.about('manifest.json')) : cause
    }
  }

  /** The manifest of a snapshot; null when there is none, or this version does not read it. */
  async #manifest(
    projectId: string,
    snapshotId: string,
    signal: AbortSignal,
  ): Promise<SnapshotManifest | null> {
    try {
      const text = await this.manifestOf(projectId, snapshotId, signal)
      return text === null ? null : parseManifest(text)
    } catch (cause) {
      if (!(cause instanceof DamagedSnapshot)) throw cause
      throw new DamagedSnapshot(`snapshot ${snapshotId} of the project ${projectId}: ${cause.message}`)
    }
  }

  /** The objects of all projects, project by project. */
  async *#projects(signal: AbortSignal): AsyncGenerator<Project> {
    const tables = byProject(this.#patient.list(TABLES, signal))
    const snapshots = byProject(this.#patient.list(SNAPSHOTS, signal))
    for (let [one, other] = [await tables.next(), await snapshots.next()]; ; ) {
      const ids = [one, other].flatMap(({ value }) => value?.projectId ?? [])
      const [projectId] = ids.sort()
      if (projectId === undefined) return
      const project: Project = { projectId, tables: [], snapshots: [] }
      if (one.value?.projectId === projectId) {
        project.tables = one.value.objects
        one = await tables.next()
      }
      if (other.value?.projectId === projectId) {
        project.snapshots = other.value.objects
        other = await snapshots.next()
      }
      yield project
    }
  }
}

/** Options of {@link objectSnapshots}. */
interface ObjectSnapshotsOptions {
  local: LocalFiles
  /** The same store, for work that no call waits for. Default: the store. */
  patient?: ObjectStore
  /** Makes what tells how much time has passed. Default: {@link stopwatch}. */
  watch?: typeof stopwatch
}

/** Opens the snapshots in an object store, see {@link ObjectSnapshots}. */
export function objectSnapshots(store: ObjectStore, options: ObjectSnapshotsOptions): SnapshotStore {
  const all = new ObjectSnapshots(store, options)
  return {
    list: (projectId, signal) => all.list(projectId, signal),
    listBetween: (after, last, signal) => all.listBetween(after, last, signal),
    manifestOf: (projectId, snapshotId, signal) => all.manifestOf(projectId, snapshotId, signal),
    manifests: projectId => all.manifests(projectId),
    open: (projectId, snapshotId, files, signal) => all.open(projectId, snapshotId, files, signal),
    verify: (projectId, snapshotId) => all.verify(projectId, snapshotId),
    prune: (projectId, keep) => all.prune(projectId, keep),
    remove: projectId => all.remove(projectId),
    sweep: signal => all.sweep(signal),
    publish: (folder, manifest, signal, options) => all.publish(folder, manifest, signal, options),
  }
}

/** The objects of a project. */
interface Project {
  projectId: string
  snapshots: readonly StoredObject[]
  tables: readonly StoredObject[]
}

/** The objects of each project, of listings in order. */
async function* byProject(
  pages: AsyncIterable<readonly StoredObject[]>,
): AsyncGenerator<{ projectId: string; objects: StoredObject[] }, undefined> {
  let current = { projectId: '', objects: [] as StoredObject[] }
  for await (const page of pages)
    for (const object of page) {
      const [, projectId = ''] = object.key.split('/')
      if (current.projectId !== projectId) {
        if (current.objects.length > 0) yield current
        current = { projectId, objects: [] }
      }
      current.objects.push(object)
    }
  if (current.objects.length > 0) yield current
}

const NAME = /^(\d{6})\.(json|gone)$/
/** A file of a snapshot, or what a killed process has left of one; whatever else is in a folder is of others. */
const OWN = /^\w[\w.-]*-[0-9a-f]{64}-[0-9a-f]{8}\.\w+(~[0-9a-f-]{36})?$/
const LEFT = /^\d{6}\.(json|gone)~[0-9a-f-]{36}$/

/** The number in the key of a manifest or a mark; null for anything else. */
function numberIn(key: string): number | null {
  const [, number] = NAME.exec(nameIn(key)) ?? []
  return number === undefined ? null : Number(number)
}

function entriesOf(objects: readonly StoredObject[]): Entries {
  const removed = new Map<number, number>()
  const putAt = new Map<number, number>()
  for (const { key, modifiedAt } of objects) {
    const number = numberIn(key)
    if (number === null) continue
    if (key.endsWith('.gone')) removed.set(number, modifiedAt)
    else putAt.set(number, modifiedAt)
  }
  const numbers = [...putAt.keys()].filter(number => !removed.has(number)).sort((a, b) => b - a)
  return { numbers, putAt, removed }
}

function manifestKey(projectId: string, number: number): string {
  return `${SNAPSHOTS}${projectId}/${String(number).padStart(6, '0')}.json`
}

function markKey(projectId: string, number: number): string {
  return `${SNAPSHOTS}${projectId}/${String(number).padStart(6, '0')}.gone`
}

/** The key of a file of a snapshot. */
export function tableKey(projectId: string, { file }: Pick<StoredFile, 'file'>): string {
  return `${TABLES}${projectId}/${file}`
}

/** The folder, below that of the store, with the files of a project. */
export function tablesFolder(root: string, projectId: string): string {
  return join(root, TABLES, projectId)
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

/** The files that a manifest names; null when that cannot be told. */
function filesNamedIn(text: string | null): readonly StoredFile[] | null {
  try {
    const manifest = text === null ? null : parseManifest(text)
    return manifest && snapshotFiles(manifest)
  } catch {
    return null
  }
}

/** The id that a manifest names; null when it names none. */
function idIn(text: string): string | null {
  try {
    const { snapshotId } = JSON.parse(text) as Partial<SnapshotManifest>
    return typeof snapshotId === 'string' && isSnapshotId(snapshotId) ? snapshotId : null
  } catch {
    return null
  }
}
