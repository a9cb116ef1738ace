import { join } from 'node:path'
import { UnusableFile } from '../files/regular.js'
import { inParallel } from '../flow/in-parallel.js'
import { RecentMap } from '../flow/recent.js'
import { listAll, nameIn, type ObjectStore, type StoredObject, textOf } from '../objects/store.js'
import { isSnapshotId, numberOf, unreadableId } from './ids.js'
import {
  checkManifest,
  DamagedSnapshot,
  parseManifest,
  type SnapshotManifest,
  type StoredFile,
  snapshotFiles,
} from './manifest.js'

/** Ids of snapshots that are remembered, each a hundred bytes. */
const MOST_IDS = 100_000
/** Manifests that are read at once. */
export const READ_AT_ONCE = 16

const SNAPSHOTS = 'snapshots/'
const TABLES = 'tables/'

/** The entries of a project. */
export interface Entries {
  /** The numbers of its snapshots, newest first. */
  numbers: number[]
  /** When their manifests were put, by number, epoch milliseconds by the clock of the store. */
  putAt: Map<number, number>
  /** When the others were removed, by number, epoch milliseconds by the clock of the store. */
  removed: Map<number, number>
}

/** The objects of a project: its manifests and marks, and the files of its snapshots. */
export interface Project {
  projectId: string
  snapshots: readonly StoredObject[]
  tables: readonly StoredObject[]
}

/** The manifests in an object store, and the ids in them, which are remembered together with the time of their manifest. */
export class Manifests {
  readonly #store: ObjectStore
  readonly #ids = new RecentMap<string, string>(MOST_IDS)

  constructor(store: ObjectStore) {
    this.#store = store
  }

  /** The entries of a project as they are now. */
  async look(projectId: string, signal: AbortSignal): Promise<Entries> {
    return entriesOf(await listAll(this.#store, `${SNAPSHOTS}${projectId}/`, signal))
  }

  /** The ids of snapshots by their numbers, without those that are gone. */
  async idsOf(
    projectId: string,
    { numbers, putAt }: Pick<Entries, 'numbers' | 'putAt'>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const found = await inParallel(
      numbers,
      number => this.#idOf(projectId, number, putAt.get(number) ?? 0, signal),
      READ_AT_ONCE,
    )
    return Object.freeze(found.filter(id => id !== null))
  }

  async #idOf(projectId: string, number: number, putAt: number, signal: AbortSignal): Promise<string | null> {
    const key = `${manifestKey(projectId, number)} ${putAt}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const text = await this.text(projectId, number, signal).catch(cause => {
      if (cause instanceof DamagedSnapshot) return ''
      throw cause
    })
    if (text === null) return null
    const id = idIn(text)
    if (id === null || numberOf(id) !== number) return unreadableId(number)
    this.#ids.set(key, id)
    return id
  }

  /** The text of a manifest; null when there is none. */
  async text(projectId: string, number: number, signal: AbortSignal): Promise<string | null> {
    try {
      return await textOf(this.#store, manifestKey(projectId, number), signal)
    } catch (cause) {
      throw cause instanceof UnusableFile ? new DamagedSnapshot(cause.about('manifest.json')) : cause
    }
  }

  /** The files that a manifest names; null when that cannot be told, undefined when there is no such manifest. */
  async files(
    projectId: string,
    number: number,
    signal: AbortSignal,
  ): Promise<readonly StoredFile[] | null | undefined> {
    const manifest = await this.readable(projectId, number, signal)
    return manifest && snapshotFiles(manifest)
  }

  /** A manifest whose files can be told; null when they cannot, undefined when there is no such manifest. */
  async readable(
    projectId: string,
    number: number,
    signal: AbortSignal,
  ): Promise<SnapshotManifest | null | undefined> {
    try {
      const text = await this.text(projectId, number, signal)
      if (text === null) return undefined
      const manifest = parseManifest(text)
      if (manifest) checkManifest(manifest)
      return manifest
    } catch (cause) {
      if (cause instanceof DamagedSnapshot) return null
      throw cause
    }
  }

  /** The ids of the snapshots of many projects, see {@link SnapshotStore.listBetween}. */
  async idsBetween(
    after: string,
    last: string | null,
    signal: AbortSignal,
  ): Promise<Map<string, readonly string[]>> {
    const all: { projectId: string; entries: Entries }[] = []
    const start = after === '' ? undefined : `${SNAPSHOTS}${after}0` // 0 comes right after the slash
    for await (const { projectId, objects } of byProject(this.#store.list(SNAPSHOTS, signal, start))) {
      if (last !== null && projectId > last) break
      all.push({ projectId, entries: entriesOf(objects) })
    }
    const found = await inParallel(
      all,
      async ({ projectId, entries }) => [projectId, await this.idsOf(projectId, entries, signal)] as const,
      READ_AT_ONCE,
    )
    return new Map(found.filter(([, ids]) => ids.length > 0))
  }
}

/** The objects of all projects, project by project. */
export async function* projectsIn(store: ObjectStore, signal: AbortSignal): AsyncGenerator<Project> {
  const tables = byProject(store.list(TABLES, signal))
  const snapshots = byProject(store.list(SNAPSHOTS, signal))
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

/** The objects of one project. */
export async function projectIn(
  store: ObjectStore,
  projectId: string,
  signal: AbortSignal,
): Promise<Project> {
  const snapshots = await listAll(store, `${SNAPSHOTS}${projectId}/`, signal)
  return { projectId, snapshots, tables: await tablesIn(store, projectId, signal) }
}

/** The files of the snapshots of a project. */
export function tablesIn(
  store: ObjectStore,
  projectId: string,
  signal: AbortSignal,
): Promise<StoredObject[]> {
  return listAll(store, `${TABLES}${projectId}/`, signal)
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

/** The number in the key of a manifest or a mark; null for anything else. */
function numberIn(key: string): number | null {
  const [, number] = NAME.exec(nameIn(key)) ?? []
  return number === undefined ? null : Number(number)
}

/** Reads the entries of a project out of a listing. */
export function entriesOf(objects: readonly StoredObject[]): Entries {
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

export function manifestKey(projectId: string, number: number): string {
  return `${SNAPSHOTS}${projectId}/${String(number).padStart(6, '0')}.json`
}

export function markKey(projectId: string, number: number): string {
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

/** The id that a manifest names; null when it names none. */
function idIn(text: string): string | null {
  try {
    const { snapshotId } = JSON.parse(text) as Partial<SnapshotManifest>
    return typeof snapshotId === 'string' && isSnapshotId(snapshotId) ? snapshotId : null
  } catch {
    return null
  }
}
